"""Lesson repository: a turn is loaded from one snapshot and ended in one transaction."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import Conflict, NotFound
from sprout.events import CardReady, CardShown, CheckpointQuestion, Event
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.readings import visible_reading
from sprout.learning.lessons.repository import (
    Attempt,
    Card,
    DiagnosticResult,
    Drawing,
    Lesson,
    Prerequisite,
    TurnEnd,
)
from sprout.learning.lessons.turn import render_reply
from sprout.learning.marking.grades import Grade
from sprout.learning.misconceptions.repository import HeldBelief
from sprout.learning.questions.assessments import SelfMark
from sprout.store.assessment.attempts import record_attempt
from sprout.store.assessment.drawings import drawing_of, drawing_of_answer
from sprout.store.assessment.mastery import update_progress
from sprout.store.assessment.misconceptions import held_beliefs
from sprout.store.assessment.self_marks import lock_answer, store_self_mark
from sprout.store.documents.passages import cite_in_message
from sprout.store.engine.database import Database
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.graph.ownership import owned_answer, owned_node, owned_session
from sprout.store.lessons.checkpoint_questions import ask_checkpoint, ladder_column
from sprout.store.lessons.conversations import mark_delivered
from sprout.store.lessons.lesson_queries import (
    diagnostic_result_of,
    lesson_of,
    neighbours_of,
    pending_of,
    prerequisites_of,
    stored_plan,
)
from sprout.store.lessons.readings import store_reading
from sprout.store.lessons.steps import add_card, save_step
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import mapping, tables
from sprout.store.schema.grade_columns import grade_of, graded_event


class SqlLessonRepository:
    """LessonRepository on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def lesson(self, session_id: str, *, user_id: str) -> Lesson:
        return await self._database.read_orm_tx(lambda session: lesson_of(session, session_id, user_id))

    async def diagnostic_result(self, lesson: Lesson) -> DiagnosticResult:
        return await self._database.read_orm_tx(lambda session: diagnostic_result_of(session, lesson))

    async def held_beliefs(self, lesson: Lesson) -> Sequence[HeldBelief]:
        return await self._database.read_tx(
            lambda connection: held_beliefs(connection, lesson.concept.id, lesson.user_id)
        )

    async def prerequisites(self, lesson: Lesson) -> Sequence[Prerequisite]:
        return await self._database.read_orm_tx(lambda session: prerequisites_of(session, lesson))

    async def neighbours(self, lesson: Lesson) -> Sequence[str]:
        return await self._database.read_orm_tx(lambda session: neighbours_of(session, lesson))

    async def record_attempt(
        self,
        question_id: str,
        *,
        text: str | None,
        option: str | None,
        level: int,
        actor: Actor,
        sure: bool | None = None,
    ) -> Attempt:
        def body(tx: WriteTransaction) -> Attempt:
            question = _owned_question(tx.session, question_id, actor.user_id)
            if question.node_id is not None:
                lock_node(tx.connection, question.node_id, actor.user_id)
            before = _newest(tx.session, question_id, actor.user_id)
            answer, changes = record_attempt(
                tx,
                question,
                user_id=actor.user_id,
                now=utc_now(),
                text=text,
                option=option,
                help_level=level,
                sure=sure,
            )
            grade = grade_of(answer)
            if grade is not None and (before is None or before.id != answer.id):
                record_effect(tx, self._log, actor, [graded_event(answer, grade), *changes], result={})
            return Attempt(answer.id, grade)

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def record_self_mark(self, answer_id: str, mark: SelfMark, *, actor: Actor) -> Grade:
        def body(tx: WriteTransaction) -> Grade:
            answer, question = lock_answer(tx, answer_id, actor.user_id)
            before = grade_of(answer)
            grade, changes = store_self_mark(tx, answer, question, mark, now=utc_now())
            if grade != before:
                record_effect(tx, self._log, actor, [graded_event(answer, grade), *changes], result={})
            return grade

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def grade(self, answer_id: str, *, user_id: str) -> Grade | None:
        return await self._database.read_orm_tx(lambda session: grade_of(owned_answer(session, answer_id, user_id)))

    async def end_turn(self, session_id: str, end: TurnEnd, *, actor: Actor) -> AskedCheckpoint | None:
        return await self._database.write_tx(
            lambda tx: self._end_turn(tx, session_id, end, actor), order=actor.root_run_id
        )

    async def mark_delivered(self, lesson: Lesson) -> None:
        pending_id = lesson.pending.id if lesson.pending is not None else None
        if pending_id != lesson.delivered_question_id:
            await self._database.write_tx(lambda tx: mark_delivered(tx, lesson.session_id, lesson.user_id, pending_id))

    async def add_card(self, session_id: str, card: Card, *, actor: Actor) -> CardShown:
        def body(tx: WriteTransaction) -> CardShown:
            chat = owned_session(tx.session, session_id, actor.user_id)
            node_id = chat.node_id or ""
            node = owned_node(tx.session, node_id, actor.user_id)
            lock_node(tx.connection, node.parent_id or "", actor.user_id)
            shown_card = CardShown(
                id=new_id(), kind=card.kind, title=card.title, format=card.format, body=_card_body(card)
            )
            add_card(tx, node_id, shown_card, model=None)
            ready = CardReady(node_id=node_id, card=shown_card)
            record_effect(tx, self._log, actor, [ready], result={"shown": True, "title": card.title})
            return shown_card

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def save_drawing(self, session_id: str, drawing: Drawing, *, user_id: str) -> str:
        stored = tables.Drawing(id=new_id(), session_id=session_id, media_type=drawing.media_type, data=drawing.data)

        def body(tx: WriteTransaction) -> str:
            owned_session(tx.session, session_id, user_id, lock=True)
            enforce_quota(tx, "stored_bytes", user_id, adding=len(drawing.data))
            tx.session.add(stored)
            return stored.id

        return await self._database.write_tx(body)

    async def drawing(self, drawing_id: str, *, user_id: str) -> Drawing:
        def body(session: Session) -> Drawing:
            if (found := drawing_of(session, drawing_id, user_id)) is None:
                raise NotFound("drawing", drawing_id)
            return found

        return await self._database.read_orm_tx(body)

    async def drawing_of_answer(self, answer_id: str, *, user_id: str) -> Drawing:
        def body(session: Session) -> Drawing:
            wanted = select(tables.Answer).where(tables.Answer.id == answer_id, tables.Answer.user_id == user_id)
            answer = session.exec(wanted).first()
            found = None if answer is None else drawing_of_answer(session, answer)
            if found is None:
                raise NotFound("drawing", answer_id)
            return found

        return await self._database.read_orm_tx(body)

    def _end_turn(self, tx: WriteTransaction, session_id: str, end: TurnEnd, actor: Actor) -> AskedCheckpoint | None:
        session = tx.session
        chat = owned_session(session, session_id, actor.user_id)
        node = owned_node(session, chat.node_id or "", actor.user_id)
        concept = lock_node(tx.connection, node.parent_id or "", actor.user_id)
        chat = owned_session(session, session_id, actor.user_id, lock=True)
        if _message(session, actor.run_id or "") is not None:
            return pending_of(session, chat, actor.user_id)
        if chat.ended_at is not None and (end.asks is not None or end.reading or end.completes_lesson):
            raise Conflict("This lesson has ended.", code="lesson_ended")
        open_now = pending_of(session, chat, actor.user_id)
        if end.question is not None and open_now is None and _is_voided(session, end.question.id):
            end = replace(end, question=None, keeps_question=False)  # its key was found wrong while the tutor spoke
        if (open_now and open_now.id) != (end.question and end.question.id):
            raise Conflict("Another question is open in this lesson.", code="other_question_open")
        pending = _save_help_state(session, end) if end.question is not None else None
        still = pending if end.keeps_question else None
        if end.asks is not None:
            if still is not None:
                raise Conflict("A question is still open in this lesson.", code="question_still_open")
            still = ask_checkpoint(tx, end.asks, concept=concept, node=mapping.node_row(node), user_id=actor.user_id)
            save_step(tx, node.id, end.reply, still, again=end.same_step)
        chat.pending_question_id = still.id if still is not None else None
        chat.plan = chat.plan if end.plan is None else stored_plan(end.plan)
        if end.completes_lesson:
            chat.ended_at = self._log.now()
        session.add(chat)
        asks = still if end.repeats_question and end.kind != "hint_response" else None
        message_id = _insert_messages(session, chat, end, render_reply(end.reply, asks), actor)
        session.flush()
        if end.reading:
            asked = still.id if still is not None else None
            reading = store_reading(
                tx, message_id, end.reading, question_id=asked, settled_by=end.settled_by, branch_id=node.branch_id
            )
            still = replace(still, reading=reading) if still is not None else None
        else:
            cite_in_message(tx.connection, message_id, end.passages, branch_id=node.branch_id)
        events: list[Event] = list(end.events)
        if end.asks is not None and still is not None:
            events.append(_checkpoint_event(still))
        if end.concern:
            session.add(tables.Concern(id=new_id(), user_id=actor.user_id, session_id=chat.id))
            card = CardShown(id=new_id(), kind="care", title="", body=end.concern)
            events.append(CardReady(node_id=node.id, card=card))
        if end.completes_lesson:
            session.flush()
            events += update_progress(tx, concept, actor.user_id, self._log.now())  # what was read to its end
        result: dict[str, JsonValue] = {"done": True, "completed": end.completes_lesson}
        record_effect(tx, self._log, actor, events, result=result)
        return still


