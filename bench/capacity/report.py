"""The figures of the capacity as docs/capacity.md shows them."""

from collections.abc import Iterator, Sequence

from bench.capacity.demand import Demand, Habits, demand_of, round_up
from bench.capacity.deployment import BUSY, Deployment, deployment_for, shares
from bench.capacity.measurement import Measured, Work
from bench.capacity.queueing import expected_waiting, simulated_waiting

SHARES = (0.7, 0.9, 0.97)  # of the places that are in use
SIZES = (10, 1_000, 100_000, 10_000_000)
UNITS = ("", "k", "M", "G", "T", "P")


def report(measured: Measured, habits: Habits = Habits()) -> str:
    """All tables, as Markdown."""
    demands = [demand_of(learners, measured, habits) for learners in SIZES]
    deployments = [deployment_for(demand, measured.process) for demand in demands]
    return "\n\n".join(
        [
            _measured(measured),
            "### Demand of the busiest hour",
            _by_size(_demand_rows(demands)),
            "### What carries it",
            _by_size(_deployment_rows(demands, deployments)),
            "### What breaks first",
            _limits(demands, deployments),
            "### Waiting for a place",
            _waiting(measured, demands),
        ]
    )


def short(value: float, unit: str = "") -> str:
    """Three digits with a prefix: 12,345 bytes are 12.3 kB."""
    for prefix in UNITS:
        if abs(value) < 999.5 or prefix == UNITS[-1]:
            break
        value /= 1_000
    digits = f"{value:.3g}" if abs(value) < 999.5 else f"{value:,.0f}"
    return f"{digits} {prefix}{unit}".strip()


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _by_size(rows: Iterator[Sequence[str]]) -> str:
    return _table(["learners", *(f"{size:,}" for size in SIZES)], rows)


def _measured(measured: Measured) -> str:
    process = measured.process
    works = {"a path": measured.path, "a turn of a lesson": measured.turn}
    rows: list[Sequence[str]] = [
        ("rows that are kept", *(short(work.rows) for work in works.values())),
        ("database, with indexes", *(short(work.stored_bytes, "B") for work in works.values())),
        ("of that, events", *(short(work.event_bytes, "B") for work in works.values())),
        ("CPU, with the reader and the model", *(short(work.cpu_s, "s") for work in works.values())),
        ("write-ahead log", *(short(work.wal_bytes, "B") for work in works.values())),
        ("statements", *(short(work.statements) for work in works.values())),
        ("transactions, reading ones too", *(short(work.commits) for work in works.values())),
        ("stored events", *(short(work.events) for work in works.values())),
        ("pieces of text in flight", *(short(work.deltas) for work in works.values())),
        ("bytes of the stream", *(short(work.stream_bytes, "B") for work in works.values())),
        ("model calls", *(short(work.model_calls) for work in works.values())),
        ("tokens in, out", *(_tokens(work) for work in works.values())),
        ("runs, and seconds of a worker's place", *(_places(work) for work in works.values())),
    ]
    return "\n\n".join(
        [
            f"Learner: {measured.sources['learner']}.",
            _table(["", *works], iter(rows)),
            f"Process: {measured.sources['process']}. A process at rest: {short(process.base_bytes, 'B')}.",
        ]
    )


def _tokens(work: Work) -> str:
    return f"{short(work.input_tokens)}, {short(work.output_tokens)}"


def _places(work: Work) -> str:
    return f"{short(work.runs)}, {short(work.place_s, 's')}"


def _demand_rows(demands: Sequence[Demand]) -> Iterator[Sequence[str]]:
    yield "learning at once", *(short(one.active) for one in demands)
    yield "turns a second", *(short(one.turns) for one in demands)
    yield "model calls a second", *(short(one.model_calls) for one in demands)
    yield "input tokens a second", *(short(one.input_tokens) for one in demands)
    yield "output tokens a second", *(short(one.output_tokens) for one in demands)
    yield "runs at once", *(short(one.runs_at_once) for one in demands)
    yield "open streams", *(short(one.streams) for one in demands)
    yield "events a second", *(short(one.events) for one in demands)
    yield "transactions a second", *(short(one.transactions) for one in demands)
    yield "statements a second", *(short(one.statements) for one in demands)
    yield "write-ahead log a second", *(short(one.wal_bytes, "B") for one in demands)
    yield "cores of Sprout", *(short(one.cpu_s) for one in demands)
    yield "added to the database in a year", *(short(one.lasting_bytes_a_year, "B") for one in demands)
    yield "events, which are kept for 30 days, beside it", *(short(one.event_bytes, "B") for one in demands)


def _deployment_rows(demands: Sequence[Demand], deployments: Sequence[Deployment]) -> Iterator[Sequence[str]]:
    yield "form", *("one process" if one.embedded else "web and workers" for one in deployments)
    yield "web processes", *(f"{one.web:,}" for one in deployments)
    yield "workers", *(f"{one.workers:,}" for one in deployments)
    yield "memory of Sprout", *(short(one.memory_bytes, "B") for one in deployments)
    yield "connections at most", *(f"{one.connections:,}" for one in deployments)
    yield "connections behind a pooler", *(f"{one.pooled_connections:,}" for one in deployments)
    yield "memory of Redis", *(short(one.redis_bytes, "B") for one in deployments)


def _limits(demands: Sequence[Demand], deployments: Sequence[Deployment]) -> str:
    def rows() -> Iterator[Sequence[str]]:
        for demand, deployment in zip(demands, deployments, strict=True):
            used = shares(demand, deployment)
            beyond = [one for one in used if one[1] > BUSY] or used[:1]
            for limit, share in beyond:
                yield (
                    f"{demand.learners:,}",
                    limit.name,
                    f"{short(share)} ×",
                    limit.remedy if share > BUSY else "nothing",
                )

    return _table(["learners", "limit", "used", "what one adds"], rows())


def _waiting(measured: Measured, demands: Sequence[Demand]) -> str:
    def rows() -> Iterator[Sequence[str]]:
        for demand in demands[:-1]:
            arrivals = demand.turns * measured.turn.runs + demand.paths * measured.path.runs
            mix = _mix(measured, demand)
            for places in sorted({round_up(demand.runs_at_once / share) for share in SHARES}, reverse=True):
                expected, simulated = (wait(arrivals, mix, places) for wait in (expected_waiting, simulated_waiting))
                yield (
                    f"{demand.learners:,}",
                    f"{places:,}",
                    *(f"{one.busy / places:.0%}" for one in (expected, simulated)),
                    f"{expected.mean_s:.2f} s",
                    f"{simulated.mean_s:.2f} ± {simulated.error_s:.2f} s",
                    *(f"{one.p95_s:.1f} s" for one in (expected, simulated)),
                )

    head = ["learners", "places", "busy", "simulated", "mean wait", "simulated", "95 % wait less than", "simulated"]
    return _table(head, rows())


def _mix(measured: Measured, demand: Demand) -> list[float]:
    """Durations of runs, those of turns and of paths as often as they are asked for."""
    turns, paths = measured.turn.run_seconds, measured.path.run_seconds
    share = demand.turns * measured.turn.runs / (demand.paths * measured.path.runs)
    repeated = max(1, round(share * len(paths) / len(turns)))
    return [*turns * repeated, *paths]
