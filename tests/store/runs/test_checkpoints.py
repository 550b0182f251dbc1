"""All that is kept of a run's work comes back as it was given, in its order; on both databases (K1, K6)."""

from typing import get_args

import pytest

from harness.builders import a_child, a_concept, a_run, a_topic, start_run
from sprout.errors import NotFound
from sprout.events import ToolFinished, Usage, UsageReported
from sprout.runs.run_store import CallBegun, CallCleared, CallEnded, Checkpoint, CheckpointKind, RunRecord, StoredCall
from sprout.runs.state import Run
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore

EMPTY = RunRecord((), (), Usage(), frozenset())


@pytest.fixture
async def run(runs: SqlRunStore, paths: SqlPaths) -> Run:
    return await start_run(runs, a_run(await a_topic(paths)))


async def test_a_run_that_has_done_nothing_has_an_empty_record(runs: SqlRunStore, run: Run) -> None:
    assert await runs.record(run.id) == EMPTY
    with pytest.raises(NotFound):
        await runs.record("nothing")


async def test_K1_every_kind_of_checkpoint_is_kept_with_every_field(runs: SqlRunStore, run: Run) -> None:
    """K1, traps 7 and 11."""
    given = [
        Checkpoint(
            kind=kind,
            iteration=n,
            messages=f'[{{"role": "user", "content": "{n} \U0001f331 \\u2028"}}]',
            elapsed_s=n + 0.125,
            stop_reason="tool_use" if n % 2 else None,
            state=f'{{"rung": {n}}}' if n % 3 else None,
            digest=f"sha256:{n}" if n == 0 else None,
            version=n + 1,
        )
        for n, kind in enumerate(get_args(CheckpointKind))
    ]
    await runs.append(run, given[:1])
    await runs.append(run, given[1:])
    assert (await runs.record(run.id)).checkpoints == tuple(given)
    assert len(given) == 7


async def test_K6_calls_are_kept_in_the_order_in_which_they_began(runs: SqlRunStore, run: Run) -> None:
    """K6, K8: with what the model had said before each, whether it may begin again, and its end where it has one."""
    calls = [
        CallBegun("c9", "look", '{"n": 0}', "read"),
        CallBegun("c8", "send", '{"n": 1}', "write", 1, '["said before"]', repeatable=False),
        CallBegun("c7", "save", '{"n": 2}', "write", 1),
        CallBegun("c6", "fetch", '{"n": 3}', "read", 2, '["said \u2028"]', repeatable=False),
    ]
    await runs.append(run, calls[:2])
    await runs.append(run, calls[2:])
    ends = [CallEnded("c6", "last", is_error=True, attempts=3), CallEnded("c9", "first", is_error=False, attempts=1)]
    await runs.append(run, ends)
    assert (await runs.record(run.id)).calls == (
        StoredCall(calls[0], ends[1]),
        StoredCall(calls[1], None),
        StoredCall(calls[2], None),
        StoredCall(calls[3], ends[0]),
    )


async def test_K6_a_call_that_begins_again_keeps_its_place(runs: SqlRunStore, run: Run) -> None:
    calls = [CallBegun(f"c{n}", "look", "{}", "read") for n in range(3)]
    await runs.append(run, calls)
    await runs.append(run, [calls[0]])
    assert [one.begun for one in (await runs.record(run.id)).calls] == calls


async def test_K6_a_call_that_is_cleared_may_be_begun_again_once(runs: SqlRunStore, run: Run) -> None:
    """A person said that it has not happened; one that has ended stays as it is."""
    begun = [CallBegun(f"c{n}", "send", "{}", "write", repeatable=False) for n in range(3)]
    await runs.append(run, [*begun, CallEnded("c0", "sent", is_error=False, attempts=1)])
    await runs.append(run, [CallCleared("c0"), CallCleared("c1"), CallCleared("nothing")])
    calls = (await runs.record(run.id)).calls
    assert [(one.begun.repeatable, one.ended is None) for one in calls] == [(False, False), (True, True), (False, True)]
    await runs.append(run, [begun[1]])
    assert [one.begun.repeatable for one in (await runs.record(run.id)).calls] == [False, False, False]


async def test_what_was_told_and_spent_is_of_the_run_itself(runs: SqlRunStore, paths: SqlPaths, run: Run) -> None:
    """Trap 7: what a resumed run has spent is what its events tell, and its children's is their own."""
    concept = await a_concept(paths, await paths.node(run.node_id, user_id=run.user_id), "Light")
    child = await start_run(runs, a_child(run, concept))
    one = Usage(input_tokens=1, output_tokens=2, cache_write_tokens=3, cache_read_tokens=4, cost_usd=0.5)
    for author, times in ((run, 2), (child, 3)):
        await runs.append(author, [UsageReported(usage=one)] * times + [a_result(f"c{times}")])
    await runs.append(run, [CallBegun("untold", "look", "{}", "read"), CallEnded("untold", "found", False, 1)])
    record = await runs.record(run.id)
    assert (record.usage, record.published_calls) == (one.plus(one), frozenset({"c2"}))
    assert await runs.record(child.id) == RunRecord((), (), one.plus(one).plus(one), frozenset({"c3"}))


async def test_records_of_two_runs_do_not_mix(runs: SqlRunStore, paths: SqlPaths, run: Run) -> None:
    """Trap 16: an id that comes again belongs to another call."""
    other = await start_run(runs, a_run(await a_topic(paths, "Rivers")))
    for one, tool in ((run, "look"), (other, "save")):
        await runs.append(one, [CallBegun("c", tool, "{}", "read"), Checkpoint("input", 1, f'["{tool}"]')])
    for one, tool in ((run, "look"), (other, "save")):
        record = await runs.record(one.id)
        assert [call.begun.tool for call in record.calls] == [tool]
        assert [checkpoint.messages for checkpoint in record.checkpoints] == [f'["{tool}"]']


def a_result(call_id: str) -> ToolFinished:
    return ToolFinished(call_id=call_id, tool="look", summary="found", ok=True, duration_ms=1, attempts=1)
