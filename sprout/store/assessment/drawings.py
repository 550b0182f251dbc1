"""Drawings as answers: the picture that an answer refers to, if it is one of the learner's own."""

from sqlmodel import Session, col, select

from sprout.learning.lessons.repository import Drawing
from sprout.learning.marking.answers import split_drawing
from sprout.store.schema import tables


def drawing_of(session: Session, drawing_id: str, user_id: str) -> Drawing | None:
    """A learner's drawing; None if it is gone or another's."""
    wanted = (
        select(tables.Drawing)
        .join(tables.ChatSession, col(tables.ChatSession.id) == col(tables.Drawing.session_id))
        .where(tables.Drawing.id == drawing_id, tables.ChatSession.user_id == user_id)
    )
    found = session.exec(wanted).first()
    return None if found is None else Drawing(found.media_type, found.data)


def drawing_of_answer(session: Session, answer: tables.Answer) -> Drawing | None:
    """The drawing that an answer is; None for words, and if it is gone."""
    drawing_id, _ = split_drawing(answer.answer_text or "")
    return None if drawing_id is None else drawing_of(session, drawing_id, answer.user_id)
