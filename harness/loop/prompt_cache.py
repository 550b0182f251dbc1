"""Runs of realistic sizes on a server that honours cache_control, and what the cache made of them."""

import json

from harness.loop.conversations import Summariser
from harness.loop.sample_tools import look_at, look_tool
from harness.loop.scripted_turn import ScriptedTurn, policy_with, repeatable, run_script, without_breakpoints
from sprout.loop.tools import Tool

SYSTEM = "You are a patient teacher who builds a path through a subject. " * 200  # about 3,200 tokens
RESULT = "seen {at}" + " leaf" * 220  # about 280 tokens
LONG_RESULT = "seen {at}" + " leaf" * 400


def tools(result: str) -> list[Tool]:
    return [repeatable(look_tool(answer=result)), look_tool(name="search"), look_tool(name="recall")]


async def fifteen_iterations() -> ScriptedTurn:
    """A run of 15 iterations with no compaction in it."""
    return await run_script([look_at(number) for number in range(14)], tools=tools(RESULT), system=SYSTEM)


async def many_compactions() -> ScriptedTurn:
    """A run of which the view is compacted at least twice."""
    policy = policy_with(
        context_window=12_000, reserve_tokens=0, buffer_tokens=0, max_iterations=60, compaction_threshold=0.7
    )
    script = [look_at(number) for number in range(40)]
    return await run_script(script, tools=tools(LONG_RESULT), system=SYSTEM, policy=policy, summarise=Summariser())


def cached_share(play: ScriptedTurn) -> float:
    """Share of the input read from the cache, 0..1."""
    usage = play.result.usage
    return usage.cache_read_tokens / (usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens)


def prefixes(play: ScriptedTurn) -> list[str]:
    """Cached prefix of each request: everything but its breakpoints, up to where the next request grows."""
    bodies = [without_breakpoints(request) for request in play.requests]
    return [json.dumps([body["tools"], body["system"], body["messages"]], ensure_ascii=False)[:-2] for body in bodies]


def rewritten(play: ScriptedTurn) -> list[int]:
    """Indices, from 0, of requests that do not begin with the previous one byte for byte."""
    sent = prefixes(play)
    return [at for at in range(1, len(sent)) if not sent[at].startswith(sent[at - 1])]
