"""Declaring tools, the policy, stopping, and the view of a transcript."""

import asyncio
import itertools
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sprout.loop.context.normalisation import normalised
from sprout.loop.model import Block, Message, Text, ToolResult, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop, Stopped
from sprout.loop.tool_calls.name_repair import nearest_tool
from sprout.loop.tools import BadTool, Effect, Tool, tool


def test_T1_a_tool_is_made_of_a_function_its_types_and_its_docstring() -> None:
    @tool(effect=Effect.WRITE)
    async def note(text: str, call: ToolUse, stars: int = 1) -> str:
        """Write a note."""
        return f"{call.id} {text} {stars}"

    assert note.spec.name == "note"
    assert note.spec.description == "Write a note."
    assert set(note.spec.schema["properties"]) == {"text", "stars"}  # type: ignore[arg-type]
    assert note.spec.schema["required"] == ["text"]
    assert not note.retryable


def test_T1_a_tool_that_is_declared_anew_with_other_parameters_has_a_schema_of_its_own() -> None:
    def declare(hint: type, default: object) -> Tool:
        @tool()
        async def note(text: hint = default) -> str:  # type: ignore[valid-type]
            """Write a note."""
            return str(text)

        return note

    first, same, other_type, other_default = declare(str, ""), declare(str, ""), declare(int, ""), declare(str, "none")
    assert same.input_model is first.input_model
    assert same.function is not first.function
    assert other_type.schema != first.schema
    assert other_default.schema != first.schema
    assert other_default.checked(ToolUse("id", "note", {})).model_dump() == {"text": "none"}


def test_T1_a_tool_whose_schema_cannot_be_made_fails_when_it_is_made() -> None:
    with pytest.raises(BadTool, match="mystery"):

        @tool()
        async def mystery(thing: asyncio.Event) -> str:
            """No JSON has events."""
            return str(thing)


def test_a_tool_without_a_description_is_refused() -> None:
    with pytest.raises(BadTool, match="nameless"):

        @tool()
        async def nameless() -> str:
            return ""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_iterations", 0),
        ("compaction_threshold", 1.2),
        ("max_identical_batches", 0),
        ("tool_attempts", -1),
        ("jitter", -0.1),
        ("stream_idle_s", 0),
        ("no_such_number", 1),
    ],
)
def test_a_policy_with_nonsense_is_refused_when_it_is_made(field: str, value: float) -> None:
    with pytest.raises(ValidationError, match=field):
        LoopPolicy.model_validate({field: value})


@pytest.mark.parametrize(
    ("name", "meant"), [("look", True), ("lok", True), ("looks", True), ("kool", True), ("kols", False), ("", False)]
)
def test_a_name_is_repaired_within_an_edit_distance_of_two(name: str, meant: bool) -> None:
    @tool()
    async def look(at: str) -> str:
        """Look."""
        return at

    assert nearest_tool(ToolUse("1", name, {"at": "a"}), {"look": look}) is (look if meant else None)


@pytest.mark.parametrize(("other", "meant"), [("lock", False), ("loop", False), ("search", True)])
def test_a_name_near_two_tools_is_not_repaired(other: str, meant: bool) -> None:
    @tool()
    async def look(at: str) -> str:
        """Look."""
        return at

    tools = {"look": look, other: replace(look, name=other)}
    assert nearest_tool(ToolUse("1", "lok", {"at": "a"}), tools) is (look if meant else None)


async def test_a_guarded_wait_is_left_when_a_stop_is_asked_for() -> None:
    stop = Stop()
    waiting = asyncio.create_task(stop.guard(asyncio.Event().wait()))
    await asyncio.sleep(0)
    stop.request()
    with pytest.raises(Stopped):
        await waiting
    with pytest.raises(Stopped):
        await stop.guard(asyncio.sleep(0))


async def test_a_cancelled_task_stays_cancelled_whatever_the_stop_says() -> None:
    stop = Stop()
    waiting = asyncio.create_task(stop.guard(asyncio.Event().wait()))
    await asyncio.sleep(0)
    stop.request()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


IDS = st.sampled_from(["a", "b", "c"])
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(Text, st.sampled_from(["", " ", "words"])),
    st.builds(ToolUse, IDS, st.just("look"), st.just({})),
    st.builds(ToolResult, IDS, st.just("seen")),
)


def sensible(role: str, blocks: list[Block]) -> Message:
    """A message as some run may have left it: calls only from the assistant, each once, results only from the user."""
    unique: dict[object, Block] = {}
    for block in blocks:
        if isinstance(block, ToolUse) == (role == "assistant") or isinstance(block, Text):
            unique[block.id if isinstance(block, ToolUse) else block] = block
    return Message("assistant" if role == "assistant" else "user", tuple(unique.values()))


TRANSCRIPTS = st.lists(
    st.builds(sensible, st.sampled_from(["user", "assistant"]), st.lists(BLOCKS, max_size=4)), max_size=8
)


@given(TRANSCRIPTS)
def test_L3_calls_and_results_pair_one_to_one_and_adjacent_whatever_happened(transcript: list[Message]) -> None:
    view = normalised(transcript)
    for before, after in itertools.pairwise(view):
        assert before.role != after.role
    for position, message in enumerate(view):
        assert message.content
        calls = [block.id for block in message.content if isinstance(block, ToolUse)]
        if calls:
            following = view[position + 1]
            results = [block.call_id for block in following.content if isinstance(block, ToolResult)]
            assert results == calls
            assert all(isinstance(block, ToolResult) for block in following.content[: len(calls)])
        if message.role == "user":
            answered = view[position - 1].content if position else ()
            allowed = {block.id for block in answered if isinstance(block, ToolUse)}
            assert {block.call_id for block in message.content if isinstance(block, ToolResult)} <= allowed


@dataclass
class Garden:
    planted: list[str]


@tool(of=Garden)
async def plant(garden: Garden, what: str) -> str:
    """Plant something."""
    garden.planted.append(what)
    return f"{len(garden.planted)} planted"


async def test_a_tool_that_is_about_something_is_declared_once_and_its_subject_is_no_input() -> None:
    front, back = Garden([]), Garden(["a tree"])
    for garden, says in ((front, "1 planted"), (back, "2 planted")):
        its_own = plant.about(garden)
        assert its_own.schema is plant.schema
        call = ToolUse("1", "plant", {"what": "beans"})
        assert await its_own.run(its_own.checked(call), call) == says
    assert (front.planted, back.planted) == (["beans"], ["a tree", "beans"])
    assert list(plant.input_model.model_fields) == ["what"]


def test_a_tool_that_does_not_take_its_subject_first_cannot_be_declared() -> None:
    async def water(much: int, garden: Garden) -> str:
        """Water everything."""
        return f"{much} for {garden.planted}"

    with pytest.raises(BadTool, match="its first parameter is no Garden"):
        tool(of=Garden)(water)


def test_a_tool_is_about_what_it_was_declared_for_and_nothing_else() -> None:
    with pytest.raises(BadTool, match="is about a Garden, not about a str"):
        plant.about("a garden")
    with pytest.raises(BadTool, match="is about nothing, not about a Garden"):
        plant.about(Garden([])).about(Garden([]))
