"""Invariants of a database, whatever has happened to its servers (docs/faults.md)."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, create_engine, text

from harness.clients.run_follower import EventRecord
from harness.invariants.graphs import graph_faults
from sprout.events import Usage
from sprout.runs.state import TERMINAL_STATES
from sprout.store.engine.urls import sync_url

CLOSING = frozenset({"agent_done", "agent_error"})
ENDED_SILENTLY = "root_ended"  # with its root, so that it has no closing event of its own


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of the log, its data read."""

    seq: int
    kind: str
    data: str
    fields: dict[str, Any]

    @property
    def run_id(self) -> str:
        return str(self.fields["runId"])


@dataclass(slots=True)
class InvariantReport:
    """Violations found, by kind; empty if all invariants hold."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    events: int = 0
    runs: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> list[str]:
        return [*self.lost, *self.doubled, *self.effects, *self.unfinished, *self.broken]

    def merge(self, other: "InvariantReport") -> None:
        """Take in what was found elsewhere."""
        for name in ("lost", "doubled", "effects", "unfinished", "broken"):
            getattr(self, name).extend(getattr(other, name))
        self.events += other.events
        self.runs += other.runs
        self.reasons.update(other.reasons)


def check_database(database: str, readers: Iterable[EventRecord] = (), *, whole: bool = True) -> InvariantReport:
    """Compare everything with everything.

    Args:
        database: its URL.
        readers: what they saw is held against the log, byte for byte.
        whole: whether the path of every run that completed must be all that the model has said.
    """
    engine = create_engine(sync_url(database))
    try:
        with engine.connect() as connection:
            return check_connection(connection, readers, whole=whole)
    finally:
        engine.dispose()


def check_connection(
    connection: Connection, readers: Iterable[EventRecord] = (), *, whole: bool = True
) -> InvariantReport:
    """`check`, of a database that is open."""
    verdict = InvariantReport()
    runs = [dict(row) for row in connection.execute(text("select * from runs")).mappings()]
    logs = _logs(connection)
    _check_runs(verdict, runs, logs)
    _check_lanes(verdict, runs, logs)
    _check_calls(verdict, connection, runs, logs)
    verdict.broken += graph_faults(connection, runs, whole=whole)
    if connection.dialect.name == "sqlite":
        verdict.broken += _file_faults(connection)
    for reader in readers:
        _check_reader(verdict, reader, logs[reader.root_id])
    return verdict


def _logs(connection: Connection) -> dict[str, list[LogRow]]:
    logs: dict[str, list[LogRow]] = defaultdict(list)
    for row in connection.execute(text("select root_id, seq, kind, data from run_events order by root_id, seq")):
        logs[row.root_id].append(LogRow(row.seq, row.kind, row.data, json.loads(row.data)))
    return logs


def _check_runs(verdict: InvariantReport, runs: Sequence[dict[str, Any]], logs: dict[str, list[LogRow]]) -> None:
    """I2, I4, I6: numbers without a gap, one end each and nothing after it; stored spending equals the events'."""
    verdict.runs, verdict.events = len(runs), sum(map(len, logs.values()))
    for run in runs:
        log = logs[run["root_id"]]
        if run["state"] not in TERMINAL_STATES:
            verdict.unfinished.append(f"run {run['id']} ({run['label']}) is {run['state']}")
            continue
        verdict.reasons[str(run["reason"])] += 1
        own = [event for event in log if event.run_id == run["id"]]
        verdict.broken += _life_faults(run, own)
        if run["parent_id"] is None:
            verdict.broken += _log_faults(run, log)


def _log_faults(root: dict[str, Any], log: list[LogRow]) -> Iterator[str]:
    name = f"root {root['id']}"
    if [event.seq for event in log] != list(range(1, root["last_seq"] + 1)):
        yield f"{name}: its numbers are not 1 to {root['last_seq']}"
    ends = [event.seq for event in log if event.kind == "run_done"]
    if ends != [root["last_seq"]]:
        yield f"{name}: run_done at {ends} of {root['last_seq']}"
    spent = Usage()
    for event in log:
        if event.kind == "usage":
            spent = spent.plus(Usage.model_validate(event.fields["usage"]))
    stored = {column: root[column] for column in Usage.model_fields}
    if any(abs(stored[column] - value) > 1e-9 for column, value in spent.model_dump(by_alias=False).items()):
        yield f"{name}: spent {stored}, told {spent}"


