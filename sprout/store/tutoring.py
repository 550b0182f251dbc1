"""Lessons in the database: a turn is loaded as one snapshot, and ended in one transaction."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import Conflict, NotFound
from sprout.events import CardReady, CardShown, CheckpointQuestion, Event
from sprout.ids import new_id
from sprout.learning.lessons.lesson import Posed, rendered
from sprout.learning.lessons.tutoring import (
    Attempt,
    Card,
    Drawing,
    Lesson,
    Prerequisite,
    Standing,
    TurnEnd,
)
from sprout.learning.marking.grades import Grade
from sprout.learning.paths.shelf import Actor
from sprout.store import rows, tables
from sprout.store.attempts import attempted
from sprout.store.children import locked_node
from sprout.store.chunks import card_added, chunk_kept
from sprout.store.database import Database
from sprout.store.edits import tell
from sprout.store.kept_grades import grade_of, graded_event
from sprout.store.lesson_reading import lesson_of, pending_of, prerequisites_of, standing_of
from sprout.store.log import EventLog, Publish
from sprout.store.owned import owned_node, owned_session
from sprout.store.passages import cite_in_words
from sprout.store.posing import ladder_column, pose
from sprout.store.quotas import refuse_over
from sprout.store.write import Write


class SqlTutoring:
    """Tutoring on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def lesson(self, session_id: str, *, user_id: str) -> Lesson:
        """Raises NotFound, BadInput."""
        return await self._database.read(lambda session: lesson_of(session, session_id, user_id))

    async def standing(self, lesson: Lesson) -> Standing:
        """What the diagnostic of the concept says."""
        return await self._database.read(lambda session: standing_of(session, lesson))

    async def prerequisites(self, lesson: Lesson) -> Sequence[Prerequisite]:
        """What the subconcept builds on."""
        return await self._database.read(lambda session: prerequisites_of(session, lesson))

    async def attempt(
        self, question_id: str, *, text: str | None, option: str | None, level: int, actor: Actor
    ) -> Attempt:
        """Raises NotFound, BadInput, and what `tell` raises."""

        def body(write: Write) -> Attempt:
            question = _owned_question(write.session, question_id, actor.user_id)
            if question.node_id is not None:
                locked_node(write.connection, question.node_id, actor.user_id)
            before = _newest(write.session, question_id, actor.user_id)
            answer, news = attempted(
                write, question, user_id=actor.user_id, now=utc_now(), text=text, option=option, help_level=level
            )
            grade = grade_of(answer)
            if grade is not None and (before is None or before.id != answer.id):
                tell(write, self._log, actor, [graded_event(answer, grade), *news], result={})
            return Attempt(answer.id, grade)

        return await self._database.write(body, order=actor.root_run_id)

    async def grade(self, answer_id: str, *, user_id: str) -> Grade | None:
        """Raises NotFound."""

        def look(session: Session) -> Grade | None:
            wanted = select(tables.Answer).where(tables.Answer.id == answer_id, tables.Answer.user_id == user_id)
            answer = session.exec(wanted).first()
            if answer is None:
                raise NotFound("answer", answer_id)
            return grade_of(answer)

        return await self._database.read(look)

    async def end(self, session_id: str, end: TurnEnd, *, actor: Actor) -> Posed | None:
        """Raises NotFound, QuestionRefused, GraphRefused, Conflict, and what `tell` raises."""
        return await self._database.write(
            lambda write: self._ended(write, session_id, end, actor), order=actor.root_run_id
        )

    async def add_card(self, session_id: str, card: Card, *, actor: Actor) -> CardShown:
        """Raises NotFound, and what `tell` raises."""

        def body(write: Write) -> CardShown:
            chat = owned_session(write.session, session_id, actor.user_id)
            node_id = chat.node_id or ""
            node = owned_node(write.session, node_id, actor.user_id)
            locked_node(write.connection, node.parent_id or "", actor.user_id)
            shown_card = CardShown(
                id=new_id(), kind=card.kind, title=card.title, format=card.format, body=_with_sentence(card)
            )
            card_added(write, node_id, shown_card, model=None)
            ready = CardReady(node_id=node_id, card=shown_card)
            tell(write, self._log, actor, [ready], result={"shown": True, "title": card.title})
            return shown_card

        return await self._database.write(body, order=actor.root_run_id)

    async def raise_concern(self, session_id: str, text: str, *, actor: Actor) -> None:
        """Raises NotFound, and what `tell` raises."""

        def body(write: Write) -> None:
            chat = owned_session(write.session, session_id, actor.user_id, lock=True)
            write.session.add(tables.Concern(id=new_id(), user_id=actor.user_id, session_id=chat.id))
            write.session.flush()
            card = CardShown(id=new_id(), kind="care", title="", body=text)
            ready = CardReady(node_id=chat.node_id or "", card=card)
            tell(write, self._log, actor, [ready], result={"shown": True})

        await self._database.write(body, order=actor.root_run_id)

    async def keep_drawing(self, session_id: str, drawing: Drawing, *, user_id: str) -> str:
        """Raises NotFound, TooLarge (there is no room for it)."""
        kept = tables.Drawing(id=new_id(), session_id=session_id, media_type=drawing.media_type, data=drawing.data)

        def body(write: Write) -> str:
            owned_session(write.session, session_id, user_id, lock=True)
            refuse_over(write, "stored_bytes", user_id, adding=len(drawing.data))
            write.session.add(kept)
            return kept.id

        return await self._database.write(body)

    async def drawing(self, drawing_id: str, *, user_id: str) -> Drawing:
        """Raises NotFound."""

        def look(session: Session) -> Drawing:
            wanted = (
                select(tables.Drawing)
                .join(tables.ChatSession, col(tables.ChatSession.id) == col(tables.Drawing.session_id))
                .where(tables.Drawing.id == drawing_id, tables.ChatSession.user_id == user_id)
            )
            found = session.exec(wanted).first()
            if found is None:
                raise NotFound("drawing", drawing_id)
            return Drawing(found.media_type, found.data)

        return await self._database.read(look)

    def _ended(self, write: Write, session_id: str, end: TurnEnd, actor: Actor) -> Posed | None:
        session = write.session
        chat = owned_session(session, session_id, actor.user_id)
        node = owned_node(session, chat.node_id or "", actor.user_id)
        concept = locked_node(write.connection, node.parent_id or "", actor.user_id)
        chat = owned_session(session, session_id, actor.user_id, lock=True)
        if _message(session, actor.run_id or "") is not None:
            return pending_of(session, chat, actor.user_id)
        if chat.ended_at is not None:
            raise Conflict("This lesson has ended.")
        open_now = pending_of(session, chat, actor.user_id)
        if (open_now and open_now.id) != (end.question and end.question.id):
            raise Conflict("Another question is open in this lesson.")
        pending = _moved(session, end) if end.question is not None else None
        still = pending if end.stays else None
        if end.poses is not None:
            if still is not None:
                raise Conflict("A question is still open in this lesson.")
            still = pose(write, end.poses, concept=concept, node=rows.node_row(node), user_id=actor.user_id)
            chunk_kept(write, node.id, end.reply, still, again=end.same_chunk)
        chat.pending_question_id = still.id if still is not None else None
        chat.plan = chat.plan if end.plan is None else {"can": list(end.plan.can), "chunk": end.plan.chunk}
        chat.ended_at = self._log.now() if end.completes else None
        session.add(chat)
        asks = still if end.repeats and end.kind != "hint_response" else None
        message_id = _say(session, chat, end, rendered(end.reply, asks), actor)
        session.flush()
        cite_in_words(write.connection, message_id, end.passages, branch_id=node.branch_id)
        told: list[Event] = list(end.events)
        if end.poses is not None and still is not None:
            told.append(_asked(still))
        result: dict[str, JsonValue] = {"done": True, "completed": end.completes}
        tell(write, self._log, actor, told, result=result)
        return still


