"""Agreement of two markers of the same answers: exact agreement, quadratic weighted kappa, macro-F1."""

from collections import Counter
from collections.abc import Sequence

Pair = tuple[int, int]
"""The levels that a person and the marker under test gave to one answer."""


def accuracy(pairs: Sequence[Pair]) -> float | None:
    """The share of answers that got the same level from both; None without any."""
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else None


def quadratic_weighted_kappa(pairs: Sequence[Pair]) -> float | None:
    """Agreement beyond chance, where a difference weighs by its square; None where chance leaves nothing to explain.

    Source: Cohen 1968, "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial
    credit". The weights need no largest level: a constant factor of them cancels out.
    """
    if not pairs:
        return None
    observed = sum((one - other) ** 2 for one, other in pairs) / len(pairs)
    expected = _mean_square_by_chance(Counter(one for one, _ in pairs), Counter(other for _, other in pairs))
    return 1 - observed / expected if expected else None


def macro_f1(pairs: Sequence[Pair]) -> float | None:
    """The mean of the F1 of every level that either marker gave; None without answers.

    Source: the unweighted mean of per-class F1, as SemEval-2013 task 7 reports it.
    """
    levels = {level for pair in pairs for level in pair}
    return sum(_f1(pairs, level) for level in levels) / len(levels) if levels else None


def _f1(pairs: Sequence[Pair], level: int) -> float:
    both = sum(one == level == other for one, other in pairs)
    either = sum((one == level) + (other == level) for one, other in pairs)
    return 2 * both / either


def _mean_square_by_chance(mine: Counter[int], theirs: Counter[int]) -> float:
    """The mean squared difference of levels that are drawn independently from both distributions."""
    total = sum(
        count * other_count * (level - other) ** 2
        for level, count in mine.items()
        for other, other_count in theirs.items()
    )
    return total / (mine.total() * theirs.total())