def _life_faults(run: dict[str, Any], own: list[LogRow]) -> Iterator[str]:
    """Begun once, taken up 1, 2, 3 …, ended once."""
    name = f"run {run['id']} ({run['label']}, {run['reason']})"
    closing = [event for event in own if event.kind in CLOSING]
    silent = run["reason"] == ENDED_SILENTLY
    if len(closing) != (0 if silent else 1):
        yield f"{name}: closed {len(closing)} times"
    after = [event.kind for event in own if closing and event.seq > closing[0].seq and event.kind != "run_done"]
    if after:
        yield f"{name}: {after} after its end"
    if sum(event.kind == "run_started" for event in own) > 1:
        yield f"{name}: begun twice"
    attempts = [event.fields["attempt"] for event in own if event.kind == "run_resumed"]
    if attempts != list(range(1, len(attempts) + 1)) or len(attempts) > max(0, run["epoch"] - 1):
        yield f"{name}: taken up as {attempts} under epoch {run['epoch']}"


def _check_lanes(verdict: InvariantReport, runs: Sequence[dict[str, Any]], logs: dict[str, list[LogRow]]) -> None:
    """In no lane does a run begin before the one before it has ended, as the times in the log tell.

    One that ended silently has ended with its root.
    """
    lanes: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for run in runs:
        own = [event for event in logs[run["root_id"]] if event.run_id == run["id"]]
        started = [event.fields["at"] for event in own if event.kind in {"run_started", "run_resumed"}]
        last = run["root_id"] if run["reason"] == ENDED_SILENTLY else run["id"]
        ended = [event.fields["at"] for event in logs[run["root_id"]] if event.run_id == last and event.kind in CLOSING]
        if started:
            lanes[run["lane"]].append((started[0], ended[0] if ended else "9", run["id"]))
    for lane, stays in lanes.items():
        stays.sort()
        for one, next_ in pairwise(stays):
            if next_[0] < one[1]:
                verdict.broken.append(f"lane {lane}: {next_[2]} began before {one[2]} had ended")


def _check_calls(
    verdict: InvariantReport, connection: Connection, runs: Sequence[dict[str, Any]], logs: dict[str, list[LogRow]]
) -> None:
    """Each call has one end and one effect at most, and each end has one event."""
    by_id = {run["id"]: run for run in runs}
    for row in connection.execute(text("select run_id, call_id, name, completed_at from tool_calls")):
        if row.completed_at is None and by_id[row.run_id]["state"] == "completed":
            verdict.effects.append(f"call {row.call_id} ({row.name}) of a completed run has no end")
    effects = Counter(
        (row.run_id, row.call_id)
        for row in connection.execute(text("select run_id, call_id from graph_operations where call_id is not null"))
    )
    verdict.effects += [f"call {call} has {count} effects" for (_, call), count in effects.items() if count > 1]
    for root_id, log in logs.items():
        made = Counter(event.fields["node"]["id"] for event in log if event.kind == "node_created")
        verdict.effects += [f"root {root_id}: node {node} was told {n} times" for node, n in made.items() if n > 1]
        ends = Counter((event.run_id, event.fields["callId"]) for event in log if event.kind == "tool_result")
        verdict.doubled += [
            f"root {root_id}: the end of {call} was told {n} times" for call, n in ends.items() if n > 1
        ]


def _check_reader(verdict: InvariantReport, reader: EventRecord, log: list[LogRow]) -> None:
    """I1, I3: what a reader has over all its connections is the log, byte for byte."""
    stored = {event.seq: (event.kind, event.data.encode()) for event in log}
    last = 0
    for seen in reader.received:
        where = f"reader of {reader.root_id} at {seen.seq}"
        if seen.seq <= last:
            verdict.doubled.append(f"{where}: after {last}")
        elif seen.seq > last + 1:
            verdict.lost.append(f"{where}: nothing between it and {last}")
        if stored.get(seen.seq) != (seen.kind, seen.data):
            verdict.lost.append(f"{where}: {seen.kind} is not so in the log")
        last = max(last, seen.seq)
    if reader.is_finished and last != len(log):
        verdict.lost.append(f"reader of {reader.root_id} ended at {last} of {len(log)}")


def _file_faults(connection: Connection) -> Iterator[str]:
    """I12."""
    for pragma, good in (("integrity_check", ["ok"]), ("foreign_key_check", [])):
        found = [row[0] for row in connection.execute(text(f"pragma {pragma}"))]
        if found != good:
            yield f"{pragma}: {found[:3]}"
