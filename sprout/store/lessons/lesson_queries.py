"""Queries of a lesson: the rows that a turn is loaded from, in a few statements."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from sprout.errors import BadInput
from sprout.events import ReadingShown
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.conversations import ChatMessageRow
from sprout.learning.lessons.lesson_history import LessonHistory, PastLesson
from sprout.learning.lessons.lesson_plan import LessonPlan
from sprout.learning.lessons.repository import (
    MAX_MESSAGES,
    DiagnosticResult,
    Lesson,
    MissedQuestion,
    Prerequisite,
    Standing,
)
from sprout.learning.mastery.knowledge_tracing import NEUTRAL_SCORE
from sprout.learning.mastery.mastery import RIGHT_TO_LEARN, Claim, Evidence, Mastery, mastery
from sprout.learning.reviews.planning import CONFUSABLE_FROM, likeness
from sprout.store.assessment.claims import claims_about
from sprout.store.assessment.evidence import evidence_about
from sprout.store.assessment.mastery import edge_pairs
from sprout.store.assessment.question_tests import is_about
from sprout.store.graph.ownership import owned_node, owned_session
from sprout.store.lessons.checkpoint_questions import asked_checkpoint
from sprout.store.lessons.readings import reading_alone, reading_of
from sprout.store.schema import mapping, tables

MAX_PAST_LESSONS = 40
NOT_A_LESSON = "A lesson is about one part of a concept: begin the session with the id of a subconcept."

# Built once, since building a statement costs more than running it, and a turn loads its lesson several times.
_NEWEST = (
    select(tables.ChatMessage)
    .where(col(tables.ChatMessage.session_id) == bindparam("chat"))
    .order_by(col(tables.ChatMessage.creation).desc())
    .limit(MAX_MESSAGES)
)
_PROGRESS = select(tables.Progress).where(
    col(tables.Progress.node_id) == bindparam("node"), col(tables.Progress.user_id) == bindparam("user")
)
_PENDING = (
    select(tables.Question, tables.QuestionTest.title, tables.Reading.question_id)
    .outerjoin(tables.QuestionTest, col(tables.QuestionTest.question_id) == col(tables.Question.id))
    .outerjoin(tables.Reading, col(tables.Reading.question_id) == col(tables.Question.id))
    .where(col(tables.Question.id) == bindparam("question"), tables.Question.state != "voided")
    .order_by(col(tables.QuestionTest.position))
)
_ATTEMPTS = (
    select(tables.Answer)
    .where(col(tables.Answer.question_id) == bindparam("question"), col(tables.Answer.user_id) == bindparam("user"))
    .order_by(col(tables.Answer.creation))
)
_NEXT_TITLES = (
    select(tables.Node.title)
    .join(tables.Edge, col(tables.Edge.target_node_id) == col(tables.Node.id))
    .where(col(tables.Edge.source_node_id) == bindparam("node"))
    .order_by(col(tables.Edge.creation))
)
_OF_QUIZ = (
    col(tables.Assessment.user_id) == bindparam("user"),
    col(tables.Assessment.target_node_id) == bindparam("node"),
    col(tables.Assessment.type) == "quiz",
)
_ASKED = (
    select(tables.Question.prompt, tables.Reading.question_id)
    .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
    .outerjoin(tables.Reading, col(tables.Reading.question_id) == col(tables.Question.id))
    .where(*_OF_QUIZ)
    .order_by(col(tables.Question.position))
)
_UNAIDED_RIGHT = (
    select(func.count(func.distinct(tables.Question.id)))
    .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
    .join(tables.Answer, col(tables.Answer.question_id) == col(tables.Question.id))
    .where(*_OF_QUIZ, col(tables.Answer.user_id) == bindparam("user"), col(tables.Answer.help_level) == 0)
    .where(col(tables.Answer.is_correct).is_(True), col(tables.Question.state) != "voided")
)


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
    mine = {"node": node.id, "user": user_id}
    progress = session.exec(_PROGRESS, params=mine).first()
    prompts, is_reading = _asked(session, node.id, user_id)
    pending = pending_of(session, chat, user_id)
    messages = tuple(
        mapping.message_row(one) for one in reversed(session.exec(_NEWEST, params={"chat": chat.id}).all())
    )
    return Lesson(
        session_id=chat.id,
        user_id=user_id,
        node=mapping.node_row(node),
        concept=mapping.node_row(concept),
        topic=mapping.node_row(topic),
        dependents=tuple(session.exec(_NEXT_TITLES, params={"node": node.id})),
        ended=chat.ended_at is not None,
        pending=pending,
        plan=_plan(chat.plan),
        messages=messages,
        delivered_question_id=chat.delivered_question_id,
        asked_prompts=prompts,
        standing=_standing(session, node, progress, user_id),
        unaided_right=session.exec(_UNAIDED_RIGHT, params=mine).one(),
        reading=None if pending or chat.ended_at else _read_now(session, messages),
        is_reading=is_reading,
    )


def _read_now(session: Session, messages: Sequence[ChatMessageRow]) -> ReadingShown | None:
    """What the tutor's newest message in the lesson has its learner read without a question."""
    said = (one.id for one in reversed(messages) if one.role == "assistant" and one.kind != "hint_response")
    newest = next(said, None)
    return reading_alone(session, newest) if newest is not None else None


