"""State that a later worker of a run has from the earlier ones: limits, loops, endings, view (traps 7, 42, 60)."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from harness.loop.scripted_turn import BEGIN, Arguments, ScriptedTurn, grouped, policy_with
from harness.loop.scripted_turn import sort_steps as sorted_out
from sprout.events import ReasoningDelta, Usage
from sprout.loop.context.strategy import Summarize
from sprout.loop.context.summary import SummaryResult
from sprout.loop.encoding.message_codec import DecodingError, messages_as_json
from sprout.loop.human import answer_block
from sprout.loop.model import Message, Text, Thinking, ToolResult, ToolUse
from sprout.loop.resume.resume_point import CallEnvelope, MessageCheckpoint, StartedCall, partial_reply, resume_point
from sprout.loop.stop import Stop
from sprout.loop.turn import run_turn
from sprout.loop.turn_steps import CallStarted, MessageAdded, Step, ViewCompacted
from tests.loop.resume.crashing_run import (
    CrashingRun,
    Scripted,
    ScriptedReply,
    StoredRun,
    Story,
    World,
    call,
    run_through_crashes,
    tools_of,
)
from tests.loop.resume.stories import STORIES

FINISHED = [name for name in STORIES if name not in ("in circles", "permission", "out of iterations", "out of money")]


async def died_after(story: Story, kind: type[MessageAdded | ViewCompacted], *, last: bool = True) -> CrashingRun:
    """The story, whose first worker died right after its last (or first) step of that kind was stored."""
    whole = await run_through_crashes(story)
    found = [at for at, step in enumerate(whole.run.steps[0], 1) if isinstance(step, kind)]
    crashing_run = CrashingRun(story)
    assert await crashing_run.run_worker(dies_after=found[-1] if last else found[0]) is None
    return crashing_run


@pytest.mark.parametrize("name", FINISHED)
async def test_a_conversation_that_is_complete_ends_as_it_would_have_without_another_call(name: str) -> None:
    whole = await run_through_crashes(STORIES[name])
    crashing_run = await died_after(STORIES[name], MessageAdded)
    result = await crashing_run.run_worker()
    assert result is not None
    assert (result.reason, result.text, result.problems) == (
        whole.result.reason,
        whole.result.text,
        whole.result.problems,
    )
    assert crashing_run.requests[-1] == []


async def test_the_same_view_is_sent_after_a_compaction_and_it_is_not_paid_again() -> None:
    story = STORIES["made smaller"]
    whole = await run_through_crashes(story)
    sent = whole.run.requests[0]
    compacted = next(step for step in whole.run.steps[0] if isinstance(step, ViewCompacted))
    for at, step in enumerate(whole.run.steps[0], 1):
        match step:
            case ViewCompacted(iteration=iteration):
                following = iteration
            case MessageAdded(message=Message(role="user"), iteration=iteration) if iteration >= compacted.iteration:
                following = iteration + 1
            case _:
                continue
        crashing_run = CrashingRun(story)
        await crashing_run.run_worker(dies_after=at)
        assert await crashing_run.run_worker() is not None
        assert crashing_run.requests[1][0].messages == sent[following - 1].messages
        assert crashing_run.world.summaries == whole.run.world.summaries == 1


async def test_trap_42_the_task_stands_first_in_a_view_that_was_taken_up() -> None:
    crashing_run = await died_after(STORIES["made smaller"], ViewCompacted)
    assert await crashing_run.run_worker() is not None
    assert crashing_run.requests[1][0].messages[0].content[0] == BEGIN[0].content[0]


async def test_H2_thinking_of_an_earlier_worker_is_not_sent_and_stays_in_the_transcript() -> None:
    crashing_run = await died_after(STORIES["thinking"], MessageAdded, last=False)
    result = await crashing_run.run_worker()
    assert result is not None
    assert not thinks(crashing_run.requests[1][0].messages)
    assert thinks(result.messages)


def thinks(messages: Sequence[Message]) -> bool:
    return any(isinstance(block, Thinking) for message in messages for block in message.content)


@pytest.mark.parametrize(("elapsed_s", "reason"), [(899.0, "end_turn"), (900.0, "soft_limit")])
async def test_trap_60_the_time_of_earlier_workers_counts_and_the_time_between_them_does_not(
    elapsed_s: float, reason: str
) -> None:
    crashing_run = CrashingRun(Story([ScriptedReply([Text("Done.")])]))
    crashing_run.stored.elapsed_s = elapsed_s
    crashing_run.world.clock.now_s = 1e6
    result = await crashing_run.run_worker()
    assert result is not None
    assert result.reason == reason


async def test_trap_7_a_budget_that_is_nearly_spent_stays_so() -> None:
    crashing_run = CrashingRun(Story([ScriptedReply([call("save", "a")])], policy=policy_with(max_run_tokens=10_000)))
    crashing_run.stored.usage = Usage(input_tokens=9_990)
    result = await crashing_run.run_worker()
    assert result is not None
    assert (result.reason, result.iterations, crashing_run.requests[0]) == ("budget", 1, [])
    assert result.usage.input_tokens == 9_990


async def test_trap_7_iterations_are_counted_on() -> None:
    crashing_run = CrashingRun(
        Story([ScriptedReply([call("save", f"{at}")]) for at in range(9)], policy=policy_with(max_iterations=3))
    )
    for _ in range(3):
        whole_reply = 6
        await crashing_run.run_worker(dies_after=whole_reply)
    result = await crashing_run.run_worker()
    assert result is not None
    assert (result.reason, result.iterations, crashing_run.requests[-1]) == ("max_iterations", 3, [])


async def test_trap_7_the_ladder_stands_where_it_stood_and_its_rungs_are_told_once() -> None:
    story = STORIES["in circles"]
    whole = await run_through_crashes(story)
    levels = [event.level for event in whole.run.stored.events if event.kind == "guardrail"]
    crashing_run, result = CrashingRun(story), None
    while result is None:
        result = await crashing_run.run_worker(dies_at=_second_reply())
    assert len(crashing_run.steps) >= 4
    assert [event.level for event in crashing_run.stored.events if event.kind == "guardrail"] == levels == [1, 2, 3]
    assert result.question == whole.result.question


def _second_reply() -> Callable[[Step], bool]:
    """Predicate: the step begins the second reply that a worker receives."""
    replies = iter(range(99))
    return lambda step: isinstance(step, ReasoningDelta) and next(replies) == 1


async def test_a_person_who_said_how_to_go_on_is_not_asked_again() -> None:
    crashing_run = CrashingRun(STORIES["in circles"])
    result = await crashing_run.run_worker()
    assert result is not None
    assert result.question is not None
    answer = answer_block(result.question, "StoredRun going")
    assert isinstance(answer, Text)
    crashing_run.stored.checkpoints.append(
        MessageCheckpoint("human_pause", 0, messages_as_json([Message("user", (answer,))]))
    )
    again = await crashing_run.run_worker()
    assert again is not None
    assert len(crashing_run.requests[1]) > 0


async def test_E1_a_call_tells_what_the_reply_said_before_it_and_whether_it_may_begin_again() -> None:
    script = [
        ScriptedReply([Text("One."), call("summon"), Text("Two."), call("look", "a"), Text(" "), call("send", "b")])
    ]
    end = await run_through_crashes(Story([*script, ScriptedReply([Text("Done.")])]))
    started = [step for step in end.run.steps[0] if isinstance(step, CallStarted)]
    assert [(step.call.name, [text.text for text in step.text_before], step.repeatable) for step in started] == [
        ("look", ["One.", "Two."], True),
        ("send", [], False),
    ]
    assert {step.iteration for step in started} == {1}


async def test_each_reply_tells_why_it_ended() -> None:
    end = await run_through_crashes(STORIES["truncated in a call"])
    added = [step for step in end.run.steps[0] if isinstance(step, MessageAdded)]
    assert [step.stop_reason for step in added if step.message.role == "assistant"] == [
        "max_tokens_in_a_call",
        "end_turn",
        "end_turn",
    ]
    assert {step.stop_reason for step in added if step.message.role == "user"} == {None}


async def test_trap_17_a_call_whose_input_could_not_be_read_is_not_run_by_a_later_worker() -> None:
    whole = await run_through_crashes(STORIES["calls that are not run"])
    for at, step in enumerate(whole.run.steps[0], 1):
        if isinstance(step, MessageAdded) and step.message.role == "assistant":
            crashing_run = CrashingRun(STORIES["calls that are not run"])
            await crashing_run.run_worker(dies_after=at)
            assert await crashing_run.run_worker() is not None
            assert not any(read.startswith("nothing") for read in crashing_run.world.reads)


def test_K8_a_reply_is_put_together_from_its_calls_and_their_words() -> None:
    first, second = ToolUse("a", "look", {"what": "x"}), ToolUse("b", "send", {"what": "y"})
    reply = partial_reply([StartedCall(first, (Text("One."), Text("Two."))), StartedCall(second)])
    assert reply == Message("assistant", (Text("One."), Text("Two."), first, second))


def test_K6_what_ended_is_known_what_reads_begins_again_and_a_change_is_in_doubt() -> None:
    calls = [
        CallEnvelope("a", "look", '{"what": "x"}', 1, '["So."]', safe=True, result="seen x"),
        CallEnvelope("b", "look", '{"what": "y"}', 1, "[]", safe=True),
        CallEnvelope("c", "send", '{"what": "z"}', 1, "[]", safe=False),
    ]
    point = resume_point([MessageCheckpoint("input", 0, "[]")], calls, usage=Usage(output_tokens=3))
    assert point.resume.known_results == (ToolResult("a", "seen x"),)
    assert [use.id for use in point.open_calls] == ["b", "c"]
    assert [use.id for use in point.in_doubt] == ["c"]
    assert point.messages[-1].content[0] == Text("So.")
    assert (point.resume.state.iterations, point.resume.reply_is_unstored, point.resume.state.usage.output_tokens) == (
        1,
        True,
        3,
    )


def test_a_run_of_which_nothing_is_kept_begins_at_its_beginning() -> None:
    point = resume_point([], [])
    assert (point.messages, point.resume.known_results, point.open_calls, point.resume.state.iterations) == (
        (),
        (),
        (),
        0,
    )


async def test_a_stop_in_the_middle_of_a_summary_is_heard_at_once_and_asks_nothing_more() -> None:
    stop, began = Stop(), asyncio.Event()

    async def summarise(messages: Sequence[Message]) -> SummaryResult:
        began.set()
        await asyncio.Event().wait()
        return SummaryResult(None)

    story = Story(STORIES["made smaller"].script, policy=policy_with(keep_compact=1), result="seen" + " leaf" * 400)
    played, asked_after = await _stopped(story, stop, began, {"summarise": summarise, "strategy": Summarize(2_000)})
    assert (played.result.reason, played.result.failure, asked_after) == ("cancelled", None, 0)


async def _stopped(story: Story, stop: Stop, began: asyncio.Event, arguments: Arguments) -> tuple[ScriptedTurn, int]:
    """A run that is asked to stop once something has begun, and how often it asked the model after that."""
    keep = StoredRun()
    model = Scripted(story.script, keep)
    tools = tools_of(World(), keep, result=story.result)
    groups = grouped(BEGIN, arguments)
    turn = run_turn(
        model,
        model_name="m",
        system="s",
        messages=BEGIN,
        tools=tools,
        policy=story.policy,
        stop=stop,
        options=groups["options"],
        hooks=groups["hooks"],
    )
    steps: list[Step] = []

    async def read() -> None:
        async for step in turn:
            keep.store(step)
            steps.append(step)

    reading = asyncio.create_task(read())
    await asyncio.wait_for(began.wait(), 5)
    asked = len(model.requests)
    stop.request()
    await asyncio.wait_for(reading, 1)
    return sorted_out(steps), len(model.requests) - asked


@pytest.mark.parametrize("name", ["reads and writes", "thinking", "paused", "ended by a tool"])
async def test_a_run_whose_checkpoints_have_no_state_yet_resumes_with_counters_at_zero(name: str) -> None:
    story = STORIES[name]
    whole = await run_through_crashes(story)
    for at in [at for at, step in enumerate(whole.run.steps[0], 1) if isinstance(step, MessageAdded)]:
        run = CrashingRun(story)
        await run.run_worker(dies_after=at)
        run.stored.checkpoints = [replace(one, state=None) for one in run.stored.checkpoints]
        result = await run.run_worker()
        assert result is not None
        assert (result.reason, result.iterations) == (whole.result.reason, whole.result.iterations)
        assert run.world.done == whole.run.world.done


def test_a_stored_state_that_cannot_be_read_is_a_decoding_error() -> None:
    stored = [
        MessageCheckpoint("input", 0, messages_as_json(BEGIN)),
        MessageCheckpoint(
            "llm_response", 1, messages_as_json([Message("assistant", (Text("So."),))]), state='{"format": 2}'
        ),
    ]
    with pytest.raises(DecodingError):
        resume_point(stored, [])
