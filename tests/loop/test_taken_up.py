"""K3, K6, K8, E1 and traps 1–5, 7: a run whose carriers die wherever they may goes on as if nothing had been."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprout.loop.model import Text, ToolResult, ToolUse
from sprout.loop.notices import notice
from sprout.loop.turn import CallDone, CallStarted, Compacted, MessageAdded
from tests.loop.carriers import End, Story, carried_through
from tests.loop.stories import STORIES

WAYS = {"before it took effect": (False, False), "after it took effect": (True, False), "cleanly": (True, True)}
STORED = (CallStarted, CallDone, MessageAdded, Compacted)


def assert_as_if_nothing_had_been(whole: End, end: End, story: Story, *, deaths: int, clean: bool) -> None:
    """What must hold of a run however often it was taken up."""
    calls_fit(end)
    nothing_was_done_twice(whole, end, story)
    nothing_was_asked_twice(end)
    assert end.result.reason == whole.result.reason
    assert end.result.problems == whole.result.problems
    assert end.result.question == whole.result.question or end.result.question is not None
    assert end.asked <= whole.asked + 2 * deaths
    assert end.result.iterations <= min(whole.result.iterations + deaths, story.policy.max_iterations)
    assert end.result.usage == end.carrying.keep.usage
    assert texts(end, "user") <= texts(whole, "user")
    if not story.cut_short:
        assert texts(end, "assistant") == texts(whole, "assistant")
        assert end.result.text == whole.result.text or end.result.reason == "waiting_on_human"
    assert not (clean and end.carrying.doubts)


def calls_fit(end: End) -> None:
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


def nothing_was_done_twice(whole: End, end: End, story: Story) -> None:
    done, wanted = end.carrying.world.done, whole.carrying.world.done
    assert set(done.values()) <= {1}
    assert set(done) <= set(wanted)
    if not story.cut_short:
        assert done == wanted


def nothing_was_asked_twice(end: End) -> None:
    """No call that began was ever made by the model again, under another id."""
    kept = [call for call in end.carrying.keep.calls.values() if call.result != notice("not_run")]
    begun = Counter((call.tool, call.input) for call in kept)
    assert set(begun.values()) <= {1}


def texts(end: End, role: str) -> Counter[str]:
    blocks = (block for message in end.result.messages if message.role == role for block in message.content)
    return Counter(block.text for block in blocks if isinstance(block, Text))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", STORIES)
async def test_a_run_that_dies_after_any_of_its_steps_goes_on_as_if_it_had_not(name: str, way: str) -> None:
    story, (lands, clean) = STORIES[name], WAYS[way]
    whole = await carried_through(story)
    steps = whole.carrying.steps[0][:-1]
    for dies_after in [at for at, step in enumerate(steps, 1) if isinstance(step, STORED)]:
        end = await carried_through(story, [dies_after], lands=lands, clean=clean)
        assert_as_if_nothing_had_been(whole, end, story, deaths=1, clean=clean)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(sorted(STORIES)),
    deaths=st.lists(st.integers(1, 25), min_size=2, max_size=5),
    way=st.sampled_from(sorted(WAYS)),
)
async def test_a_run_that_dies_again_and_again_still_comes_to_its_end(name: str, deaths: list[int], way: str) -> None:
    story, (lands, clean) = STORIES[name], WAYS[way]
    whole = await carried_through(story)
    end = await carried_through(story, deaths, lands=lands, clean=clean)
    assert_as_if_nothing_had_been(whole, end, story, deaths=len(deaths), clean=clean)
