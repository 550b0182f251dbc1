"""An agent that works on what is secret: it is seen to work, and none of its words is seen."""

import asyncio
from dataclasses import replace
from pathlib import Path

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.model import ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.offline.pace import Pace
from sprout.offline.reply import Reply, TextOut, ThinkingOut, ToolOut
from sprout.store.engine.database import Database
from tests.runs.live_app import live_app
from tests.runs.scripted_agents import TurnScript, an_agent, assert_whole, kinds, of_kind

WORD = "quokka"
WORDS = {"agent_reasoning", "agent_reasoning_delta", "thinking", "thinking_delta", "message", "block_snapshot"}
SAYS = Reply(
    [
        ThinkingOut(f"I think of the {WORD}."),
        TextOut(f"The {WORD} is the answer. " * 20),
        ToolOut("look", {"at": "leaves", "why": WORD}),
    ]
)
LAST = Reply([TextOut(f"It was the {WORD}.")])


def a_look() -> Tool:
    @tool(effect=Effect.READ, secret=frozenset({"why"}))
    async def look(at: str, why: str, call: ToolUse) -> str:
        """Look at something."""
        return f"behind the {at} sits a {why}"

    return look


async def test_Q6_of_a_private_agent_calls_are_published_and_no_word_live_or_later(
    database: Database, data_dir: Path
) -> None:
    agent = replace(an_agent(a_look()), private=True)
    pace = Pace(tokens_per_s=2_000)
    async with live_app(database, TurnScript(SAYS, LAST), data_dir, agents=[agent], pace=pace) as life:
        run_id = await life.start()
        live = await life.streamed(run_id)
        log, run = await life.stored_events(run_id), await life.store.run(run_id)
        handoff = await life.runs.handoff(run_id, user_id=DEFAULT_USER_ID)
    assert WORD not in "\n".join([*(one.data for one in [*live, *log]), repr(handoff.journal)])
    assert not WORDS & {*kinds(live), *kinds(log)}
    (called,), (finished,) = of_kind(log, "tool_call"), of_kind(log, "tool_result")
    assert (called["tool"], called["input"]) == ("look", {"at": "leaves"})
    assert (finished["ok"], finished["summary"]) == (True, "")
    assert "usage" in kinds(log)
    assert_whole(log, run)


async def test_a_private_agent_that_is_taken_up_again_keeps_its_words(database: Database, data_dir: Path) -> None:
    """The end of a call that was not published is published by the next worker, without its result."""
    agent = replace(an_agent(a_look()), private=True)
    model = TurnScript(SAYS, Reply([TextOut(f"{WORD} " * 4_000)]), LAST)
    async with live_app(database, model, data_dir, agents=[agent], pace=Pace(tokens_per_s=500)) as first:
        run_id = await first.start()
        await first.wait_for_event(run_id, "tool_result")
    async with live_app(database, TurnScript(SAYS, LAST), data_dir, agents=[agent], root=first.root) as life:
        async with asyncio.timeout(20):
            live = await life.streamed(run_id)
        log = await life.stored_events(run_id)
    assert "run_resumed" in kinds(log)
    assert WORD not in "\n".join(one.data for one in [*live, *log])


async def test_others_are_heard_as_before(database: Database, data_dir: Path) -> None:
    async with live_app(database, TurnScript(SAYS, LAST), data_dir, agents=[an_agent(a_look())]) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        log = await life.stored_events(run_id)
    assert WORD in of_kind(log, "agent_reasoning")[0]["text"]
    assert of_kind(log, "tool_result")[0]["summary"] == f"behind the leaves sits a {WORD}"
