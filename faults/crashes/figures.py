"""Figures that the proofs with processes have in common."""

from collections.abc import Sequence

from faults.core.loop_faults import ProofFigure
from harness.invariants.database_check import InvariantReport
from harness.servers.recovery import Recovery

MAX_RECOVERY_S = 5.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed; 0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def recovery_figures(proof: str, found: Sequence[Recovery]) -> list[ProofFigure]:
    """Figures for the time from a crash until its runs went on."""
    after_start, accepted = [one.after_start_s for one in found], [one.after_accept_s for one in found]
    worst = percentile(accepted, 0.99)
    return [
        ProofFigure(proof, "runs taken up", f"{len(found):,}"),
        ProofFigure(proof, "first connection → run goes on, p50/p99", f"{percentile(accepted, 0.5):.2f}/{worst:.2f} s",
               worst <= MAX_RECOVERY_S),
        ProofFigure(proof, "process begins → run goes on, p50/p99",
               f"{percentile(after_start, 0.5):.2f}/{percentile(after_start, 0.99):.2f} s"),
    ]  # fmt: skip


def violation_figures(proof: str, verdict: InvariantReport) -> list[ProofFigure]:
    """Figures for violated invariants, which must all be empty."""
    counts = {
        "events lost": len(verdict.lost),
        "events doubled": len(verdict.doubled),
        "effects lost or doubled": len(verdict.effects),
        "runs left unfinished": len(verdict.unfinished),
        "other faults": len(verdict.broken),
    }
    return [
        ProofFigure(proof, "runs, events", f"{verdict.runs}, {verdict.events:,}"),
        *(ProofFigure(proof, name, f"{count}", count == 0) for name, count in counts.items()),
        *(ProofFigure(proof, "fault", fault, False) for fault in verdict.faults[:20]),
    ]
