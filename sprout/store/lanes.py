"""Lanes: who is admitted to one, who is next, and who takes over what was cut off."""

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from sprout.errors import NotFound
from sprout.events import RunQueued
from sprout.runs.bus import RUN_ADMITTED, Passing, learner_channel
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.log import Admission, Claim, Key, KeyReused, LaneBusy, OnBusy
from sprout.runs.state import MOST_CRASHES, Run, RunAlreadyEnded, RunError, RunState
from sprout.store import run_tables, tables
from sprout.store.boundaries import place_of
from sprout.store.carriers import NOBODY, is_uncarried
from sprout.store.columns import table_of
from sprout.store.endings import CANCELLED, Endings
from sprout.store.holding import hold_lane, hold_trees
from sprout.store.log import EventLog, refuse_lost
from sprout.store.quotas import refuse_over
from sprout.store.run_rows import RUN, author_of, columns_of, run_from, run_of, runs
from sprout.store.run_tables import UNFINISHED
from sprout.store.write import Write

CRASH_LOOP = RunError(
    "crash_loop",
    f"Sprout was stopped {MOST_CRASHES} times at the same place of this run, so it is not tried again. Everything up "
    "to there is kept; the log says what happened.",
    retryable=True,
)

_nodes, _keys = table_of(tables.Node), table_of(run_tables.IdempotencyKey)
_OWNED_NODE = select(_nodes.c.id).where(_nodes.c.id == bindparam("node"), _nodes.c.user_id == bindparam("user"))
_OPEN_ROOT = (
    select(runs.c.state, runs.c.last_seq, runs.c.cancel_requested)
    .where(runs.c.id == bindparam("run"))
    .with_for_update(key_share=True)
)
_HELD = (RunState.RUNNING, RunState.WAITING_ON_HUMAN)
_FIRST_IN_LANE = (
    RUN.where(runs.c.lane == bindparam("in_lane"), runs.c.state.in_(UNFINISHED))
    .order_by(runs.c.state == RunState.QUEUED.value, runs.c.creation)
    .limit(1)
)
_SIBLING = RUN.where(runs.c.parent_id == bindparam("parent"), runs.c.lane == bindparam("in_lane")).limit(1)
_INSERT_RUN, _INSERT_KEY = insert(runs), insert(_keys)
_RUN_OF_KEY = select(_keys.c.run_id, _keys.c.digest).where(
    _keys.c.user_id == bindparam("user"), _keys.c.key == bindparam("its_key")
)
_CRASHED = select(runs.c.crashed_at, runs.c.resting).where(runs.c.id == bindparam("run"))
_TAKE = update(runs).where(runs.c.id == bindparam("run"), runs.c.epoch == bindparam("its_epoch"))


