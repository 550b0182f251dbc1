"""Runs of realistic sizes on a server that honours cache_control, and what the cache made of them."""

import json

from sprout.loop.tools import Tool
from tests.loop.conversations import Summariser
from tests.loop.doers import look_at, looker
from tests.loop.played import Played, changed, played, repeatable, without_breakpoints

SYSTEM = "You are a patient teacher who builds a path through a subject. " * 200  # about 3,200 tokens
RESULT = "seen {at}" + " leaf" * 220  # about 280 tokens
LONG_RESULT = "seen {at}" + " leaf" * 400


def tools(result: str) -> list[Tool]:
    return [repeatable(looker(answer=result)), looker(name="search"), looker(name="recall")]


async def fifteen_iterations() -> Played:
    """A run of 15 iterations with no compaction in it."""
    return await played([look_at(number) for number in range(14)], tools=tools(RESULT), system=SYSTEM)


async def many_compactions() -> Played:
    """A run of which the view is compacted at least twice."""
    policy = changed(
        context_window=12_000, reserve_tokens=0, buffer_tokens=0, max_iterations=60, compaction_threshold=0.7
    )
    script = [look_at(number) for number in range(40)]
    return await played(script, tools=tools(LONG_RESULT), system=SYSTEM, policy=policy, summarise=Summariser())


def cached_share(play: Played) -> float:
    """How much of the input was read from the cache, 0..1."""
    usage = play.result.usage
    return usage.cache_read_tokens / (usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens)


def prefixes(play: Played) -> list[str]:
    """What each request begins with for the cache: all of it but its breakpoints, up to where the next one grows."""
    bodies = [without_breakpoints(request) for request in play.requests]
    return [json.dumps([body["tools"], body["system"], body["messages"]], ensure_ascii=False)[:-2] for body in bodies]


def rewritten(play: Played) -> list[int]:
    """Which requests, counted from 0, do not begin with the one before byte for byte."""
    sent = prefixes(play)
    return [at for at in range(1, len(sent)) if not sent[at].startswith(sent[at - 1])]
