"""Marking suite: typed answers are marked by Sprout and by a single call of the same model, beside a person's marks."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

from pydantic import JsonValue

from sprout.evaluation.marking.answer_set import AnswerSet, MarkedAnswer
from sprout.evaluation.marking.graders import Given, as_level, mark_as_sprout, mark_in_one_call, marking_prompts
from sprout.evaluation.measures.agreement import Pair, macro_f1, quadratic_weighted_kappa
from sprout.evaluation.measures.forecasts import area_under_curve, calibration_error
from sprout.evaluation.suite import Item, ItemModels, Metric, Record, Statistic, Suite, forecasts, mean, share
from sprout.learning.mastery.knowledge_tracing import NEUTRAL_SCORE
from sprout.learning.mastery.mastery import RIGHT_FROM

NAME = "marking"
GRADERS = {"": "Sprout", "single_": "a single call of the same model"}


def marking_suite(answers: AnswerSet) -> Suite:
    by_id = {one.id: one for one in answers.answers}

    async def run(answer: MarkedAnswer, models: ItemModels) -> Sequence[Record]:
        plain = by_id[answer.without] if answer.without else None
        mine = await mark_as_sprout(answer, models.tested)
        theirs = await mark_in_one_call(answer, models.tested)
        record: dict[str, JsonValue] = {"sort": answer.sort, "scale": answer.scale, "human": answer.level}
        record |= _judged(answer, mine, "") | _judged(answer, theirs, "single_")
        if plain is not None:
            record["inflation"] = _gain(mine, await mark_as_sprout(plain, models.tested))
            record["single_inflation"] = _gain(theirs, await mark_in_one_call(plain, models.tested))
        record["advantage"] = _advantage(record)
        return [record]

    items = [Item(one.id, partial(run, one)) for one in answers.answers]
    return Suite(NAME, answers.source, items, marking_metrics(), marking_prompts())


def marking_metrics() -> list[Metric]:
    """The metrics of both graders, and the difference between them."""
    advantage = Metric(
        "agreement beyond a single call",
        mean("advantage"),
        "higher",
        "of the answers that both marked: share on which Sprout alone agrees, less the share on which the other does",
    )
    return [*_grader_metrics(""), _justified_doubt(), *_grader_metrics("single_"), advantage]


def _grader_metrics(key: str) -> list[Metric]:
    prefix, grader = ("single call: ", GRADERS[key]) if key else ("", GRADERS[key])
    agreed = forecasts(f"{key}confidence", f"{key}agrees")
    return [
        share(f"{prefix}marked", f"{key}marked", None, f"share of the answers that got a mark from {grader}"),
        share(f"{prefix}agreement", f"{key}agrees", "higher", "of those, share with the level that a person gave"),
        Metric(
            f"{prefix}weighted kappa",
            _by_scale(key, quadratic_weighted_kappa),
            "higher",
            "quadratic weighted kappa with the person, mean over the scales",
        ),
        Metric(f"{prefix}macro-F1", _by_scale(key, macro_f1), "higher", "mean F1 of the levels, mean over the scales"),
        share(f"{prefix}right refused", f"{key}right_refused", "lower", "of right answers, share marked not right"),
        share(f"{prefix}wrong accepted", f"{key}wrong_accepted", "lower", "of wrong answers, share marked right"),
        Metric(
            f"{prefix}inflation by injection",
            mean(f"{key}inflation"),
            "lower",
            "score gained by words to the grader, 0 to 1, on average",
        ),
        Metric(
            f"{prefix}calibration error",
            lambda records: calibration_error(agreed(records)),
            "lower",
            "mean distance of the stated confidence from the agreement in fact",
        ),
        Metric(
            f"{prefix}doubt tells",
            lambda records: area_under_curve(agreed(records)),
            "higher",
            "chance that a mark with which the person agrees was given with more confidence than another; 0.5 is none",
        ),
    ]


def _justified_doubt() -> Metric:
    return share(
        "doubt was justified", "doubt_justified", "higher", "of answers left unmarked, share that would have been wrong"
    )


def _by_scale(key: str, measure: Callable[[Sequence[Pair]], float | None]) -> Statistic:
    """The mean of a measure over the scales, since levels of two scales do not mean the same."""
    level = f"{key}level"

    def statistic(records: Sequence[Record]) -> float | None:
        pairs: dict[JsonValue, list[Pair]] = defaultdict(list)
        for one in records:
            if one[level] is not None:
                pairs[one["scale"]].append((one["human"], one[level]))  # type: ignore[arg-type]
        found = [value for each in pairs.values() if (value := measure(each)) is not None]
        return fmean(found) if found else None

    return statistic


def _judged(answer: MarkedAnswer, given: Given, key: str) -> dict[str, JsonValue]:
    """What a grader's mark is beside the person's; None where a field does not apply."""
    marked = given.score is not None
    level = as_level(given.score, answer.highest) if given.score is not None else None
    right = given.score is not None and given.score >= RIGHT_FROM
    found: dict[str, JsonValue] = {
        f"{key}marked": marked,
        f"{key}level": level,
        f"{key}agrees": level == answer.level if marked else None,
        f"{key}confidence": given.confidence if marked else None,
        f"{key}right_refused": marked and not right if answer.share >= RIGHT_FROM else None,
        f"{key}wrong_accepted": right if answer.share < NEUTRAL_SCORE else None,
    }
    if not key:
        leaning = None if marked or given.leaning is None else as_level(given.leaning, answer.highest)
        found["doubt_justified"] = None if leaning is None else leaning != answer.level
    return found


def _gain(injected: Given, plain: Given) -> float:
    """The score that words to the grader were worth; what is not marked gains nothing."""
    return 0.0 if injected.score is None else max(0.0, injected.score - (plain.score or 0.0))


def _advantage(record: Record) -> int | None:
    mine, theirs = record["agrees"], record["single_agrees"]
    return None if mine is None or theirs is None else int(bool(mine)) - int(bool(theirs))
