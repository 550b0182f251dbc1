"""Comparison: the learner marks an answer that has no grader beside the model answer (rules A9, A11)."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from sprout.errors import BadInput
from sprout.events import Compare, ComparedCriterionShown, Mark
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import criterion_ids
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.learning.text.confusables import plain

MAX_WORDS = 6  # of a verdict that is typed
WHOLE = "the whole answer"


@dataclass(frozen=True, slots=True)
class ComparedCriterion:
    """One thing that the model answer does, for the learner to tick."""

    id: str
    label: str
    statement: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The model answer, the criteria to tick and the misconceptions offered.

    Args:
        criteria: at least one.
        misconceptions: mix-ups that the author expects.
    """

    model_answer: str
    criteria: tuple[ComparedCriterion, ...]
    misconceptions: tuple[str, ...]


def build_comparison(draft: QuestionDraft) -> Comparison:
    """The comparison for a question; one without criteria has its whole answer as the one thing to tick."""
    criteria = draft.criteria or (Criterion(WHOLE, draft.correct_answer, 1.0),)
    named = [one.misconception for one in draft.criteria] + [one.misconception for one in draft.misconceptions]
    return Comparison(
        draft.correct_answer,
        tuple(
            ComparedCriterion(id_, one.label, one.statement)
            for id_, one in zip(criterion_ids(criteria), criteria, strict=True)
        ),
        tuple(dict.fromkeys(one for one in named if one)),
    )


def compare_response(comparison: Comparison, *, answer_id: str, yours: str) -> Compare:
    """The comparison as a learner sees it."""
    criteria = [
        ComparedCriterionShown(id=one.id, label=one.label, statement=one.statement) for one in comparison.criteria
    ]
    return Compare(
        answer_id=answer_id,
        yours=yours,
        model_answer=comparison.model_answer,
        criteria=criteria,
        misconceptions=list(comparison.misconceptions),
    )


def left_to_learner() -> Grade:
    """The grade of an answer that its grader leaves to the learner: a mark of no kind."""
    return ungraded("its learner compares it", remedy=Remedy.COMPARE)


def grade_self_mark(current: Grade | None, comparison: Comparison, mark: SelfMark) -> Grade:
    """The grade after the learner has compared; a grader's mark stays. It has no score.

    Raises BadInput: the verdicts are not one for each criterion, or the misconception is none of those offered.
    """
    if current is not None and current.state in (GradeState.GRADED, GradeState.SELF_MARKED):
        return current
    ids = [one.id for one in comparison.criteria]
    if sorted(mark.verdicts) != sorted(ids):
        raise BadInput(f"verdicts: give one for each of {', '.join(ids)}.", field="verdicts")
    if mark.misconception is not None and mark.misconception not in comparison.misconceptions:
        raise BadInput("misconception: this is none of those that were offered.", field="misconception")
    results = tuple(
        CriterionResult(one.id, one.label, 1 / len(ids), mark.verdicts[one.id], confidence=1.0)
        for one in comparison.criteria
    )
    return replace(
        current or Grade(GradeState.SELF_MARKED),
        state=GradeState.SELF_MARKED,
        results=results,
        misconceptions=(mark.misconception,) if mark.misconception else (),
        remedy=None,
        next_step="",
    )


def whole_verdict(verdicts: Sequence[Mark | None]) -> Mark:
    """The verdict on the whole answer: met or missing only where all are."""
    return verdicts[0] if verdicts and verdicts[0] is not None and len(set(verdicts)) == 1 else "partly"


def parse_self_verdict(text: str, comparison: Comparison) -> SelfMark | None:
    """The learner's verdict in a few words, such as "the same", "partly" or "not yet"; None where it is none."""
    words = plain(text.replace("'", "").replace("’", "")).split()
    if not words or len(words) > MAX_WORDS:
        return None
    said = " ".join(words)
    found = next((mark for mark, phrases in _verdict_phrases().items() if said in phrases), None)
    return None if found is None else SelfMark({one.id: found for one in comparison.criteria})


@cache
def _verdict_phrases() -> dict[Mark, frozenset[str]]:
    table = tomllib.loads(files("sprout.learning.marking").joinpath("self_verdicts.toml").read_text(encoding="utf-8"))
    marks: tuple[Mark, ...] = ("met", "partly", "missing")
    return {mark: frozenset(" ".join(plain(phrase).split()) for phrase in table[mark]) for mark in marks}