def _checkpoint_event(question: AskedCheckpoint) -> CheckpointQuestion:
    return CheckpointQuestion(
        question_id=question.id,
        prompt=question.prompt,
        type=question.kind,
        options=[option.text for option in question.options] or None,
        reading=visible_reading(question.reading, question.ladder),
    )


def _insert_messages(session: Session, chat: tables.ChatSession, end: TurnEnd, reply: str, actor: Actor) -> str:
    """Insert the learner's words and the tutor's reply, both or neither; the id of the reply, which is its run's."""
    if end.learner_message is not None:
        session.add(
            tables.ChatMessage(
                id=new_id(),
                session_id=chat.id,
                user_id=actor.user_id,
                role="user",
                kind=end.learner_message_kind,
                content=end.learner_message,
                answer_id=end.attempt_id,
            )
        )
        session.flush()  # rows are numbered in the order in which they are sent
    message = tables.ChatMessage(
        id=actor.run_id or new_id(),
        session_id=chat.id,
        user_id=actor.user_id,
        role="assistant",
        kind=end.kind,
        content=reply,
    )
    session.add(message)
    return message.id


def _save_help_state(session: Session, end: TurnEnd) -> AskedCheckpoint:
    """Store the question's help ladder as the turn has left it."""
    assert end.question is not None
    ladder = end.ladder or end.question.ladder
    row = session.exec(select(tables.Question).where(tables.Question.id == end.question.id)).one()
    row.ladder = ladder_column(ladder, end.attempt_id or end.question.last_attempt_id)
    session.add(row)
    return replace(end.question, ladder=ladder)


def _is_voided(session: Session, question_id: str) -> bool:
    wanted = select(tables.Question.state).where(tables.Question.id == question_id)
    return session.exec(wanted).one() == "voided"


def _card_body(card: Card) -> str:
    if not card.sentence:
        return card.body
    return f"{card.body}\n\n%% {card.sentence}" if card.format == "mermaid" else card.body


def _owned_question(session: Session, question_id: str, user_id: str) -> tables.Question:
    wanted = (
        select(tables.Question)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Question.id == question_id, tables.Assessment.user_id == user_id)
        .where(tables.Question.state != "voided")
    )
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("question", question_id)
    return found


def _newest(session: Session, question_id: str, user_id: str) -> tables.Answer | None:
    wanted = select(tables.Answer).where(tables.Answer.question_id == question_id, tables.Answer.user_id == user_id)
    return session.exec(wanted.order_by(col(tables.Answer.creation).desc()).limit(1)).first()


def _message(session: Session, message_id: str) -> tables.ChatMessage | None:
    return session.exec(select(tables.ChatMessage).where(tables.ChatMessage.id == message_id)).first()
