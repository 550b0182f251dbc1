"""Items of a teacher's desk: questions of a class whose answers wait for a person, with what is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, cast

from sqlalchemy import ColumnElement, and_, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from sprout.accounts.desk import MAX_ITEMS, WAITS_AFTER, DeskCriterion, DeskItem, DeskKind
from sprout.events import wire_time
from sprout.learning.lessons.repository import Drawing
from sprout.learning.marking.answers import split_drawing
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState
from sprout.learning.mastery.reports import answer_mark
from sprout.learning.questions.questions import Criterion
from sprout.store.assessment.drawings import drawing_of_answer
from sprout.store.assessment.questions import draft_of
from sprout.store.desk.scope import within_class
from sprout.store.schema import tables
from sprout.store.schema.class_tables import GivenPath
from sprout.store.schema.desk_tables import DeskDecision
from sprout.store.schema.grade_columns import grade_of
from sprout.store.schema.mapping import answer_text

MAX_ROWS = 2_000  # attempts that are looked at for one page


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that waits for a decision, and the attempt that it is about, unless there is none."""

    kind: DeskKind
    question: tables.Question
    answer: tables.Answer | None
    path: str
    concept: str
    at: datetime


def waiting_items(session: Session, class_id: str, now: datetime, question_id: str | None = None) -> list[Waiting]:
    """What waits for the teacher of a class, oldest first; with an id, that question alone if it waits."""
    source = aliased(tables.Branch)
    wanted = (
        select(tables.Question, tables.Answer, col(tables.Node.title), col(source.title))
        .join(tables.Node, col(tables.Node.id) == col(tables.Question.node_id))
        .outerjoin(
            tables.Answer,
            and_(
                col(tables.Answer.question_id) == col(tables.Question.id),
                col(tables.Answer.user_id) == col(tables.Node.user_id),
            ),
        )
    )
    decided = select(DeskDecision.id).where(col(DeskDecision.question_id) == col(tables.Question.id))
    scoped = (
        within_class(wanted, class_id)
        .join(source, col(source.id) == col(GivenPath.branch_id))
        .where(col(tables.Question.state).not_in(tables.NOT_ASKED), ~decided.exists())
        .where(or_(_contested(now), _flagged(), _unsettled(now)))
        .order_by(col(tables.Question.creation), col(tables.Answer.creation))
        .limit(MAX_ROWS)
    )
    if question_id is not None:
        scoped = scoped.where(col(tables.Question.id) == question_id)
    rows = session.exec(scoped.execution_options(populate_existing=True)).all()
    found = [_waiting(list(group)) for _, group in groupby(rows, key=lambda row: row[0].id)]
    return sorted(found, key=lambda one: one.at)[: MAX_ITEMS + 1]


def desk_item(waiting: Waiting) -> DeskItem:
    """The item as a teacher sees it."""
    question, answer = waiting.question, waiting.answer
    draft, grade = draft_of(question), None if answer is None else grade_of(answer)
    contest = cast(dict[str, Any], question.contest or {})
    return DeskItem(
        id=question.id,
        kind=waiting.kind,
        path=waiting.path,
        concept=waiting.concept,
        prompt=question.prompt,
        format=draft.format,
        options=list(draft.options),
        model_answer=answer_text(question),
        criteria=_criteria(draft.criteria, () if grade is None else grade.results),
        answer=None if answer is None else _words(answer),
        drawn=answer is not None and split_drawing(answer.answer_text or "")[0] is not None,
        compared=grade is not None and grade.state is GradeState.SELF_MARKED,
        mark=None if answer is None or answer.score is None else answer_mark(answer.score),
        sure=None if grade is None else _sureness(grade),
        doubts=[] if grade is None else [*grade.flagged, *grade.doubts],
        feedback=None if answer is None else answer.feedback,
        contested=question.contest is not None,
        outcome=contest.get("outcome"),
        reason=contest.get("reason"),
        helped=answer is not None and answer.help_level > 0,
        at=wire_time(waiting.at),
    )


