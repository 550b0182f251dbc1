"""Checkpoint questions of lessons as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import col, func, select

from sprout.events import AnswerType, NodeRow
from sprout.ids import new_id
from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel, NextStep
from sprout.learning.lessons.turn import AskedCheckpoint, LessonCheckpoint
from sprout.learning.marking.keyed_answers import Option
from sprout.learning.questions.questions import (
    Criterion,
    Misconception,
    QuestionDraft,
    QuestionFormat,
    prompt_key,
    validate_draft,
)
from sprout.store.assessment.questions import insert_question
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import unique_key
from sprout.store.schema import tables
from sprout.store.schema.marking_columns import accepted_of, program_tests_of

HELP_LEVELS = 4


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
    row.solution = cast(JsonValue, list(checkpoint.solution)) or None
    row.help = cast(JsonValue, [*checkpoint.help, checkpoint.smaller]) if checkpoint.help else None
    row.ladder = ladder_column(HelpLadder(), None)
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
    stored_ladder = cast(Mapping[str, Any], question.ladder or {})
    counted = stored_ladder.get("counted")
    options = [Option(**one) for one in cast(list[dict[str, str]], question.options or [])]
    counted_attempts = [one for one in attempts if one.id == counted and one.score is not None]
    return AskedCheckpoint(
        question.id,
        _checkpoint(question, tests),
        tuple(sorted(options, key=attrgetter("id"))),
        _ladder(stored_ladder),
        counted,
        _answer_text(counted_attempts[-1]) if counted_attempts else "",
        sum(one.is_correct is False for one in attempts),
    )


def ladder_column(ladder: HelpLadder, counted: str | None) -> JsonValue:
    """A help ladder as its column has it, with the last attempt that it has counted."""
    return {**asdict(ladder), "level": int(ladder.level), "step": ladder.step.value, "counted": counted}


def _ladder(stored_ladder: Mapping[str, Any]) -> HelpLadder:
    if not stored_ladder:
        return HelpLadder()
    return HelpLadder(
        HelpLevel(stored_ladder["level"]),
        stored_ladder["attempts"],
        stored_ladder["attempts_since_help"],
        stored_ladder["unsure"],
        NextStep(stored_ladder["step"]),
    )


def _answer_text(answer: tables.Answer) -> str:
    return answer.answer_text or answer.selected_option or ""


def _checkpoint(question: tables.Question, tests: Sequence[str]) -> LessonCheckpoint:
    prepared = cast(list[str], question.help or [])
    return LessonCheckpoint(
        _draft(question, tests),
        cast(AnswerType, question.kind or "text"),
        tuple(prepared[:HELP_LEVELS]),
        prepared[HELP_LEVELS] if len(prepared) > HELP_LEVELS else "",
        tuple(cast(list[str], question.solution or [])),
    )


def _draft(question: tables.Question, tests: Sequence[str]) -> QuestionDraft:
    options = {one["id"]: one["text"] for one in cast(list[dict[str, str]], question.options or [])}
    return QuestionDraft(
        prompt=question.prompt,
        format=cast(QuestionFormat, question.format),
        correct_answer=question.correct_answer or "",
        difficulty=question.difficulty,
        tests=tuple(tests),
        options=tuple(options.values()),
        criteria=tuple(Criterion(**one) for one in cast(list[dict[str, Any]], question.criteria or [])),
        tolerance=question.tolerance,
        unit=question.unit,
        misconceptions=tuple(
            Misconception(one["answer"], one["misconception"])
            for one in cast(list[dict[str, str]], question.misconceptions or [])
        ),
        anchors=tuple(cast(list[str], question.anchors or [])),
        program_tests=program_tests_of(question),
        accepted=accepted_of(question),
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
