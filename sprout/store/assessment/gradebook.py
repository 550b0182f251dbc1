"""Gradebook: open answers and their grades; a grade, its consequences and its events are one transaction."""

import base64
from collections.abc import Sequence

from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.events import Event
from sprout.learning.actor import Actor
from sprout.learning.marking.answers import split_drawing
from sprout.learning.marking.gradebook import OpenAnswer, Picture, grade_after_look, with_flag
from sprout.learning.marking.grades import Grade
from sprout.learning.marking.quotations import AnswerKind
from sprout.store.assessment.attempts import store_grade
from sprout.store.assessment.auto_grading import open_question
from sprout.store.assessment.drawings import drawing_of
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.graph.ownership import owned_assessment
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import tables
from sprout.store.schema.grade_columns import dump_grade, grade_of, graded_event

_KINDS: dict[str | None, AnswerKind] = {"code": "code"}


class SqlGradebook:
    """Gradebook on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def answers(self, node_id: str, *, user_id: str, ids: Sequence[str] = ()) -> Sequence[OpenAnswer]:
        def body(session: Session) -> list[OpenAnswer]:
            found = _answers_by_id(session, ids, user_id) if ids else _newest_answers(session, node_id, user_id)
            return [_open_answer(session, answer, question) for answer, question in found if question.state != "voided"]

        return await self._database.read_orm_tx(body)

    async def record(self, answer_id: str, sample: Grade, *, actor: Actor) -> Grade:
        def body(tx: WriteTransaction) -> Grade:
            answer, question = _lock_answer(tx, answer_id, actor.user_id)
            before = grade_of(answer)
            grade = grade_after_look(before, sample, look=actor.run_id or "")
            events: list[Event] = []
            if grade != before and question.state != "voided":
                changed = store_grade(tx, answer, question, grade, now=self._log.now())
                events = [graded_event(answer, grade), *changed]
            record_effect(tx, self._log, actor, events, result={"recorded": True, "state": grade.state.value})
            return grade

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def flag(self, answer_id: str, why: str, *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            answer, _ = _lock_answer(tx, answer_id, actor.user_id)
            answer.grade = dump_grade(with_flag(grade_of(answer), why))
            tx.session.add(answer)
            tx.session.flush()
            record_effect(tx, self._log, actor, [], result={"flagged": True})

        await self._database.write_tx(body, order=actor.root_run_id)


def _lock_answer(tx: WriteTransaction, answer_id: str, user_id: str) -> tuple[tables.Answer, tables.Question]:
    """The learner's answer and its question, locked until the transaction ends."""
    ((answer, question),) = _answers_by_id(tx.session, [answer_id], user_id)
    owned_assessment(tx.session, answer.assessment_id, user_id, lock=True)
    if question.node_id is not None:
        lock_node(tx.connection, question.node_id, user_id)
    tx.session.refresh(answer)
    tx.session.refresh(question)
    return answer, question


def _answers_by_id(session: Session, ids: Sequence[str], user_id: str) -> list[tuple[tables.Answer, tables.Question]]:
    """The learner's open answers with these ids, oldest first."""
    wanted = (
        select(tables.Answer, tables.Question)
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(col(tables.Answer.id).in_(ids), tables.Answer.user_id == user_id)
        .where(tables.Question.format == "open_ended", col(tables.Answer.answer_text).is_not(None))
        .order_by(col(tables.Answer.creation))
    )
    found = list(session.exec(wanted))
    known = {answer.id for answer, _ in found}
    if missing := [answer_id for answer_id in ids if answer_id not in known]:
        raise NotFound("open answer", missing[0])
    return found


def _newest_answers(session: Session, node_id: str, user_id: str) -> list[tuple[tables.Answer, tables.Question]]:
    """The newest attempt at each open question of the node's assessments that has words."""
    wanted = (
        select(tables.Answer, tables.Question)
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Assessment.target_node_id == node_id, tables.Assessment.user_id == user_id)
        .where(tables.Answer.user_id == user_id, tables.Question.format == "open_ended")
        .where(col(tables.Question.state).not_in(("voided", "skipped")))
        .order_by(col(tables.Answer.creation))
    )
    newest = {question.id: (answer, question) for answer, question in session.exec(wanted)}
    return [pair for pair in newest.values() if pair[0].answer_text is not None]


def _open_answer(session: Session, answer: tables.Answer, question: tables.Question) -> OpenAnswer:
    text, kind, picture = answer.answer_text or "", _KINDS.get(question.kind, "text"), None
    drawing_id, words = split_drawing(text)
    if question.kind == "draw" and drawing_id is not None:
        found = drawing_of(session, drawing_id, answer.user_id)
        picture = None if found is None else Picture(found.media_type, base64.b64encode(found.data).decode())
        text, kind = words, "drawing"
    return OpenAnswer(
        id=answer.id,
        question_id=question.id,
        question=open_question(question),
        text=text,
        kind=kind,
        picture=picture,
        grade=grade_of(answer),
    )
