"""What a later carrier of a run knows of the earlier ones: limits, circles, endings, the view (traps 7, 42, 60)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sprout.events import ReasoningDelta, Usage
from sprout.loop.human import answered
from sprout.loop.model import Message, Text, Thinking, ToolResult, ToolUse
from sprout.loop.notices import is_notice, notice
from sprout.loop.recalled import BegunCall, KeptCall, KeptMessages, recalled, reply_of
from sprout.loop.result import CallStarted, Compacted, MessageAdded, Step
from sprout.loop.stop import Stop
from sprout.loop.strategy import Summarize
from sprout.loop.summary import SummaryResult
from sprout.loop.turn import run_turn
from tests.loop.carriers import Carrying, Keep, Say, Scripted, Story, World, call, carried_through, tools_of
from tests.loop.played import BEGIN, Played, changed
from tests.loop.played import told as sorted_out
from tests.loop.stories import STORIES

FINISHED = [name for name in STORIES if name not in ("in circles", "permission", "out of iterations", "out of money")]


async def died_after(story: Story, kind: type[MessageAdded | Compacted], *, last: bool = True) -> Carrying:
    """The story, whose first carrier died right after its last (or first) step of that kind was stored."""
    whole = await carried_through(story)
    found = [at for at, step in enumerate(whole.carrying.steps[0], 1) if isinstance(step, kind)]
    carrying = Carrying(story)
    assert await carrying.carry(dies_after=found[-1] if last else found[0]) is None
    return carrying


@pytest.mark.parametrize("name", FINISHED)
async def test_a_conversation_that_is_complete_ends_as_it_would_have_without_another_call(name: str) -> None:
    whole = await carried_through(STORIES[name])
    carrying = await died_after(STORIES[name], MessageAdded)
    result = await carrying.carry()
    assert result is not None
    assert (result.reason, result.text, result.problems) == (
        whole.result.reason,
        whole.result.text,
        whole.result.problems,
    )
    assert carrying.requests[-1] == []


async def test_the_same_view_is_sent_after_a_compaction_and_it_is_not_paid_again() -> None:
    story = STORIES["made smaller"]
    whole = await carried_through(story)
    sent = whole.carrying.requests[0]
    compacted = next(step for step in whole.carrying.steps[0] if isinstance(step, Compacted))
    for at, step in enumerate(whole.carrying.steps[0], 1):
        match step:
            case Compacted(iteration=iteration):
                following = iteration
            case MessageAdded(message=Message(role="user"), iteration=iteration) if iteration >= compacted.iteration:
                following = iteration + 1
            case _:
                continue
        carrying = Carrying(story)
        await carrying.carry(dies_after=at)
        assert await carrying.carry() is not None
        assert carrying.requests[1][0].messages == sent[following - 1].messages
        assert carrying.world.summaries == whole.carrying.world.summaries == 1


async def test_trap_42_the_task_stands_first_in_a_view_that_was_taken_up() -> None:
    carrying = await died_after(STORIES["made smaller"], Compacted)
    assert await carrying.carry() is not None
    assert carrying.requests[1][0].messages[0].content[0] == BEGIN[0].content[0]


async def test_H2_thinking_of_an_earlier_carrier_is_not_sent_and_stays_in_the_transcript() -> None:
    carrying = await died_after(STORIES["thinking"], MessageAdded, last=False)
    result = await carrying.carry()
    assert result is not None
    assert not thinks(carrying.requests[1][0].messages)
    assert thinks(result.messages)


def thinks(messages: Sequence[Message]) -> bool:
    return any(isinstance(block, Thinking) for message in messages for block in message.content)


@pytest.mark.parametrize(("elapsed_s", "reason"), [(899.0, "end_turn"), (900.0, "soft_limit")])
async def test_trap_60_the_time_of_earlier_carriers_counts_and_the_time_between_them_does_not(
    elapsed_s: float, reason: str
) -> None:
    carrying = Carrying(Story([Say([Text("Done.")])]))
    carrying.keep.elapsed_s = elapsed_s
    carrying.world.clock.now_s = 1e6
    result = await carrying.carry()
    assert result is not None
    assert result.reason == reason


async def test_trap_7_a_budget_that_is_nearly_spent_stays_so() -> None:
    carrying = Carrying(Story([Say([call("save", "a")])], policy=changed(max_run_tokens=10_000)))
    carrying.keep.usage = Usage(input_tokens=9_990)
    result = await carrying.carry()
    assert result is not None
    assert (result.reason, result.iterations, carrying.requests[0]) == ("budget", 1, [])
    assert result.usage.input_tokens == 9_990


async def test_trap_7_iterations_are_counted_on() -> None:
    carrying = Carrying(Story([Say([call("save", f"{at}")]) for at in range(9)], policy=changed(max_iterations=3)))
    for _ in range(3):
        whole_reply = 6
        await carrying.carry(dies_after=whole_reply)
    result = await carrying.carry()
    assert result is not None
    assert (result.reason, result.iterations, carrying.requests[-1]) == ("max_iterations", 3, [])


async def test_trap_7_the_ladder_stands_where_it_stood_and_its_rungs_are_told_once() -> None:
    story = STORIES["in circles"]
    whole = await carried_through(story)
    levels = [event.level for event in whole.carrying.keep.events if event.kind == "guardrail"]
    carrying, result = Carrying(story), None
    while result is None:
        result = await carrying.carry(dies_at=_second_reply())
    assert len(carrying.steps) >= 4
    assert [event.level for event in carrying.keep.events if event.kind == "guardrail"] == levels == [1, 2, 3]
    assert result.question == whole.result.question


def _second_reply() -> Callable[[Step], bool]:
    """Whether a step begins the second reply that a carrier hears."""
    replies = iter(range(99))
    return lambda step: isinstance(step, ReasoningDelta) and next(replies) == 1


async def test_a_person_who_said_how_to_go_on_is_not_asked_again() -> None:
    carrying = Carrying(STORIES["in circles"])
    result = await carrying.carry()
    assert result is not None
    assert result.question is not None
    answer = answered(result.question, "Keep going")
    assert isinstance(answer, Text)
    carrying.keep.take(MessageAdded(Message("user", (answer,)), result.iterations))
    again = await carrying.carry()
    assert again is not None
    assert len(carrying.requests[1]) > 0


async def test_E1_a_call_tells_what_the_reply_said_before_it_and_whether_it_may_begin_again() -> None:
    script = [Say([Text("One."), call("summon"), Text("Two."), call("look", "a"), Text(" "), call("send", "b")])]
    end = await carried_through(Story([*script, Say([Text("Done.")])]))
    started = [step for step in end.carrying.steps[0] if isinstance(step, CallStarted)]
    assert [(step.call.name, [text.text for text in step.said], step.repeatable) for step in started] == [
        ("look", ["One.", "Two."], True),
        ("send", [], False),
    ]
    assert {step.iteration for step in started} == {1}


async def test_each_reply_tells_why_it_ended() -> None:
    end = await carried_through(STORIES["truncated in a call"])
    added = [step for step in end.carrying.steps[0] if isinstance(step, MessageAdded)]
    assert [step.stop_reason for step in added if step.message.role == "assistant"] == [
        "max_tokens_in_a_call",
        "end_turn",
        "end_turn",
    ]
    assert {step.stop_reason for step in added if step.message.role == "user"} == {None}


async def test_trap_17_a_call_whose_input_could_not_be_read_is_not_run_by_a_later_carrier() -> None:
    whole = await carried_through(STORIES["calls that are not run"])
    for at, step in enumerate(whole.carrying.steps[0], 1):
        if isinstance(step, MessageAdded) and step.message.role == "assistant":
            carrying = Carrying(STORIES["calls that are not run"])
            await carrying.carry(dies_after=at)
            assert await carrying.carry() is not None
            assert not any(what.startswith("nothing") for what in carrying.world.reads)


def test_K8_a_reply_is_put_together_from_its_calls_and_their_words() -> None:
    first, second = ToolUse("a", "look", {"what": "x"}), ToolUse("b", "send", {"what": "y"})
    reply = reply_of([BegunCall(first, (Text("One."), Text("Two."))), BegunCall(second)])
    assert reply == Message("assistant", (Text("One."), Text("Two."), first, second))


def test_K6_what_ended_is_known_what_reads_begins_again_and_a_change_is_in_doubt() -> None:
    calls = [
        KeptCall("a", "look", '{"what": "x"}', 1, '["So."]', safe=True, result="seen x"),
        KeptCall("b", "look", '{"what": "y"}', 1, "[]", safe=True),
        KeptCall("c", "send", '{"what": "z"}', 1, "[]", safe=False),
    ]
    stood = recalled([KeptMessages("input", 0, "[]")], calls, usage=Usage(output_tokens=3))
    assert stood.known == (ToolResult("a", "seen x"),)
    assert [use.id for use in stood.open_calls] == ["b", "c"]
    assert [use.id for use in stood.in_doubt] == ["c"]
    assert stood.messages[-1].content[0] == Text("So.")
    assert (stood.carried.iterations, stood.carried.reply_is_new, stood.carried.usage.output_tokens) == (1, True, 3)


def test_a_run_of_which_nothing_is_kept_begins_at_its_beginning() -> None:
    stood = recalled([], [])
    assert (stood.messages, stood.known, stood.open_calls, stood.carried.iterations) == ((), (), (), 0)


async def test_a_stop_in_the_middle_of_a_summary_is_heard_at_once_and_asks_nothing_more() -> None:
    stop, began = Stop(), asyncio.Event()

    async def summarise(messages: Sequence[Message]) -> SummaryResult:
        began.set()
        await asyncio.Event().wait()
        return SummaryResult(None)

    story = Story(STORIES["made smaller"].script, policy=changed(keep_compact=1), result="seen" + " leaf" * 400)
    played, asked_after = await _stopped(story, stop, began, summarise=summarise, strategy=Summarize(2_000))
    assert (played.result.reason, played.result.failure, asked_after) == ("cancelled", None, 0)


async def _stopped(story: Story, stop: Stop, began: asyncio.Event, **arguments: Any) -> tuple[Played, int]:
    """A run that is asked to stop once something has begun, and how often it asked the model after that."""
    keep = Keep()
    model = Scripted(story.script, keep)
    tools = tools_of(World(), keep, result=story.result)
    turn = run_turn(
        model, model_name="m", system="s", messages=BEGIN, tools=tools, policy=story.policy, stop=stop, **arguments
    )
    steps: list[Step] = []

    async def read() -> None:
        async for step in turn:
            keep.take(step)
            steps.append(step)

    reading = asyncio.create_task(read())
    await asyncio.wait_for(began.wait(), 5)
    asked = len(model.requests)
    stop.request()
    await asyncio.wait_for(reading, 1)
    return sorted_out(steps), len(model.requests) - asked


def test_a_notice_is_told_from_other_words_whatever_it_was_filled_with() -> None:
    asked = notice("person_answered", question="Which (of {two})?\nSo?", answer="This.")
    assert is_notice("person_answered", asked)
    assert not is_notice("person_answered", f"{asked[1:]}")
    assert not is_notice("go_on", asked)
