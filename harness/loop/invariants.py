"""Whatever a model and its tools may do in a run, and what must hold of the run all the same."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from harness.loop.sample_tools import PICTURE, SameIdModel
from harness.loop.scripted_turn import BEGIN, ScriptedTurn, policy_with, run_script, visible_blocks
from sprout.errors import ToolFailure
from sprout.loop.model import Image, Message, Text, ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import StopReason
from sprout.offline.script import Reply, Step, TextOut, ThinkingOut, ToolOut

WORDS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["", " \n", "Plain words. ", "½ \U0001f33f e\u0301 \u202e", "word " * 60]),
)
NAMES = ["look", "keep", "flaky", "broken", "slow", "huge", "draw", "lok", "kep", "summon_an_owl"]
CALLS = st.one_of(
    st.builds(ToolOut, st.sampled_from(NAMES), st.fixed_dictionaries({"at": st.sampled_from("abc")})),
    st.builds(ToolOut, st.sampled_from(NAMES), st.sampled_from([{}, {"at": 3}, {"at": "a", "more": [None]}])),
    st.builds(ToolOut, st.sampled_from(NAMES), raw_json=st.sampled_from(['{"at": ', "[1]", '"a"', "null", "{}x"])),
)
BLOCKS = st.lists(st.one_of(st.builds(TextOut, WORDS), st.builds(ThinkingOut, WORDS), CALLS, CALLS), max_size=4)
ENDS: st.SearchStrategy[StopReason | None] = st.sampled_from(
    [None, None, None, None, "max_tokens", "pause_turn", "refusal", "stop_sequence", "model_context_window_exceeded"]
)
BROKEN = st.sampled_from(["cut", "reset", "error_event"])
SPOILT = st.sampled_from(
    [
        "rate_limited",
        "overloaded",
        "server_error",
        "bad_gateway_html",
        "reset",
        "truncated_text",
        "truncated_tool_json",
        "misspelled_tool",
        "unknown_tool",
        "invalid_tool_input",
        "malformed_tool_json",
        "identical_calls",
        "varying_calls",
        "window_exceeded",
        "request_too_large",
        "empty_reply",
    ]
)


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    """A reply as a server could send it: one that ends by itself has no open call, and one that is paused has words."""
    blocks, end = draw(BLOCKS), draw(ENDS)
    if end in ("refusal", "stop_sequence"):
        blocks = [block for block in blocks if not isinstance(block, ToolOut)]
    if end == "pause_turn":
        words = [block for block in blocks if isinstance(block, TextOut) and block.text.strip()]
        blocks = [*words, TextOut("And on.")]
    return Reply(blocks, stop_reason=end)


STEPS: st.SearchStrategy[Step] = st.one_of(
    replies(),
    replies(),
    replies(),
    st.builds(Fault, BROKEN, after_events=st.integers(0, 25), reply=replies()),
    st.builds(Fault, SPOILT, reply=replies()),
)
TOO_MUCH = ("window_exceeded", "request_too_large")


def pauses(step: Step) -> bool:
    reply = step.reply if isinstance(step, Fault) else step
    return isinstance(reply, Reply) and reply.stop_reason == "pause_turn"


def makes_smaller(step: Step) -> bool:
    """Return True if the view is rewritten after this step."""
    if isinstance(step, Fault) and step.scenario in TOO_MUCH:
        return True
    reply = step.reply if isinstance(step, Fault) else step
    return isinstance(reply, Reply) and reply.stop_reason == "model_context_window_exceeded"


def is_playable(script: Sequence[Step]) -> bool:
    """A turn that was paused can be continued only on the very conversation that it was paused in."""
    return not (any(map(pauses, script)) and any(map(makes_smaller, script)))


SCRIPTS = st.lists(STEPS, max_size=9).filter(is_playable)


@dataclass
class Ran:
    """Number of executions of each call, by its id."""

    writes: Counter[str] = field(default_factory=Counter)
    reads: Counter[str] = field(default_factory=Counter)


def tools_of_all_kinds(ran: Ran) -> list[Tool]:
    """One tool for each thing that a tool may do."""

    @tool(repeatable=True)
    async def look(at: str, call: ToolUse) -> str:
        """Go well."""
        ran.reads[call.id] += 1
        return f"seen {at}"

    @tool(effect=Effect.WRITE)
    async def keep(at: str, call: ToolUse) -> dict[str, str]:
        """Change something."""
        ran.writes[call.id] += 1
        return {"kept": at}

    @tool()
    async def flaky(at: str, call: ToolUse) -> str:
        """Fail once, and pass."""
        ran.reads[call.id] += 1
        if ran.reads[call.id] == 1:
            raise ToolFailure("busy", transient=True)
        return at

    @tool(effect=Effect.WRITE)
    async def broken(at: str, call: ToolUse) -> str:
        """Break in the middle of a change."""
        ran.writes[call.id] += 1
        raise ConnectionError(at)

    @tool()
    async def slow(at: str, call: ToolUse) -> str:
        """Let others go first."""
        for _ in range(20):
            await asyncio.sleep(0)
        return at

    @tool()
    async def huge(at: str, call: ToolUse) -> str:
        """Say more than anyone wants to know."""
        return at * 60_000

    @tool()
    async def draw(at: str, call: ToolUse) -> tuple[Text, Image]:
        """Give a picture, with no words to it."""
        return Text(""), Image("image/png", PICTURE)

    return [look, keep, flaky, broken, slow, huge, draw]


async def run_and_check(script: Sequence[Step], *, thinks: bool, renames: bool) -> ScriptedTurn:
    """Play a script, and check what must hold of every run. `played` refuses a request that is not valid.

    Args:
        renames: all calls of the model have the same id.
    """
    ran = Ran()
    tools = tools_of_all_kinds(ran)
    play = await run_script(
        script,
        tools=tools,
        policy=policy_with(tool_result_max_bytes=5_000, max_iterations=12, overload_retries=4),
        model_name="claude-sonnet-5-5" if thinks else "sprout-offline",
        through=SameIdModel if renames else (lambda model: model),
    )
    assert_nothing_ran_twice(play, ran)
    assert_no_text_lost_or_doubled(play)
    assert play.result.transitions[-1] == play.result.reason
    again = await run_script([], tools=tools, messages=[*play.result.messages, *BEGIN])
    assert again.result.reason == "end_turn"
    return play


def assert_nothing_ran_twice(play: ScriptedTurn, ran: Ran) -> None:
    """Every call has an id of its own, ran at most once if it changes something, and stands in the transcript."""
    calls = [block.id for message in play.result.messages for block in message.content if isinstance(block, ToolUse)]
    assert len(calls) == len(set(calls))
    assert set(ran.writes.values()) <= {1}
    assert set(ran.writes) | set(ran.reads) <= set(calls)
    assert sorted(record.id for record in play.result.calls) == sorted(calls)


def assert_no_text_lost_or_doubled(play: ScriptedTurn) -> None:
    """Assert that the displayed text equals the transcript block for block, and that the result is its end.

    Blocks of white space are left out: a provider takes none at the end of a reply.
    """
    shown = visible_blocks(play.events)
    visible_texts = [text for text in shown.values() if text.strip()]
    assert visible_texts == [text for text in stored_texts(play.result.messages[1:]) if text.strip()]
    assert without_space("".join(visible_texts)).endswith(without_space(play.result.text))
    whole = {event.block_id: event.text for event in play.of_kind("agent_reasoning")}
    assert {block_id: whole[block_id] for block_id in shown} == shown


def without_space(text: str) -> str:
    return "".join(text.split())


def stored_texts(messages: Sequence[Message]) -> list[str]:
    return [
        block.text
        for message in messages
        if message.role == "assistant"
        for block in message.content
        if isinstance(block, Text)
    ]
