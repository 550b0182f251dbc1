"""Figures that the proofs with processes have in common."""

from collections.abc import Sequence

from faults.figures import Figure
from faults.harness.checker import Verdict
from faults.harness.recovery import Recovery

GOES_ON_S = 5.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed; 0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def spread(proof: str, found: Sequence[Recovery]) -> list[Figure]:
    """How long the runs stood still."""
    begun, accepted = [one.after_birth_s for one in found], [one.after_accept_s for one in found]
    worst = percentile(accepted, 0.99)
    return [
        Figure(proof, "runs taken up", f"{len(found):,}"),
        Figure(proof, "first connection → run goes on, p50/p99", f"{percentile(accepted, 0.5):.2f}/{worst:.2f} s",
               worst <= GOES_ON_S),
        Figure(proof, "process begins → run goes on, p50/p99",
               f"{percentile(begun, 0.5):.2f}/{percentile(begun, 0.99):.2f} s"),
    ]  # fmt: skip


def zeros(proof: str, verdict: Verdict) -> list[Figure]:
    """What must not have happened."""
    counts = {
        "events lost": len(verdict.lost),
        "events doubled": len(verdict.doubled),
        "effects lost or doubled": len(verdict.effects),
        "runs left unfinished": len(verdict.unfinished),
        "other faults": len(verdict.broken),
    }
    return [
        Figure(proof, "runs, events", f"{verdict.runs}, {verdict.events:,}"),
        *(Figure(proof, name, f"{count}", count == 0) for name, count in counts.items()),
        *(Figure(proof, "fault", fault, False) for fault in verdict.faults[:20]),
    ]
