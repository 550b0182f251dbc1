"""C8 in a whole run: results are remembered before a compaction, for agents that have a memory of the learner."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from harness.loop.scripted_turn import policy_with
from sprout.errors import BadInput, ToolFailure
from sprout.learning.actor import Actor
from sprout.learning.lessons.memories import MAX_MEMORY
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Image, Text
from sprout.loop.tools import Tool, tool
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.runs.execution.memory_flush import LearnerMemories
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from sprout.store.lessons.memories import SqlMemories
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import an_agent, kinds

PAGES = 8
NARROW = policy_with(max_iterations=PAGES + 2, context_window=3_000, keep_compact=4)
PIXEL = Image(
    "image/png", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)


def ignore(_: object) -> None:
    pass


class PageReader:
    """A model that looks at one page after another, then says that it is done."""

    def __init__(self) -> None:
        self.looked = 0

    def answer(self, body: Body) -> Reply:
        self.looked += 1
        if self.looked > PAGES:
            return Reply([TextOut("Done.")])
        return Reply([TextOut(f"Page {self.looked}."), ToolOut("look_up", {"number": self.looked})])


def a_lookup(memory: Callable[[JsonValue], str | None] | None) -> Tool:
    @tool(memory=memory, repeatable=True)
    async def look_up(number: int) -> JsonValue:
        """Look up what a learner knows."""
        if number == 2:
            raise ToolFailure("there is no such page")
        return {"number": number, "about": "Light falls on the leaf, and air goes in. " * 40}

    return look_up


def knows(result: JsonValue) -> str | None:
    assert isinstance(result, dict)
    return None if result["number"] == 3 else f"Knows\npage {result['number']}."


@asynccontextmanager
async def reading(
    database: Database, folder: Path, lookup: Tool, memories: LearnerMemories | None, *, has_memory: bool = True
) -> AsyncIterator[LiveApp]:
    spec = replace(an_agent(lookup, policy=NARROW), mechanisms=LoopMechanisms(memory=has_memory))
    async with live_app(database, PageReader(), folder, agents=[spec], memories=memories) as life:
        yield life


async def read_to_the_end(life: LiveApp) -> str:
    run_id = await life.start()
    await life.streamed(run_id)
    assert (await life.store.run(run_id)).state is RunState.COMPLETED
    assert "context_compacted" in kinds(await life.stored_events(run_id))
    return run_id


async def texts_of(memories: SqlMemories) -> Sequence[str]:
    return [one.text for one in await memories.memories(DEFAULT_USER_ID)]


async def test_C8_a_successful_result_that_leaves_the_view_is_remembered_once(
    database: Database, data_dir: Path
) -> None:
    memories = SqlMemories(database, ignore)
    async with reading(database, data_dir, a_lookup(knows), memories) as life:
        run_id = await read_to_the_end(life)
        rows = await memories.memories(DEFAULT_USER_ID)
        left = [one.text for one in rows]
        assert left[:2] == ["Knows page 1.", "Knows page 4."], "page 2 failed, page 3 says nothing of the learner"
        assert len(set(left)) == len(left)
        assert f"Knows page {PAGES}." not in left, "the last result was never taken out"
        assert {one.source for one in rows} == {f"run:{run_id}"}
        await life.streamed(await life.start())
        assert await texts_of(memories) == left, "the same once more adds nothing"


@pytest.mark.parametrize("has_memory", [True, False])
async def test_C8_nothing_is_remembered_without_a_memory_or_of_a_tool_that_makes_none(
    database: Database, data_dir: Path, has_memory: bool
) -> None:
    memories = SqlMemories(database, ignore)
    lookup = a_lookup(None if has_memory else knows)
    async with reading(database, data_dir, lookup, memories, has_memory=has_memory) as life:
        await read_to_the_end(life)
    assert await texts_of(memories) == []


async def test_C8_a_memory_that_is_full_stops_no_run(
    database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class FullMemories:
        refused = 0

        async def remember(self, text: str, *, actor: Actor) -> object:
            self.refused += 1
            raise BadInput("There are 200 entries already: nothing more is kept.")

    memories = FullMemories()
    async with reading(database, data_dir, a_lookup(knows), memories) as life:
        await read_to_the_end(life)
    assert memories.refused
    assert "agent.compaction.flush_failed" in caplog.messages


async def test_C8_a_fault_of_a_tool_costs_its_memory_and_not_the_run(
    database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(result: JsonValue) -> str:
        assert isinstance(result, dict)
        if result["number"] == 1:
            raise KeyError("about")
        return f"Page {result['number']}: " + "light " * 200

    memories = SqlMemories(database, ignore)
    async with reading(database, data_dir, a_lookup(breaks), memories) as life:
        await read_to_the_end(life)
    left = await texts_of(memories)
    assert left
    assert left[0].startswith("Page 3: light")
    assert left[0].endswith("…")
    assert max(map(len, left)) <= MAX_MEMORY
    assert "agent.memory.broke" in caplog.messages


async def test_C8_pictures_are_not_remembered_and_text_is_read_as_text(database: Database, data_dir: Path) -> None:
    given: list[JsonValue] = []

    def hear(result: JsonValue) -> None:
        given.append(result)

    @tool(memory=hear, repeatable=True)
    async def look_up(number: int) -> object:
        """Look up."""
        filler = "Light falls on the leaf, and air goes in. " * 40
        return [Text(filler), PIXEL] if number == 1 else f"Page {number}. {filler}"

    async with reading(database, data_dir, look_up, SqlMemories(database, ignore)) as life:
        await read_to_the_end(life)
    assert given
    assert all(isinstance(one, str) and one.startswith("Page ") for one in given)


def test_C8_a_tool_of_a_subject_gives_it_to_its_memory() -> None:
    def recall(subject: str, result: JsonValue) -> str:
        return f"{subject}: {result}"

    @tool(of=str, memory=recall)
    async def look_up(subject: str) -> str:
        """Look up."""
        return subject

    bound = look_up.about("Adding").memory
    assert bound is not None
    assert bound("weak") == "Adding: weak"