def pending_of(session: Session, chat: tables.ChatSession, user_id: str) -> AskedCheckpoint | None:
    """The question that is open in the conversation, unless it was voided."""
    found = session.exec(_PENDING, params={"question": chat.pending_question_id}).all()
    if not found:
        return None
    question, _, has_reading = found[0]
    attempts = session.exec(_ATTEMPTS, params={"question": question.id, "user": user_id}).all()
    asked = asked_checkpoint(question, attempts, tests=[title for _, title, _ in found if title])
    return replace(asked, reading=reading_of(session, question.id)) if has_reading else asked


def lesson_history_of(session: Session, user_id: str) -> LessonHistory:
    """The learner's newest lessons in which something was said."""
    chats, message = tables.ChatSession, tables.ChatMessage
    newest = (
        select(chats)
        .where(chats.user_id == user_id, col(chats.node_id).is_not(None))
        .order_by(col(chats.creation).desc())
        .limit(MAX_PAST_LESSONS)
    )
    found = session.exec(newest).all()
    moments: defaultdict[str, list[datetime]] = defaultdict(list)
    said = select(message.session_id, message.created_at).where(col(message.session_id).in_([one.id for one in found]))
    for session_id, at in session.exec(said):
        moments[session_id].append(at)
    spoken = [(one, _plan(one.plan), moments[one.id]) for one in reversed(found) if moments[one.id]]
    return LessonHistory(
        PastLesson(one.node_id or "", one.ended_at is not None, plan.step, plan.step_count, at)
        for one, plan, at in spoken
    )


def prerequisites_of(session: Session, lesson: Lesson) -> list[Prerequisite]:
    """The prerequisites of the subconcept, and whether the learner has learned each."""
    node, progress = tables.Node, tables.Progress
    wanted = (
        select(node.title, progress.mastery_score, progress.completed_at)
        .join(tables.Edge, col(tables.Edge.source_node_id) == col(node.id))
        .outerjoin(progress, (col(progress.node_id) == col(node.id)) & (col(progress.user_id) == lesson.user_id))
        .where(tables.Edge.target_node_id == lesson.node.id)
        .order_by(col(tables.Edge.creation))
    )
    return [
        Prerequisite(title, shown or 0.0, learned_at is not None) for title, shown, learned_at in session.exec(wanted)
    ]


