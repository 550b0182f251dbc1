"""Checkpoint questions of lessons as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import col, func, select

from sprout.events import AnswerType, NodeRow
from sprout.ids import new_id
from sprout.learning.lessons.checkpoints import AskedCheckpoint, LessonCheckpoint
from sprout.learning.lessons.help_ladder import GAP_LADDER, HelpLadder, HelpLevel, LadderStep
from sprout.learning.marking.choices import Option
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import prompt_key
from sprout.store.assessment.questions import draft_of, insert_question
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import unique_key
from sprout.store.schema import tables


def ask_checkpoint(
    tx: WriteTransaction, checkpoint: LessonCheckpoint, *, concept: NodeRow, node: NodeRow, user_id: str
) -> AskedCheckpoint:
    """Ask the checkpoint in the learner's quiz of the subconcept, whose concept is locked.

    The same prompt asked again is another question. Raises InvalidQuestion.
    """
    draft = replace(validate_draft(checkpoint.draft), tests=(node.title,))
    quiz = _quiz_of(tx, node, user_id)
    last = tx.session.exec(
        select(func.coalesce(func.max(tables.Question.position), 0)).where(tables.Question.assessment_id == quiz)
    ).one()
    made = insert_question(
        tx.connection,
        draft,
        assessment_id=quiz,
        concept_id=concept.id,
        position=last + 1,
        key=f"{last + 1}:{unique_key(prompt_key(draft.prompt))}",
    )
    row = tx.session.exec(select(tables.Question).where(tables.Question.id == made.id)).one()
    row.state, row.kind = "posed", checkpoint.kind
    row.anchors = cast(JsonValue, list(draft.anchors)) or None
    row.help = cast(JsonValue, list(checkpoint.help)) or None
    row.ladder = ladder_column(GAP_LADDER if checkpoint.is_gap else HelpLadder(), None)
    tx.session.add(row)
    tx.session.flush()
    return asked_checkpoint(row, (), tests=draft.tests)


def asked_checkpoint(
    question: tables.Question, attempts: Sequence[tables.Answer], *, tests: Sequence[str]
) -> AskedCheckpoint:
    """The question with its options in the order of their ids, which is how they are shown.

    Args:
        attempts: the learner's, oldest first.
        tests: titles of the subconcepts that it tests.
    """
    counted = cast(Mapping[str, Any], question.ladder or {}).get("counted")
    options = [Option(**one) for one in cast(list[dict[str, str]], question.options or [])]
    last = next((one for one in attempts if one.id == counted), None)
    return AskedCheckpoint(
        question.id,
        _checkpoint(question, tests),
        tuple(sorted(options, key=attrgetter("id"))),
        ladder_of(question),
        counted,
        _answer_text(last) if last is not None else "",
        (last.feedback or "") if last is not None else "",
        last is not None and last.score is None,
        sum(one.is_correct is False for one in attempts),
    )


def ladder_column(ladder: HelpLadder, counted: str | None) -> JsonValue:
    """A help ladder as its column has it, with the last attempt that it has counted."""
    levels = {"level": int(ladder.level), "given": int(ladder.given)}
    return {**asdict(ladder), **levels, "step": ladder.step.value, "counted": counted}


def ladder_of(question: tables.Question) -> HelpLadder:
    """The help ladder of a question; the first step where none is stored."""
    stored_ladder = cast(Mapping[str, Any], question.ladder or {})
    if not stored_ladder:
        return HelpLadder()
    return HelpLadder(
        HelpLevel(stored_ladder["level"]),
        stored_ladder["attempts"],
        stored_ladder["unmarked"],
        LadderStep(stored_ladder["step"]),
        HelpLevel(stored_ladder.get("given", HelpLevel.NONE)),
    )


def _answer_text(answer: tables.Answer) -> str:
    return answer.answer_text or answer.selected_option or ""


def _checkpoint(question: tables.Question, tests: Sequence[str]) -> LessonCheckpoint:
    return LessonCheckpoint(
        draft_of(question, tests),
        cast(AnswerType, question.kind or "text"),
        tuple(cast(list[str], question.help or [])),
        is_gap=bool(ladder_of(question).given),
    )


def _quiz_of(tx: WriteTransaction, node: NodeRow, user_id: str) -> str:
    """The id of the learner's one quiz of the subconcept, made if missing."""
    quiz = tables.Assessment
    wanted = select(quiz.id).where(quiz.user_id == user_id, quiz.target_node_id == node.id, quiz.type == "quiz")
    found = tx.session.exec(wanted.order_by(col(quiz.creation))).first()
    if found is not None:
        return found
    made = quiz(id=new_id(), user_id=user_id, target_node_id=node.id, type="quiz", title=f"Lesson on {node.title}")
    tx.session.add(made)
    tx.session.flush()
    return made.id
