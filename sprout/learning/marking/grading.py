"""Grading of open answers: checks a grader's verdicts, and computes the grade from them.

A grade that cannot be trusted is unsure or ungraded; nothing that goes wrong here becomes a low mark.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from sprout.events import Mark
from sprout.learning.marking.answers import (
    ADDRESSES_GRADER,
    SHARES_NOTHING,
    grader_directed_spans,
    says_nothing,
    shares_nothing,
    truncate_answer,
)
from sprout.learning.marking.grades import (
    MIN_CONFIDENCE,
    CriterionResult,
    Grade,
    GradeState,
    Remedy,
    ungraded,
)
from sprout.learning.marking.quotations import AnswerKind, GradedAnswer, OpenQuestion, is_expected
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.questions.questions import Criterion
from sprout.learning.text.grading_talk import talks_about_grading
from sprout.learning.text.normalization import folded, occurs_in, one_line, tidy

POINTS: dict[Mark | None, float] = {"met": 1.0, "partly": 0.5, "missing": 0.0, None: 0.0}
AGREEMENT_GAIN = 0.1  # of confidence; little, since two samples of one model err together
MAX_CONFIDENCE: dict[AnswerKind, float] = {"text": 1.0, "code": 0.85, "drawing": 0.65}
MAX_STEP = 400
MAX_MISCONCEPTION = 300
MIN_SECRET = 6  # characters; shorter ones stand in a sentence by chance
MAX_FAULTS = 10


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """A grader's verdict on one criterion, unchecked.

    Args:
        criterion: its id, as in `criterion_ids`.
        span: the learner's words that show it; of a drawing the part that shows it; empty if missing.
        verdict: met, partly or missing.
        confidence: 0..1.
    """

    criterion: str
    span: str
    verdict: str
    confidence: float
    misconception: str | None = None


def criterion_ids(criteria: Sequence[Criterion]) -> list[str]:
    """c1, c2 … in the order of the criteria: how a grader and its verdicts name them."""
    return [f"c{position}" for position in range(1, len(criteria) + 1)]


def verdict_faults(criteria: Sequence[Criterion], verdicts: Sequence[CriterionVerdict]) -> list[str]:
    """Faults that make the verdicts unusable, for the grader to mend: one sentence each, without secrets."""
    return list(_iter_faults(criterion_ids(criteria), verdicts))[:MAX_FAULTS]


def is_blank(question: OpenQuestion, answer: str, *, kind: AnswerKind = "text") -> bool:
    """Whether the answer says nothing, so that there is nothing to mark; "je ne sais pas" may be what is asked for."""
    kept = truncate_answer(answer).text
    return kind != "drawing" and says_nothing(kept) and not is_expected(kept, question)


def grade_verdicts(
    question: OpenQuestion,
    verdicts: Sequence[CriterionVerdict],
    answer: str,
    *,
    kind: AnswerKind = "text",
    next_step: str = "",
) -> Grade:
    """The grade that one sample of verdicts gives the answer.

    Ungraded, to be asked again, where the verdicts are not one for each criterion with values in range. A verdict whose
    span is not literally in the answer counts as not given. Unsure, for a second sample, where one was not given, where
    those below `MIN_CONFIDENCE` could turn correct into not or back, and where a high mark looks manipulated.

    Args:
        answer: as it is stored; beyond `MAX_GRADED` characters it is cut.
        next_step: the grader's words for the learner; left out where they hold what is secret.
    """
    if is_blank(question, answer, kind=kind):
        return ungraded("the answer says nothing", remedy=Remedy.FOLLOW_UP)
    kept = truncate_answer(answer)
    if wrong := verdict_faults(question.criteria, verdicts):
        return Grade(GradeState.UNGRADED, remedy=Remedy.RETRY, doubts=tuple(wrong), cut=kept.cut)
    said = {verdict.criterion: verdict for verdict in verdicts}
    results = tuple(
        _criterion_result(id_, criterion, said[id_], GradedAnswer(question, kept.text, kind))
        for id_, criterion in zip(criterion_ids(question.criteria), question.criteria, strict=True)
    )
    doubts = _doubts(results)
    flagged = _flags(question, results, kept.text, kind)
    if flagged and _score(results) >= RIGHT_FROM:
        doubts.append("a high mark for an answer that looks odd")
    step = _safe_next_step(next_step, question, kept.text)
    return _decide(results, doubts, Remedy.SECOND_SAMPLE, flagged=flagged, next_step=step, cut=kept.cut)


def merge_samples(first: Grade, second: Grade) -> Grade:
    """The grade that two samples for one open answer give together.

    Where they agree on a criterion, both must have been nearly sure of it; where they differ, nothing is known.
    What stays unsure is asked of the learner; where the answer spoke to its grader and got a high mark, of a person.

    Raises ValueError: the grades are of questions with different numbers of criteria.
    """
    if GradeState.UNGRADED in (first.state, second.state):
        return _usable_sample(first, second)
    results = tuple(_merge_results(one, other) for one, other in zip(first.results, second.results, strict=True))
    doubts = _doubts(results)
    flagged = tuple(sorted({*first.flagged, *second.flagged}))
    suspect = ADDRESSES_GRADER in flagged and _score(results, doubtful_points=1.0) >= RIGHT_FROM
    if suspect:
        doubts.append("a high mark for an answer that speaks to its grader")
    remedy = Remedy.PERSON if suspect else Remedy.FOLLOW_UP
    step = first.next_step or second.next_step
    return _decide(results, doubts, remedy, flagged=flagged, next_step=step, cut=first.cut)


def _iter_faults(ids: Sequence[str], verdicts: Sequence[CriterionVerdict]) -> Iterator[str]:
    said = [verdict.criterion for verdict in verdicts]
    for id_ in ids:
        if said.count(id_) != 1:
            yield f"{id_} has {said.count(id_)} verdicts: give exactly one."
    for verdict in verdicts[: len(ids) + MAX_FAULTS]:
        name = one_line(verdict.criterion[:20])
        if verdict.criterion not in ids:
            yield f"{name!r} is no criterion: use {', '.join(ids)}."
        if verdict.verdict not in get_args(Mark):
            yield f"{name}: the verdict is {verdict.verdict[:20]!r}: say met, partly or missing."
        if not 0 <= verdict.confidence <= 1:
            yield f"{name}: the confidence is {verdict.confidence:g}: give 0 to 1."


def _criterion_result(
    id_: str, criterion: Criterion, verdict: CriterionVerdict, evidence: GradedAnswer
) -> CriterionResult:
    """The verdict checked against the answer; without a verdict where its span is invented, or lacks."""
    result = CriterionResult(id_, criterion.label, criterion.weight, verdict=None)
    span = evidence.find_quotation(verdict.span) if verdict.span.strip() else ""
    if span is None or (not span and verdict.verdict != "missing"):
        return result
    confidence = min(verdict.confidence, MAX_CONFIDENCE[evidence.kind])
    wrong = one_line(verdict.misconception or "")[:MAX_MISCONCEPTION] if verdict.verdict != "met" else ""
    return replace(
        result, verdict=cast(Mark, verdict.verdict), span=span, confidence=confidence, misconception=wrong or None
    )


def _merge_results(first: CriterionResult, second: CriterionResult) -> CriterionResult:
    surer, other = sorted((first, second), key=lambda one: (one.verdict is None, -one.confidence, one.span))
    if other.verdict is None:
        return surer
    if surer.verdict != other.verdict:
        return replace(surer, verdict=None, span="", confidence=0.0, misconception=None)
    confidence = round(min(1.0, (surer.confidence + other.confidence) / 2 + AGREEMENT_GAIN), 6)
    return replace(surer, confidence=confidence, misconception=surer.misconception or other.misconception)


def _usable_sample(first: Grade, second: Grade) -> Grade:
    """The one of two samples that could be looked at; where that is an unsure first one, no third is taken."""
    if first.state is GradeState.UNGRADED or second.state is not GradeState.UNGRADED:
        return second
    if first.state is GradeState.GRADED:
        return first
    return replace(first, remedy=Remedy.PERSON if ADDRESSES_GRADER in first.flagged else Remedy.FOLLOW_UP)


def _score(results: Sequence[CriterionResult], *, doubtful_points: float | None = None) -> float:
    """0..1: the weighted mean of the points; `doubtful_points` stands for those below the bar, where it is given."""
    points = [
        POINTS[one.verdict] if one.confidence >= MIN_CONFIDENCE or doubtful_points is None else doubtful_points
        for one in results
    ]
    earned = sum(one.weight * point for one, point in zip(results, points, strict=True))
    return round(earned / sum(one.weight for one in results), 6)


def _doubts(results: Sequence[CriterionResult]) -> list[str]:
    """Why these results are no grade yet: a criterion without a verdict, or unsure ones that decide what is correct."""
    doubts = [f"{one.criterion}: no usable verdict" for one in results if one.verdict is None]
    lowest, highest = (_score(results, doubtful_points=points) >= RIGHT_FROM for points in (0.0, 1.0))
    if lowest != highest:
        unsure = [one for one in results if one.verdict is not None and one.confidence < MIN_CONFIDENCE]
        doubts += [f"{one.criterion}: {one.verdict} with a confidence of {one.confidence:.2g}" for one in unsure]
    return doubts


def _flags(
    question: OpenQuestion, results: Sequence[CriterionResult], answer: str, kind: AnswerKind
) -> tuple[str, ...]:
    known = [question.prompt, *question.anchors]
    known += [text for one in question.criteria for text in (one.label, one.statement, one.partly_if or "")]
    speaks_to_grader = grader_directed_spans(answer) or (kind != "code" and talks_about_grading(answer, known))
    flagged = [ADDRESSES_GRADER] if speaks_to_grader else []
    if kind != "drawing" and _score(results) >= RIGHT_FROM and shares_nothing(answer, known):
        flagged.append(SHARES_NOTHING)
    return tuple(flagged)


def _decide(
    results: tuple[CriterionResult, ...],
    doubts: Sequence[str],
    remedy: Remedy,
    *,
    flagged: tuple[str, ...],
    next_step: str,
    cut: bool,
) -> Grade:
    """A grade with a score where there are no doubts, else one that is unsure."""
    open_grade = Grade(
        GradeState.UNSURE,
        results=results,
        next_step=next_step,
        remedy=remedy,
        flagged=flagged,
        doubts=tuple(doubts),
        cut=cut,
    )
    if doubts:
        return open_grade
    score = _score(results)
    wrong = [one.misconception for one in results if one.misconception and one.confidence >= MIN_CONFIDENCE]
    return replace(
        open_grade,
        state=GradeState.GRADED,
        score=score,
        correct=score >= RIGHT_FROM,
        misconceptions=tuple(dict.fromkeys(wrong)),
        remedy=None,
    )


def _safe_next_step(step: str, question: OpenQuestion, answer: str) -> str:
    """The words for the learner, short; none where they repeat a secret that the learner has not said."""
    kept = truncate_answer(tidy(step), limit=MAX_STEP).text.strip()
    shown, said = folded(kept), folded(answer)
    secrets = [*question.anchors, *(text for one in question.criteria for text in (one.statement, one.partly_if or ""))]
    for secret in (folded(text).strip(" .!") for text in secrets):
        if len(secret) >= MIN_SECRET and occurs_in(secret, shown) and not occurs_in(secret, said):
            return ""
    return kept
