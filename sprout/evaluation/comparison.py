"""Comparison of two evaluations of the same items, by paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from sprout.errors import BadInput
from sprout.evaluation.evaluation import Outcome
from sprout.evaluation.measures.resampling import SEED, mcnemar, percentile_interval, resamples_of, sign_probability
from sprout.evaluation.scorecard import Scorecard, all_records
from sprout.evaluation.suite import Better, Metric

SIGNIFICANT = 0.05

Test = Literal["McNemar", "paired bootstrap"]
Verdict = Literal["better", "worse", "same", ""]


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of a metric between the two.

    Args:
        p: two-sided, of the test that is named.
        verdict: empty for a metric that has no better direction.
    """

    name: str
    better: Better | None
    first: float | None
    second: float | None
    by: float
    low: float | None
    high: float | None
    p: float
    test: Test
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences from the first to the second; `notes` say what they may come from besides the model."""

    suite: str
    first: str
    second: str
    items: int
    notes: tuple[str, ...]
    differences: tuple[Difference, ...]


def compare(first: Scorecard, second: Scorecard, metrics: Sequence[Metric]) -> Comparison:
    """Compare two scorecards on the items that both have. Raises BadInput: there is nothing to compare.

    Args:
        metrics: of their suite.
    """
    if first.suite != second.suite:
        raise BadInput(f"One scorecard is of {first.suite!r}, the other of {second.suite!r}: only one suite compares.")
    mine, theirs = _by_id(first), _by_id(second)
    common = [id_ for id_ in mine if id_ in theirs]
    if not common:
        raise BadInput("These two scorecards have no item in common: were they made on the same data?")
    pairs = [(mine[id_], theirs[id_]) for id_ in common]
    found = [one for metric in metrics if (one := _difference(metric, pairs)) is not None]
    return Comparison(
        first.suite, first.model, second.model, len(common), tuple(_notes(first, second, len(common))), tuple(found)
    )


def _by_id(card: Scorecard) -> Mapping[str, Outcome]:
    return {one.id: Outcome(one.id, tuple(one.records)) for one in card.items}


def _notes(first: Scorecard, second: Scorecard, common: int) -> list[str]:
    notes = []
    if first.data.sha256 != second.data.sha256:
        notes.append(
            f"The data differ: {first.data.items} and {second.data.items} items, {common} of them in both by their ids."
        )
    changed = sorted(
        name for name in {*first.prompts, *second.prompts} if first.prompts.get(name) != second.prompts.get(name)
    )
    if changed:
        notes.append(f"Prompts that differ: {', '.join(changed)}.")
    versions = [name for name, value in first.versions.items() if second.versions.get(name) != value]
    if versions:
        notes.append(f"Versions that differ: {', '.join(versions)}.")
    if first.judge != second.judge:
        notes.append(f"The judges differ: {first.judge or 'none'} and {second.judge or 'none'}.")
    return notes


def _difference(metric: Metric, pairs: Sequence[tuple[Outcome, Outcome]]) -> Difference | None:
    """The difference of a metric; None where one of the two has no value.

    A share is compared on the items on which both have the flag: what one alone has marked has no pair.
    """
    flags = _flag_pairs(metric.flag, pairs)
    if flags is not None:
        pairs = [pair for pair in pairs if _has_flag(metric.flag, pair)]
    before = metric.statistic(all_records([one for one, _ in pairs]))
    after = metric.statistic(all_records([other for _, other in pairs]))
    if before is None or after is None:
        return None
    drawn_differences = _resampled(metric, pairs)
    interval = percentile_interval(drawn_differences, len(drawn_differences))
    if flags is None:
        p, test = sign_probability(drawn_differences), "paired bootstrap"
    else:
        p, test = mcnemar(flags.count((True, False)), flags.count((False, True))), "McNemar"
    by = after - before
    return Difference(
        metric.name,
        metric.better,
        before,
        after,
        by,
        interval.low if interval else None,
        interval.high if interval else None,
        p,
        "McNemar" if test == "McNemar" else "paired bootstrap",
        _verdict(metric.better, by, p),
    )


def _resampled(metric: Metric, pairs: Sequence[tuple[Outcome, Outcome]]) -> list[float]:
    """Differences over pairs of items that are drawn with replacement: both are measured on the same ones."""
    drawn, found = Random(SEED), []
    for _ in range(resamples_of(sum(len(one.records) for one, _ in pairs))):
        chosen = drawn.choices(pairs, k=len(pairs))
        before = metric.statistic(all_records([one for one, _ in chosen]))
        after = metric.statistic(all_records([other for _, other in chosen]))
        if before is not None and after is not None:
            found.append(after - before)
    return found


def _flag_pairs(flag: str | None, pairs: Sequence[tuple[Outcome, Outcome]]) -> list[tuple[bool, bool]] | None:
    """The flags of records that belong together; None unless each item has one record, and both have the flag."""
    if flag is None or any(len(one.records) != 1 or len(other.records) != 1 for one, other in pairs):
        return None
    return [
        (bool(one.records[0][flag]), bool(other.records[0][flag]))
        for one, other in pairs
        if _has_flag(flag, (one, other))
    ]


def _has_flag(flag: str | None, pair: tuple[Outcome, Outcome]) -> bool:
    return flag is not None and all(one.records[0].get(flag) is not None for one in pair)


def _verdict(better: Better | None, by: float, p: float) -> Verdict:
    if better is None:
        return ""
    if p >= SIGNIFICANT or by == 0:
        return "same"
    return "better" if (by > 0) == (better == "higher") else "worse"
