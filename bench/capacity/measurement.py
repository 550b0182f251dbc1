"""Measured figures that the capacity is computed from, kept in measured.json with their date, command and machine."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("measured.json")


@dataclass(frozen=True, slots=True)
class Work:
    """Cost of one piece of work (a path that grows, a turn of a lesson).

    Args:
        rows, stored_bytes: what is in the database afterwards, indexes included; `event_bytes` of it go again after
            the time for which events are kept.
        wal_bytes: what PostgreSQL writes to its log, and so to each replica.
        statements, commits: that the database is asked.
        cpu_s: of one process, with what its reader and the built-in model take, which a real one does not.
        events: stored events that a reader gets; `stream_bytes` with the text in flight.
        runs: how many it takes; `run_seconds` has how long each of those that were measured held a place of a worker.
    """

    rows: float
    stored_bytes: float
    event_bytes: float
    wal_bytes: float
    statements: float
    commits: float
    cpu_s: float
    events: float
    deltas: float
    stream_bytes: float
    model_calls: float
    input_tokens: float
    output_tokens: float
    runs: float
    run_seconds: tuple[float, ...]

    @property
    def place_s(self) -> float:
        """For how long it holds a place of a worker, all its runs together."""
        return self.runs * sum(self.run_seconds) / len(self.run_seconds)


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """Cost of work for a process of the embedded form, by the benchmarks.

    Args:
        delta_cpu_s: of a piece of text on its way from the model to one reader (B2 at 200 runs).
        base_bytes: resident memory of a process that does nothing.
    """

    delta_cpu_s: float
    run_bytes: float
    stream_bytes: float
    base_bytes: float


@dataclass(frozen=True, slots=True)
class Measured:
    """All measured figures, and where they come from."""

    path: Work
    turn: Work
    process: ProcessCost
    sources: dict[str, str]


def load(file: Path = FILE) -> Measured:
    content = json.loads(file.read_text(encoding="utf-8"))
    return Measured(
        path=_work(content["path"]),
        turn=_work(content["turn"]),
        process=ProcessCost(**content["process"]),
        sources=content["sources"],
    )


def save(measured: Measured, file: Path = FILE) -> None:
    file.write_text(json.dumps(asdict(measured), indent=2) + "\n", encoding="utf-8")


def _work(content: dict[str, Any]) -> Work:
    return Work(**{**content, "run_seconds": tuple(content["run_seconds"])})