def neighbours_of(session: Session, lesson: Lesson) -> list[str]:
    """Titles of the learned siblings of the subconcept that are easily confused with it, the likest first."""
    node, progress = tables.Node, tables.Progress
    wanted = (
        select(node.title, node.desc)
        .join(progress, (col(progress.node_id) == col(node.id)) & (col(progress.user_id) == lesson.user_id))
        .where(node.parent_id == lesson.concept.id, node.id != lesson.node.id, col(progress.completed_at).is_not(None))
        .order_by(col(node.creation))
    )
    words = f"{lesson.node.title} {lesson.node.desc or ''}"
    alike = [(likeness(words, f"{title} {desc or ''}"), title) for title, desc in session.exec(wanted)]
    return [title for share, title in sorted(alike, key=lambda one: -one[0]) if share >= CONFUSABLE_FROM]


def diagnostic_result_of(session: Session, lesson: Lesson) -> DiagnosticResult:
    """The diagnostic's newest answer to each question about the subconcept; to all questions if none is about it."""
    wanted = (
        select(tables.Question, tables.Answer, is_about(lesson.node.id))
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .join(tables.Answer, col(tables.Answer.question_id) == col(tables.Question.id))
        .where(tables.Assessment.user_id == lesson.user_id, tables.Answer.user_id == lesson.user_id)
        .where(tables.Assessment.target_node_id == lesson.concept.id, tables.Assessment.type == "diagnostic")
        .where(tables.Question.state != "voided", col(tables.Answer.score).is_not(None))
        .order_by(col(tables.Answer.creation))
    )
    newest = {question.id: (question, answer, about) for question, answer, about in session.exec(wanted)}
    answered = [(question, answer) for question, answer, _ in newest.values()]
    looked_at = [(question, answer) for question, answer, about in newest.values() if about] or answered
    if not looked_at:
        return DiagnosticResult(None, 0)
    scores = [answer.score or 0.0 for _, answer in looked_at]
    missed = tuple(
        MissedQuestion(question.prompt, answer.feedback or "")
        for question, answer in looked_at
        if (answer.score or 0.0) < NEUTRAL_SCORE
    )
    return DiagnosticResult(sum(scores) / len(scores), len(looked_at), missed)


def _known(session: Session, node: tables.Node, user_id: str) -> Mastery:
    """The learner's mastery of the subconcept."""
    concept_id, connection = node.parent_id or "", session.connection()
    evidence: list[Evidence | Claim] = [
        *evidence_about(connection, concept_id, user_id),
        *claims_about(connection, concept_id, user_id),
    ]
    found = mastery(evidence, edge_pairs(connection, concept_id))
    return found.get(node.id, Mastery())


def _standing(session: Session, node: tables.Node, progress: tables.Progress | None, user_id: str) -> Standing:
    """The learner's standing: as it is shown, since a person's override holds until the next graded answer."""
    if progress is None:
        return Standing(0, 0.0, learned=False, mastered=False, needed=RIGHT_TO_LEARN, mastered_from=None)
    known = _known(session, node, user_id) if progress.attempts_count or progress.completed_at else Mastery()
    learned, mastered = progress.completed_at is not None, progress.mastered_at is not None
    return Standing(
        attempts=progress.attempts_count,
        mastery=progress.mastery_score,
        learned=learned,
        mastered=mastered,
        needed=0 if learned else max(1, known.right_answers_needed),
        mastered_from=known.mastered_from if learned and not mastered else None,
    )


def _plan(stored: JsonValue) -> LessonPlan:
    plan = cast(Mapping[str, Any], stored or {})
    step = int(plan.get("chunk", 0))
    passed = range(1, step + 1)  # where it is not stored: lessons of earlier versions
    return LessonPlan(tuple(plan.get("can", ())), step, tuple(plan.get("asked", passed)))


def stored_plan(plan: LessonPlan) -> dict[str, JsonValue]:
    """The plan as its conversation keeps it."""
    return {"can": list(plan.goals), "chunk": plan.step, "asked": list(plan.asked)}


def _asked(session: Session, node_id: str, user_id: str) -> tuple[tuple[str, ...], bool]:
    """The prompts of all questions that were asked, voided ones too, since they are not asked again; and whether all
    are about something to read."""
    asked = session.exec(_ASKED, params={"node": node_id, "user": user_id}).all()
    return tuple(prompt for prompt, _ in asked), all(reading for _, reading in asked)
