"""Crashes of workers (K3, K6, K8, E1, M5, traps 1–5, 7): a run that is resumed goes on as if nothing had happened."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprout.loop import model_notices
from sprout.loop.model import Text, ToolResult, ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.turn import CallDone, CallStarted, MessageAdded, ViewCompacted
from tests.loop.resume.crashing_run import CrashingRun, CrashingRunResult, Story, run_through_crashes
from tests.loop.resume.stories import MAX_DEATHS, STORIES

WAYS = {"before it took effect": (False, False), "after it took effect": (True, False), "cleanly": (True, True)}
STORED = (CallStarted, CallDone, MessageAdded, ViewCompacted)


def assert_as_if_nothing_had_been(
    whole: CrashingRunResult, end: CrashingRunResult, story: Story, *, deaths: int, clean: bool
) -> None:
    """Assert the invariants of a run that crashed and resumed any number of times."""
    assert_calls_answered(end)
    assert_nothing_done_twice(whole, end, story, deaths=deaths)
    assert_nothing_asked_twice(end)
    assert end.result.reason == whole.result.reason
    assert end.result.problems == whole.result.problems
    assert end.result.question == whole.result.question or end.result.question is not None
    assert end.asked <= whole.asked + 2 * deaths
    assert end.result.iterations <= min(whole.result.iterations + deaths, story.policy.max_iterations)
    assert end.result.usage == end.run.stored.usage
    assert texts(end, "user") <= texts(whole, "user")
    if not story.cut_short:
        assert texts(end, "assistant") == texts(whole, "assistant")
        assert end.result.text == whole.result.text or end.result.reason == "waiting_on_human"
    assert not (clean and end.run.doubts)


def assert_calls_answered(end: CrashingRunResult) -> None:
    """Each call has an id of its own and one result, in the next message and in order; all are on record."""
    messages = end.result.messages
    waits = end.result.reason == "waiting_on_human"
    ids: list[str] = []
    for at, message in enumerate(messages):
        calls = [block.id for block in message.content if isinstance(block, ToolUse)]
        ids += calls
        if calls and not (waits and at == len(messages) - 1):
            assert [block.call_id for block in messages[at + 1].content if isinstance(block, ToolResult)] == calls
    results = [block for message in messages for block in message.content if isinstance(block, ToolResult)]
    assert len(ids) == len(set(ids))
    if not waits:
        assert len(results) == len(ids)
        assert set(ids) <= {record.id for record in end.result.calls}


def assert_nothing_done_twice(whole: CrashingRunResult, end: CrashingRunResult, story: Story, *, deaths: int) -> None:
    done, wanted = end.run.world.done, whole.run.world.done
    assert set(done.values()) <= {1}
    if story.cut_short:
        assert len(set(done) - set(wanted)) <= deaths
    else:
        assert done == wanted


def assert_nothing_asked_twice(end: CrashingRunResult) -> None:
    """No call that began was ever made by the model again, under another id."""
    calls_run = [call for call in end.run.stored.calls.values() if call.result != notice("not_run")]
    runs_per_call = Counter((call.tool, call.input) for call in calls_run)
    assert set(runs_per_call.values()) <= {1}


def texts(end: CrashingRunResult, role: str) -> Counter[str]:
    blocks = (block for message in end.result.messages if message.role == role for block in message.content)
    return Counter(block.text for block in blocks if isinstance(block, Text))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", STORIES)
async def test_a_run_that_dies_after_any_of_its_steps_goes_on_as_if_it_had_not(name: str, way: str) -> None:
    story, (lands, clean) = STORIES[name], WAYS[way]
    whole = await run_through_crashes(story)
    steps = whole.run.steps[0][:-1]
    for dies_after in [at for at, step in enumerate(steps, 1) if isinstance(step, STORED)]:
        end = await run_through_crashes(story, [dies_after], lands=lands, clean=clean)
        assert_as_if_nothing_had_been(whole, end, story, deaths=1, clean=clean)


REWORDED = "Put otherwise: "


@pytest.mark.parametrize("name", STORIES)
async def test_M5_a_run_goes_on_the_same_when_every_notice_was_reworded_between_two_workers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = STORIES[name]
    whole = await run_through_crashes(story)
    words, reworded = model_notices.texts(), {key: f"{REWORDED}{text}" for key, text in model_notices.texts().items()}
    for dies_after in [at for at, step in enumerate(whole.run.steps[0][:-1], 1) if isinstance(step, MessageAdded)]:
        monkeypatch.setattr(model_notices, "texts", lambda: words)
        usual = await run_through_crashes(story, [dies_after])
        monkeypatch.setattr(model_notices, "texts", lambda: words)
        run = CrashingRun(story)
        assert await run.run_worker(dies_after=dies_after) is None
        monkeypatch.setattr(model_notices, "texts", lambda: reworded)
        result = await run.run_worker()
        assert result is not None
        assert outcome(CrashingRunResult(run, result)) == outcome(usual)


def outcome(end: CrashingRunResult) -> tuple[object, ...]:
    """The result of a run, apart from the wording of notices, and how often its model was called."""
    result = end.result
    return (
        result.reason,
        result.text,
        result.iterations,
        result.transitions,
        result.usage.output_tokens,
        result.failure is None,
        result.question is None,
        [problem.removeprefix(REWORDED) for problem in result.problems],
        [len(message.content) for message in result.messages],
        [len(requests) for requests in end.run.requests],
        end.run.world.done,
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(sorted(STORIES)),
    deaths=st.lists(st.integers(1, 25), min_size=2, max_size=MAX_DEATHS),
    way=st.sampled_from(sorted(WAYS)),
)
async def test_a_run_that_dies_again_and_again_still_comes_to_its_end(name: str, deaths: list[int], way: str) -> None:
    story, (lands, clean) = STORIES[name], WAYS[way]
    whole = await run_through_crashes(story)
    end = await run_through_crashes(story, deaths, lands=lands, clean=clean)
    assert_as_if_nothing_had_been(whole, end, story, deaths=len(deaths), clean=clean)
