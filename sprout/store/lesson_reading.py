"""What a turn of a lesson is loaded from, in a few statements."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import func
from sqlmodel import Session, col, select

from sprout.errors import BadInput
from sprout.learning.lessons.lesson import Plan, Posed
from sprout.learning.lessons.tutoring import MOST_MESSAGES, Lesson, Missed, Prerequisite, Standing
from sprout.learning.mastery.mastery import ATTEMPTS_TO_MASTER, GOOD, MASTERED
from sprout.store import rows, tables
from sprout.store.owned import owned_node, owned_session
from sprout.store.posing import posed
from sprout.store.questions import named_tests

NOT_A_LESSON = "A lesson is about one part of a concept: begin the session with the id of a subconcept."


def lesson_of(session: Session, session_id: str, user_id: str) -> Lesson:
    """The lesson of a conversation. Raises NotFound, BadInput (it is about no subconcept)."""
    chat = owned_session(session, session_id, user_id)
    if chat.node_id is None:
        raise BadInput("This session is about no node, so nothing can be taught in it.", field="id")
    node = owned_node(session, chat.node_id, user_id)
    if node.type != "subconcept" or node.parent_id is None:
        raise BadInput(NOT_A_LESSON, field="id")
    concept = owned_node(session, node.parent_id, user_id)
    topic = owned_node(session, concept.parent_id or "", user_id)
    newest = (
        select(tables.ChatMessage)
        .where(tables.ChatMessage.session_id == chat.id)
        .order_by(col(tables.ChatMessage.creation).desc())
        .limit(MOST_MESSAGES)
    )
    progress = session.exec(
        select(tables.Progress).where(tables.Progress.node_id == node.id, tables.Progress.user_id == user_id)
    ).first()
    mastery, attempts = (progress.mastery_score, progress.attempts_count) if progress else (0.0, 0)
    return Lesson(
        session_id=chat.id,
        user_id=user_id,
        node=rows.node_row(node),
        concept=rows.node_row(concept),
        topic=rows.node_row(topic),
        following=_following(session, node.id),
        ended=chat.ended_at is not None,
        pending=pending_of(session, chat, user_id),
        plan=_plan(chat.plan),
        messages=tuple(rows.message_row(one) for one in reversed(session.exec(newest).all())),
        asked=_prompts(session, node.id, user_id),
        attempts=attempts,
        mastery=mastery,
        mastered=mastery >= MASTERED and attempts >= ATTEMPTS_TO_MASTER,
        unaided_right=_unaided_right(session, node.id, user_id),
    )


def pending_of(session: Session, chat: tables.ChatSession, user_id: str) -> Posed | None:
    """The question that is open in the conversation, unless it was taken back."""
    wanted = select(tables.Question).where(
        tables.Question.id == chat.pending_question_id, tables.Question.state != "voided"
    )
    question = session.exec(wanted).first()
    if question is None:
        return None
    attempts = session.exec(
        select(tables.Answer)
        .where(tables.Answer.question_id == question.id, tables.Answer.user_id == user_id)
        .order_by(col(tables.Answer.creation))
    ).all()
    return posed(question, attempts)


def prerequisites_of(session: Session, lesson: Lesson) -> list[Prerequisite]:
    """What the subconcept builds on, and whether the learner has it."""
    node, progress = tables.Node, tables.Progress
    wanted = (
        select(node.title, progress.mastery_score, progress.completed_at)
        .join(tables.Edge, col(tables.Edge.source_node_id) == col(node.id))
        .outerjoin(progress, (col(progress.node_id) == col(node.id)) & (col(progress.user_id) == lesson.user_id))
        .where(tables.Edge.target_node_id == lesson.node.id)
        .order_by(col(tables.Edge.creation))
    )
    return [
        Prerequisite(title, mastery or 0.0, done is not None or (mastery or 0.0) >= MASTERED)
        for title, mastery, done in session.exec(wanted)
    ]


def standing_of(session: Session, lesson: Lesson) -> Standing:
    """Of the diagnostic, the newest answer to each question that is about the subconcept; of all where none is."""
    wanted = (
        select(tables.Question, tables.Answer)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .join(tables.Answer, col(tables.Answer.question_id) == col(tables.Question.id))
        .where(tables.Assessment.user_id == lesson.user_id, tables.Answer.user_id == lesson.user_id)
        .where(tables.Assessment.target_node_id == lesson.concept.id, tables.Assessment.type == "diagnostic")
        .where(tables.Question.state != "voided", col(tables.Answer.score).is_not(None))
        .order_by(col(tables.Answer.creation))
    )
    newest = {question.id: (question, answer) for question, answer in session.exec(wanted)}
    about = [
        pair for pair in newest.values() if any(test["nodeId"] == lesson.node.id for test in named_tests(pair[0].tests))
    ]
    looked_at = about or list(newest.values())
    if not looked_at:
        return Standing(None, 0)
    scores = [answer.score or 0.0 for _, answer in looked_at]
    missed = tuple(
        Missed(question.prompt, answer.feedback or "") for question, answer in looked_at if (answer.score or 0.0) < GOOD
    )
    return Standing(sum(scores) / len(scores), len(looked_at), missed)


def _plan(kept: JsonValue) -> Plan:
    plan = cast(Mapping[str, Any], kept or {})
    return Plan(tuple(plan.get("can", ())), int(plan.get("chunk", 0)))


def _prompts(session: Session, node_id: str, user_id: str) -> tuple[str, ...]:
    wanted = _quiz_questions(tables.Question.prompt, node_id, user_id).order_by(col(tables.Question.position))
    return tuple(session.exec(wanted))


def _quiz_questions(wanted: Any, node_id: str, user_id: str) -> Any:
    """A select over the questions of the learner's quiz of a subconcept, without those that were taken back."""
    return (
        select(wanted)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Assessment.user_id == user_id, tables.Assessment.target_node_id == node_id)
        .where(tables.Assessment.type == "quiz", tables.Question.state != "voided")
    )


def _unaided_right(session: Session, node_id: str, user_id: str) -> int:
    wanted = _quiz_questions(func.count(func.distinct(tables.Question.id)), node_id, user_id).join(
        tables.Answer, col(tables.Answer.question_id) == col(tables.Question.id)
    )
    right = wanted.where(tables.Answer.user_id == user_id, tables.Answer.help_level == 0, col(tables.Answer.is_correct))
    return int(session.exec(right).one())


def _following(session: Session, node_id: str) -> tuple[str, ...]:
    wanted = (
        select(tables.Node.title)
        .join(tables.Edge, col(tables.Edge.target_node_id) == col(tables.Node.id))
        .where(tables.Edge.source_node_id == node_id)
        .order_by(col(tables.Edge.creation))
    )
    return tuple(session.exec(wanted))
