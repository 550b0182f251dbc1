"""Words to the learner behind a screen: T8, T9 and H2 of the learning rules, through the real loop."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from harness.loop.scripted_turn import QUICK, ScriptedTurn, policy_with, run_script, visible_text
from sprout.events import EVENT, Event
from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.secret import build_secret
from sprout.learning.questions.questions import QuestionDraft
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.resume.state import ResumeState
from sprout.loop.state import TurnState
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import MessageAdded
from sprout.offline.script import Reply, TextOut, ThinkingOut, ToolOut

QUESTION = QuestionDraft("Which gas do plants take in?", "open_ended", "carbon dioxide", 2, ("Gas",))
LEAK = "You are close to it already. It is carbon dioxide, of course. Now go on."
FINE = "You are close to it already. Look again at what the leaf takes from the air. Now go on."


def a_saying() -> LeakFilter:
    return LeakFilter(build_secret(QUESTION))


def asking(asked: list[str]) -> Tool:
    @tool(effect=Effect.WRITE, ends_turn=True, spoken="message", secret=frozenset({"answer"}))
    async def ask(message: str, question: str, answer: str = "") -> str:
        """Ask."""
        asked.append(message)
        return "asked"

    return ask


async def heard(*replies: Reply, asked: list[str] | None = None, **more: Any) -> ScriptedTurn:
    return await run_script(
        list(replies), voice="message", output_filter=a_saying, tools=[asking([] if asked is None else asked)], **more
    )


def in_all(events: Sequence[Event], words: str) -> list[str]:
    """The events that hold these words, however their letters are written."""
    dumped = [json.dumps(EVENT.dump_python(event, mode="json"), ensure_ascii=False) for event in events]
    return [one for one in dumped if words in one.lower()]


async def test_H2_a_reply_that_leaks_is_withdrawn_and_asked_for_again_with_the_form_of_the_leak() -> None:
    turn = await heard(Reply([TextOut(LEAK)]), Reply([TextOut(FINE)]))
    assert in_all(turn.events, "carbon dioxide") == []
    assert visible_text(turn.events) == FINE[: len(visible_text(turn.events))]
    assert [event.text for event in turn.of_kind("message")] == [FINE]
    assert turn.result.text == FINE
    assert turn.result.withheld is None
    (correction,) = turn.sent(1)[-1]["content"]
    assert correction["text"] == notice("withheld", form="exact")
    assert "carbon" not in json.dumps(turn.sent(1))
    assert turn.result.transitions == ("stop_hook_correction", "end_turn")


async def test_H2_what_was_shown_before_the_leak_is_reset() -> None:
    turn = await heard(Reply([TextOut(LEAK)]), Reply([TextOut(FINE)]))
    reset = turn.of_kind("message_reset")
    assert [event.block_id for event in reset] == [turn.of_kind("message_delta")[0].block_id]


async def test_H2_twice_is_enough_then_the_run_ends_and_the_agent_is_told() -> None:
    leaking = [Reply([TextOut(LEAK)]) for _ in range(4)]
    turn = await heard(*leaking)
    assert len(turn.requests) == 3
    assert turn.result.reason == "end_turn"
    assert turn.result.withheld == "exact"
    assert turn.result.text == ""
    assert in_all(turn.events, "carbon dioxide") == []
    assert visible_text(turn.events) == ""
    assert turn.of_kind("message") == []


async def test_T8_a_call_whose_words_leak_is_not_run_and_its_result_says_so() -> None:
    asked: list[str] = []
    turn = await heard(
        Reply([ToolOut("ask", {"message": LEAK, "question": "Why?"})]),
        Reply([ToolOut("ask", {"message": FINE, "question": "Why?"})]),
        asked=asked,
    )
    assert asked == [FINE]
    first, second = turn.result.calls
    assert (first.is_error, first.result) == (True, notice("withheld_call", form="exact"))
    assert not second.is_error
    assert in_all(turn.events, "carbon dioxide") == []
    assert len(turn.requests) == 2
    assert [event.text for event in turn.of_kind("message")] == [FINE]


async def test_T8_words_of_a_call_that_failed_are_withdrawn() -> None:
    turn = await heard(
        Reply([ToolOut("ask", {"message": FINE})]),
        Reply([ToolOut("ask", {"message": FINE, "question": "Why?"})]),
    )
    first, second = turn.of_kind("message")
    assert first.text == second.text == FINE
    assert [event.block_id for event in turn.of_kind("message_reset")] == [first.block_id]
    assert turn.result.reason == "end_turn"


@pytest.mark.parametrize("sort", ["text", "spoken"])
async def test_T9_words_are_streamed_a_sentence_at_a_time_behind_the_screen(sort: str) -> None:
    reply = Reply([TextOut(FINE)] if sort == "text" else [ToolOut("ask", {"message": FINE, "question": "Why?"})])
    turn = await heard(reply)
    pieces = [event.text for event in turn.of_kind("message_delta")]
    assert len(pieces) > 1
    assert "".join(pieces) == FINE[: len("".join(pieces))]
    (message,) = turn.of_kind("message")
    assert message.text == FINE


@pytest.mark.parametrize("sort", ["text", "spoken"])
async def test_T9_a_leak_is_found_wherever_the_words_are_cut(sort: str) -> None:
    """The wire cuts the reply into pieces of any size; here each letter is one, escapes included."""
    raw = json.dumps({"message": LEAK, "question": "Why?"}, ensure_ascii=True)
    screen = a_saying()
    assert (
        "".join(screen.feed(letter) for letter in LEAK) + screen.end()
        == "You are close to it already."[: len(screen.recent_text)]
    )
    reply = Reply([TextOut(LEAK)] if sort == "text" else [ToolOut("ask", raw_json=raw)])
    turn = await heard(reply, Reply([TextOut(FINE)]))
    assert in_all(turn.events, "dioxide") == []


async def test_H2_a_leak_in_two_blocks_of_one_reply_is_one_leak() -> None:
    parts = Reply([TextOut("What they take in is carbon\n"), TextOut("dioxide, and nothing else.")])
    turn = await heard(parts, Reply([TextOut(FINE)]))
    assert in_all(turn.events, "dioxide") == []
    assert turn.result.transitions == ("stop_hook_correction", "end_turn")


async def test_H2_nothing_but_words_tells_the_answer_either() -> None:
    """Thoughts, the inputs of calls, names of tools that there are not, and what they are told."""
    turn = await heard(
        Reply(
            [
                ThinkingOut("The answer is carbon dioxide."),
                ToolOut("ask", {"question": "Is it carbon dioxide?", "message": FINE, "more": "carbon dioxide"}),
                ToolOut("carbon dioxide", {"it": "is carbon dioxide"}),
            ]
        ),
        Reply([TextOut(FINE)]),
    )
    assert in_all(turn.events, "carbon") == []
    assert turn.of_kind("thinking") == []
    called = turn.of_kind("tool_call")
    assert [call.tool for call in called] == ["ask", "(not shown)"]
    assert called[0].input == {}


async def test_T8_after_a_call_that_speaks_nothing_more_is_said() -> None:
    """Its question may be answered by the words that would follow."""
    asked: list[str] = []
    turn = await heard(
        Reply(
            [
                ToolOut("ask", {"message": FINE, "question": "What is two and two?"}),
                TextOut("It is four, by the way, as everybody knows."),
                ToolOut("ask", {"message": "Four it is, as I said before.", "question": "And now?"}),
            ]
        ),
        Reply([TextOut(FINE)]),
        asked=asked,
    )
    assert asked == [FINE]
    assert in_all(turn.events, "four") == []
    assert [call.is_error for call in turn.result.calls] == [False, True]


async def test_H2_a_reply_that_was_withheld_stays_so_after_a_crash() -> None:
    asked: list[str] = []
    turn = await heard(Reply([ToolOut("ask", {"message": LEAK, "question": "Why?"})]), Reply([TextOut(FINE)]))
    added = next(step for step in turn.steps if isinstance(step, MessageAdded))
    assert added.stop_reason == "withheld"
    begin = Message("user", (Text("Begin."),))
    (call,) = (block for block in added.message.content if isinstance(block, ToolUse))
    again = await heard(
        Reply([TextOut(FINE)]),
        asked=asked,
        messages=(begin, added.message),
        resume=ResumeState(TurnState(iterations=1, phase="replied"), stop_reason=added.stop_reason),
    )
    assert asked == []
    assert in_all(again.events, "dioxide") == []
    assert [record.id for record in again.result.calls if record.is_error] == [call.id]


async def test_a_turn_without_a_screen_is_told_as_it_is_written() -> None:
    turn = await run_script([Reply([TextOut(LEAK)])], voice="message", policy=policy_with(QUICK))
    assert visible_text(turn.events) == LEAK