def drawing_of(session: Session, waiting: Waiting) -> Drawing | None:
    """The drawing that the item's answer is; None without one of its learner's."""
    return None if waiting.answer is None else drawing_of_answer(session, waiting.answer)


def _contested(now: datetime) -> ColumnElement[bool]:
    """Whether a question's check has not found it wrong, or has not come to an end."""
    contest = cast(Any, col(tables.Question.contest))
    outcome, at = contest["outcome"].as_string(), contest["at"].as_string()
    late = and_(outcome.is_(None), at < (now - WAITS_AFTER).isoformat())
    return and_(contest.is_not(None), or_(outcome.in_(("held", "unsettled")), late))


def _flagged() -> ColumnElement[bool]:
    grade = cast(Any, col(tables.Answer.grade))
    return and_(grade.is_not(None), cast("ColumnElement[Any]", grade[("flagged", 0)].as_string()).is_not(None))


def _unsettled(now: datetime) -> ColumnElement[bool]:
    """Whether an answer in words has no mark, none is coming, and no attempt at its question has one."""
    marked = aliased(tables.Answer)
    any_mark = select(marked.id).where(
        col(marked.question_id) == col(tables.Question.id), col(marked.score).is_not(None)
    )
    grade = cast(Any, col(tables.Answer.grade))
    open_states = grade["state"].as_string().in_((GradeState.UNSURE, GradeState.UNGRADED))
    left = or_(
        grade["state"].as_string() == GradeState.SELF_MARKED,
        and_(open_states, or_(grade["remedy"].as_string().not_in(("retry", "second_sample")), _is_late(now))),
        and_(grade.is_(None), _is_late(now)),
    )
    return and_(
        col(tables.Answer.answer_text).is_not(None), col(tables.Answer.score).is_(None), left, ~any_mark.exists()
    )


def _is_late(now: datetime) -> ColumnElement[bool]:
    return col(tables.Answer.created_at) < now - WAITS_AFTER


def _waiting(rows: Sequence[tuple[tables.Question, tables.Answer | None, str, str]]) -> Waiting:
    """The item that the attempts at one question make."""
    question, _, concept, path = rows[0]
    attempts = [answer for _, answer, _, _ in rows if answer is not None and _said_something(answer)]
    if question.contest is not None:
        at = datetime.fromisoformat(cast(dict[str, Any], question.contest)["at"])
        return Waiting("disagrees", question, _counting(attempts), path, concept, at)
    flagged = next((one for one in attempts if (grade := grade_of(one)) is not None and grade.flagged), None)
    answer = flagged or attempts[-1]
    return Waiting("flagged" if flagged else "unsure", question, answer, path, concept, answer.created_at)


def _said_something(answer: tables.Answer) -> bool:
    return answer.answer_text is not None or answer.selected_option is not None


def _counting(attempts: Sequence[tables.Answer]) -> tables.Answer | None:
    """The attempt that counts for mastery: the first one with a mark, else the newest."""
    marked = (one for one in attempts if one.score is not None)
    return next(marked, attempts[-1] if attempts else None)


def _words(answer: tables.Answer) -> str:
    """The learner's words, or the option they chose; for a drawing the note beside it."""
    return answer.selected_option or split_drawing(answer.answer_text or "")[1]


def _criteria(criteria: Sequence[Criterion], results: Sequence[CriterionResult]) -> list[DeskCriterion]:
    by_label = {one.label: one for one in results}
    return [_criterion(one, by_label.get(one.label)) for one in criteria]


def _criterion(criterion: Criterion, result: CriterionResult | None) -> DeskCriterion:
    return DeskCriterion(
        label=criterion.label,
        statement=criterion.statement,
        verdict=None if result is None else result.verdict,
        span="" if result is None else result.span,
        sure=0.0 if result is None else result.confidence,
    )


def _sureness(grade: Grade) -> float | None:
    """The mean confidence of the verdicts by their weights; None where there are none of a grader's."""
    judged = [one for one in grade.results if one.verdict is not None]
    weight = sum(one.weight for one in judged)
    if not weight or grade.state is GradeState.SELF_MARKED:
        return None
    return round(sum(one.confidence * one.weight for one in judged) / weight, 3)