def _asked(question: Posed) -> CheckpointQuestion:
    return CheckpointQuestion(
        question_id=question.id,
        prompt=question.prompt,
        type=question.kind,
        options=[option.text for option in question.options] or None,
    )


def _say(session: Session, chat: tables.ChatSession, end: TurnEnd, reply: str, actor: Actor) -> str:
    """The learner's words and the tutor's reply, together or not at all; the id of the reply, that of its run."""
    if end.said is not None:
        session.add(
            tables.ChatMessage(
                id=new_id(),
                session_id=chat.id,
                user_id=actor.user_id,
                role="user",
                kind=end.said_kind,
                content=end.said,
                answer_id=end.counted,
            )
        )
        session.flush()  # rows are numbered in the order in which they are sent
    said = tables.ChatMessage(
        id=actor.run_id or new_id(),
        session_id=chat.id,
        user_id=actor.user_id,
        role="assistant",
        kind=end.kind,
        content=reply,
    )
    session.add(said)
    return said.id


def _moved(session: Session, end: TurnEnd) -> Posed:
    """The question whose ladder is as the turn has left it."""
    assert end.question is not None
    ladder = end.ladder or end.question.ladder
    row = session.exec(select(tables.Question).where(tables.Question.id == end.question.id)).one()
    row.ladder = ladder_column(ladder, end.counted or end.question.counted)
    session.add(row)
    return replace(end.question, ladder=ladder)


def _with_sentence(card: Card) -> str:
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
