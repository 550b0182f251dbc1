"""A run that waits for a person: what is asked, what is answered, and by whom it is taken up again; both databases."""

import asyncio
import json
from dataclasses import replace

import pytest

from harness.builders import (
    CLAIM,
    RecordingDispatcher,
    a_question,
    a_reasoning_event,
    a_run,
    a_topic,
    cut_off_run,
    end_run,
    event_kinds,
    start_run,
)
from sprout.clock import utc_now
from sprout.errors import Conflict
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.questions import in_doubt_question
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint
from sprout.runs.state import Run, RunAlreadyEnded, RunState
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

ASKED = in_doubt_question("send", "c1", {"to": "Ada", "words": ["a\u2028b", 1, None]}, utc_now())
ALLOWED = (Approval("c1", "digest"), Approval("c2", "another"))


@pytest.fixture
async def run(runs: SqlRunStore, paths: SqlPaths) -> Run:
    return await start_run(runs, a_run(await a_topic(paths)))


async def test_W1_a_question_and_what_was_allowed_come_back_as_they_were_given(
    runs: SqlRunStore, run: Run, dispatcher: RecordingDispatcher
) -> None:
    """W1, B7: nobody carries a run that waits; its answer has it taken up again, under a new epoch."""
    waiting = await runs.pause(run, ASKED, [CallBegun("c1", "send", "{}", "write"), Checkpoint("human_pause", 1)])
    assert waiting == await runs.run(run.id)
    assert (waiting.state, waiting.owner, waiting.question, waiting.answered, waiting.cut_off) == (
        *(RunState.WAITING_ON_HUMAN, None, ASKED, False, False),
    )
    (asked,) = [json.loads(one.data) for one in await runs.events(run.id) if one.kind == "waiting_on_human"]
    assert (asked["question"], asked["choices"]) == (ASKED.question, list(ASKED.choices or ()))

    answered = await runs.answer(waiting, [CallEnded("c1", "yes", False, 1), a_reasoning_event()], ALLOWED)
    assert (answered.state, answered.answered, answered.question) == (RunState.WAITING_ON_HUMAN, True, ASKED)
    assert dispatcher.woken_lanes == [run.lane]

    going = await runs.claim(run.lane, CLAIM)
    assert going is not None
    assert (going.state, going.question, going.answered) == (RunState.RUNNING, None, False)
    assert (going.epoch, going.approvals, going.owner) == (2, ALLOWED, CLAIM.owner)
    assert await event_kinds(runs, run) == ["run_started", "waiting_on_human", "agent_reasoning", "run_resumed"]
    resumed = json.loads((await runs.events(run.id))[-1].data)
    assert (resumed["attempt"], resumed["cause"]) == (1, "answered")
    (call,) = (await runs.record(run.id)).calls
    assert call.ended == CallEnded("c1", "yes", False, 1)


async def test_W1_a_question_without_choices_is_kept_as_one(runs: SqlRunStore, run: Run) -> None:
    asked = a_question(choices=None)
    assert (await runs.pause(run, asked, [])).question == asked


async def test_W1_the_second_pause_of_a_run_asks_its_own_question(runs: SqlRunStore, run: Run) -> None:
    await runs.answer(await runs.pause(run, ASKED, []), [], ALLOWED)
    going = await runs.claim(run.lane, CLAIM)
    assert going is not None
    again = await runs.pause(going, a_question(), [])
    assert (again.question, again.answered, again.approvals) == (a_question(), False, ALLOWED)
    answered = await runs.answer(again, [], [])
    assert answered.approvals == ()


async def test_of_twenty_answers_at_once_one_is_taken(runs: SqlRunStore, run: Run) -> None:
    waiting = await runs.pause(run, ASKED, [])
    answers = [runs.answer(waiting, [a_reasoning_event(f"{n}")], [Approval("c1", f"{n}")]) for n in range(20)]
    results = await asyncio.gather(*answers, return_exceptions=True)
    (taken,) = [one for one in results if isinstance(one, Run)]
    assert sum(isinstance(one, Conflict) for one in results) == 19
    (reasoning,) = [json.loads(one.data)["text"] for one in await runs.events(run.id) if one.kind == "agent_reasoning"]
    assert taken.approvals == (Approval("c1", reasoning),), "what was stored is of one answer"


async def test_an_answer_that_comes_too_late_changes_nothing(runs: SqlRunStore, run: Run) -> None:
    waiting = await runs.pause(run, ASKED, [])
    await runs.answer(waiting, [], ALLOWED)
    going = await runs.claim(run.lane, CLAIM)
    assert going is not None
    for late in (waiting, going):  # by an old look at the run, and by a new one
        with pytest.raises(Conflict):
            await runs.answer(late, [a_reasoning_event()], [])
    assert await runs.run(run.id) == replace(going, cause="cut_off"), "the next cause, should nobody say another"
    await runs.cancel(run.id)
    await end_run(runs, going, RunState.CANCELLED)
    with pytest.raises(RunAlreadyEnded):
        await runs.answer(going, [], [])


async def test_of_an_answer_and_a_cancel_at_once_the_run_ends_and_ends_once(runs: SqlRunStore, paths: SqlPaths) -> None:
    for n in range(20):
        run = await start_run(runs, a_run(await a_topic(paths, f"Topic {n}")))
        waiting = await runs.pause(run, ASKED, [])
        both = [runs.answer(waiting, [], []), runs.cancel(run.id)]
        results = await asyncio.gather(*(both if n % 2 else both[::-1]), return_exceptions=True)
        assert all(one is None or isinstance(one, (Run, RunAlreadyEnded)) for one in results)
        assert await runs.claim(run.lane, CLAIM) is None
        assert (await runs.run(run.id)).state is RunState.CANCELLED
        assert (await event_kinds(runs, run))[-2:] == ["agent_done", "run_done"]


async def test_a_run_that_does_not_go_cannot_pause(runs: SqlRunStore, run: Run) -> None:
    waiting = await runs.pause(run, ASKED, [])
    with pytest.raises(Conflict):
        await runs.pause(waiting, a_question(), [a_reasoning_event()])
    assert (await runs.run(run.id)).question == ASKED
    assert await event_kinds(runs, run) == ["run_started", "waiting_on_human"]


async def test_W1_a_run_waits_through_the_death_of_its_worker(
    runs: SqlRunStore, paths: SqlPaths, database: Database
) -> None:
    left = await cut_off_run(runs, database, a_run(await a_topic(paths)))
    waiting = await runs.pause(left, ASKED, [])
    assert not waiting.cut_off
    assert await runs.claimable_lanes(CLAIM) == []
    assert await runs.claim(left.lane, CLAIM) is None
    await runs.answer(waiting, [], [])
    going = await runs.claim(left.lane, CLAIM)
    assert going is not None
    assert (going.epoch, going.crashes) == (2, 0)