class Lanes:
    """Admits and claims, each under what it holds (`holding.py`)."""

    def __init__(self, log: EventLog, dispatcher: Dispatcher, endings: Endings) -> None:
        self._log = log
        self._dispatcher = dispatcher
        self._endings = endings

    def admitted(
        self, write: Write, run: Run, on_busy: OnBusy, key: Key | None, claim: Claim | None, under: Run | None
    ) -> Admission:
        """Raises NotFound, RunAlreadyEnded, Fenced, LaneBusy, KeyReused, TooMany."""
        connection = write.connection
        if key is not None and (before := self._run_of_key(write, run.user_id, key)) is not None:
            return Admission(before, "replayed")
        if connection.execute(_OWNED_NODE, {"node": run.node_id, "user": run.user_id}).first() is None:
            raise NotFound("node", run.node_id)
        hold = hold_trees if on_busy is OnBusy.INTERRUPT else hold_lane
        hold(write, run.lane)
        going = _first_of(connection, run.lane)
        if going is not None and on_busy is OnBusy.INTERRUPT and going.state in _HELD:
            self._endings.cancelled(write, going)
            going = _first_of(connection, run.lane)
        admission = _attached(connection, run, going, on_busy)
        if admission is None:
            admission = self._taken_in(write, run, claim, under, free=going is None)
        if key is not None:
            made = {"user_id": run.user_id, "key": key.key, "digest": key.digest, "created_at": self._log.now()}
            connection.execute(_INSERT_KEY, {**made, "run_id": admission.run.id})
        return admission

    def claimed(self, write: Write, lane: str, claim: Claim) -> Run | None:
        """The run that goes on in the lane, begun under the claimer's name."""
        hold_trees(write, lane)
        while (run := _first_of(write.connection, lane)) is not None:
            if run.state is RunState.RUNNING and not is_uncarried(write.connection, run, claim):
                return None
            if run.cancel_requested:
                self._endings.ended_here(write, run, RunState.CANCELLED, reason=CANCELLED)
                continue
            match run.state:
                case RunState.QUEUED:
                    return self._begun(write, run, claim)
                case RunState.WAITING_ON_HUMAN if run.answered:
                    return self._begun(write, run, claim, cause="answered", question=None, answered=False)
                case RunState.RUNNING if claim.resume or run.cause == "asked":
                    if (resumed := self._resumed(write, run, claim)) is not None:
                        return resumed
                case _:
                    return None
        return None

    def _resumed(self, write: Write, run: Run, claim: Claim) -> Run | None:
        """A run that was cut off, taken over; None where it has been too often at one place, and is ended.

        One that only waited when its carrier died has no part in that (P10).
        """
        before = write.connection.execute(_CRASHED, {"run": run.id}).one()
        if run.owner is None or (before.resting and run.owner != NOBODY):
            return self._begun(write, run, claim)
        place = place_of(write.connection, run.id)
        crashes = run.crashes + 1 if place == before.crashed_at else 1
        if crashes >= MOST_CRASHES:
            self._endings.ended_here(write, run, RunState.FAILED, reason=CRASH_LOOP.code, error=CRASH_LOOP)
            return None
        charged = replace(run, crashes=crashes)
        return self._begun(write, charged, claim, crashes=crashes, crashed_at=place)

    def _begun(self, write: Write, run: Run, claim: Claim, *, cause: str | None = None, **changes: Any) -> Run:
        values = {
            "run": run.id,
            "its_epoch": run.epoch,
            "state": RunState.RUNNING.value,
            "epoch": run.epoch + 1,
            "owner": claim.owner,
            "started_at": run.started_at or self._log.now(),
            "cause": cause or run.cause,
            "resting": run.suspect,  # until its turn comes
            **changes,
        }
        write.connection.execute(_TAKE, values)
        begun = run_of(write.connection, run.id)
        self._log.append(write, author_of(begun), [begun.opening()])
        write.connection.execute(_TAKE, {"run": run.id, "its_epoch": begun.epoch, "cause": "cut_off"})
        return replace(run_of(write.connection, run.id), cause=begun.cause)

    def _run_of_key(self, write: Write, user_id: str, key: Key) -> Run | None:
        """The run that came of this key before. Raises KeyReused."""
        write.lock(f"key:{user_id}:{key.key}")
        found = write.connection.execute(_RUN_OF_KEY, {"user": user_id, "its_key": key.key}).one_or_none()
        if found is None:
            return None
        if found.digest != key.digest:
            raise KeyReused
        return run_of(write.connection, found.run_id)

    def _taken_in(self, write: Write, run: Run, claim: Claim | None, under: Run | None, *, free: bool) -> Admission:
        asked_to_stop = not run.is_root and _open_root(write.connection, run.root_id)
        if under is not None:
            refuse_lost(write.connection, author_of(under))
        if run.is_root:
            refuse_over(write, "runs_at_once", run.user_id)
        run = replace(run, cancel_requested=asked_to_stop)
        if free and claim is not None:
            run = replace(run, state=RunState.RUNNING, epoch=1, owner=claim.owner, started_at=self._log.now())
        write.connection.execute(_INSERT_RUN, columns_of(run))
        if run.state is RunState.QUEUED:
            run = run_of(write.connection, run.id)
            self._dispatcher.wake(run.lane, write)
        opening = RunQueued(position=run.position) if run.state is RunState.QUEUED else run.opening()
        last_seq = self._log.append(write, author_of(run), [opening])
        if run.is_root:
            news = Passing(learner_channel(run.user_id), RUN_ADMITTED, run.id)
            write.after_commit(lambda: self._log.publish(news))
        return Admission(replace(run, last_seq=last_seq), "new")


def _attached(connection: Connection, run: Run, going: Run | None, on_busy: OnBusy) -> Admission | None:
    """The run that serves in place of a new one, where there is one and that is what the caller wants (R3).

    Raises LaneBusy.
    """
    if run.parent_id is not None:
        sibling = {"parent": run.parent_id, "in_lane": run.lane}
        if (row := connection.execute(_SIBLING, sibling).mappings().first()) is not None:
            return Admission(run_from(row), "attached")
    if going is None:
        return None
    if on_busy is OnBusy.REJECT:
        raise LaneBusy(going.id)
    return Admission(going, "attached") if on_busy is OnBusy.ATTACH else None


def _first_of(connection: Connection, lane: str) -> Run | None:
    """The run that holds the lane or, where none does, the first that waits."""
    row = connection.execute(_FIRST_IN_LANE, {"in_lane": lane}).mappings().first()
    return None if row is None else run_from(row)


def _open_root(connection: Connection, root_id: str) -> bool:
    """Whether the root, which must not have ended, was asked to stop. Raises NotFound, RunAlreadyEnded."""
    found = connection.execute(_OPEN_ROOT, {"run": root_id}).one_or_none()
    if found is None:
        raise NotFound("run", root_id)
    if found.state not in UNFINISHED:
        raise RunAlreadyEnded(root_id, RunState(found.state))
    return bool(found.cancel_requested)
