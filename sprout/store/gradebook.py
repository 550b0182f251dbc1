"""Open answers and their grades in the database: a grade, what follows from it and its events are one transaction."""

import base64
import re
from collections.abc import Sequence

from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.events import Event
from sprout.learning.marking.evidence import AnswerKind
from sprout.learning.marking.gradebook import OpenAnswer, Picture, after_a_look, with_flag
from sprout.learning.marking.grades import Grade
from sprout.learning.paths.shelf import Actor
from sprout.store import tables
from sprout.store.attempts import give_grade
from sprout.store.children import locked_node
from sprout.store.database import Database
from sprout.store.edits import tell
from sprout.store.kept_grades import as_kept, grade_of, graded_event
from sprout.store.log import EventLog, Publish
from sprout.store.marking import open_question
from sprout.store.owned import owned_assessment
from sprout.store.write import Write

_DRAWN = re.compile(r"\[drawing:([\w-]+)\]\s*")
_KINDS: dict[str | None, AnswerKind] = {"code": "code"}


class SqlGradebook:
    """Gradebook on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def answers(self, node_id: str, *, user_id: str, ids: Sequence[str] = ()) -> Sequence[OpenAnswer]:
        """Those with these ids, else the newest to each open question of the node's assessments. Raises NotFound."""

        def look(session: Session) -> list[OpenAnswer]:
            found = _named(session, ids, user_id) if ids else _newest(session, node_id, user_id)
            return [_open_answer(session, answer, question) for answer, question in found if question.state != "voided"]

        return await self._database.read(look)

    async def keep(self, answer_id: str, sample: Grade, *, actor: Actor) -> Grade:
        """The grade that holds after this sample. Raises NotFound, and what `tell` raises."""

        def body(write: Write) -> Grade:
            answer, question = _held(write, answer_id, actor.user_id)
            before = grade_of(answer)
            grade = after_a_look(before, sample, look=actor.run_id or "")
            news: list[Event] = []
            if grade != before and question.state != "voided":
                changed = give_grade(write, answer, question, grade, now=self._log.now())
                news = [graded_event(answer, grade), *changed]
            tell(write, self._log, actor, news, result={"recorded": True, "state": grade.state.value})
            return grade

        return await self._database.write(body, order=actor.root_run_id)

    async def flag(self, answer_id: str, why: str, *, actor: Actor) -> None:
        """Add it to what is odd about the answer. Raises NotFound, and what `tell` raises."""

        def body(write: Write) -> None:
            answer, _ = _held(write, answer_id, actor.user_id)
            answer.grade = as_kept(with_flag(grade_of(answer), why))
            write.session.add(answer)
            write.session.flush()
            tell(write, self._log, actor, [], result={"flagged": True})

        await self._database.write(body, order=actor.root_run_id)


def without_drawing(text: str) -> str:
    """The words of an answer, without the name of the picture that they stand beside."""
    drawn = _DRAWN.match(text)
    return text if drawn is None else text[drawn.end() :]


def _held(write: Write, answer_id: str, user_id: str) -> tuple[tables.Answer, tables.Question]:
    """The learner's answer and its question, which nobody else grades until the transaction ends."""
    ((answer, question),) = _named(write.session, [answer_id], user_id)
    owned_assessment(write.session, answer.assessment_id, user_id, lock=True)
    if question.node_id is not None:
        locked_node(write.connection, question.node_id, user_id)
    write.session.refresh(answer)
    write.session.refresh(question)
    return answer, question


def _named(session: Session, ids: Sequence[str], user_id: str) -> list[tuple[tables.Answer, tables.Question]]:
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


def _newest(session: Session, node_id: str, user_id: str) -> list[tuple[tables.Answer, tables.Question]]:
    """The newest attempt at each open question of the node's assessments, where it says something in words."""
    wanted = (
        select(tables.Answer, tables.Question)
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Assessment.target_node_id == node_id, tables.Assessment.user_id == user_id)
        .where(tables.Answer.user_id == user_id, tables.Question.format == "open_ended")
        .where(tables.Question.state != "voided")
        .order_by(col(tables.Answer.creation))
    )
    newest = {question.id: (answer, question) for answer, question in session.exec(wanted)}
    return [pair for pair in newest.values() if pair[0].answer_text is not None]


def _open_answer(session: Session, answer: tables.Answer, question: tables.Question) -> OpenAnswer:
    text, kind, picture = answer.answer_text or "", _KINDS.get(question.kind, "text"), None
    if question.kind == "draw" and (drawn := _DRAWN.match(text)):
        text, kind, picture = text[drawn.end() :], "drawing", _picture(session, drawn[1], answer.user_id)
    return OpenAnswer(
        id=answer.id,
        question_id=question.id,
        question=open_question(question),
        text=text,
        kind=kind,
        picture=picture,
        grade=grade_of(answer),
    )


def _picture(session: Session, drawing_id: str, user_id: str) -> Picture | None:
    wanted = (
        select(tables.Drawing)
        .join(tables.ChatSession, col(tables.ChatSession.id) == col(tables.Drawing.session_id))
        .where(tables.Drawing.id == drawing_id, tables.ChatSession.user_id == user_id)
    )
    found = session.exec(wanted).first()
    return None if found is None else Picture(found.media_type, base64.b64encode(found.data).decode())
