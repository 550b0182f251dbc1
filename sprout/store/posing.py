"""Checkpoints as rows: how one is kept, and how it is read again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import col, func, select

from sprout.events import AnswerType, NodeRow
from sprout.ids import new_id
from sprout.learning.lessons.help import HelpLevel, Ladder, NextStep
from sprout.learning.lessons.lesson import Checkpoint, Posed
from sprout.learning.marking.keyed_answers import Option
from sprout.learning.questions.questions import (
    Criterion,
    Misconception,
    QuestionDraft,
    QuestionFormat,
    checked,
    prompt_key,
)
from sprout.store import tables
from sprout.store.children import unique_key
from sprout.store.questions import kept
from sprout.store.write import Write

HELP_LEVELS = 4


def pose(write: Write, checkpoint: Checkpoint, *, concept: NodeRow, node: NodeRow, user_id: str) -> Posed:
    """Ask the checkpoint in the learner's quiz of the subconcept, whose concept is locked. The same prompt may be asked
    again: it is another question then. Raises QuestionRefused."""
    draft = checked(checkpoint.draft)
    quiz = _quiz_of(write, node, user_id)
    last = write.session.exec(
        select(func.coalesce(func.max(tables.Question.position), 0)).where(tables.Question.assessment_id == quiz)
    ).one()
    made = kept(
        write.connection,
        draft,
        assessment_id=quiz,
        concept_id=concept.id,
        position=last + 1,
        parts=[node],
        key=f"{last + 1}:{unique_key(prompt_key(draft.prompt))}",
    )
    row = write.session.exec(select(tables.Question).where(tables.Question.id == made.id)).one()
    row.tests = [{"title": node.title, "nodeId": node.id}]
    row.state, row.kind = "posed", checkpoint.kind
    row.anchors = cast(JsonValue, list(draft.anchors)) or None
    row.solution = cast(JsonValue, list(checkpoint.solution)) or None
    row.help = cast(JsonValue, [*checkpoint.help, checkpoint.smaller]) if checkpoint.help else None
    row.ladder = ladder_column(Ladder(), None)
    write.session.add(row)
    write.session.flush()
    return posed(row, ())


def posed(question: tables.Question, attempts: Sequence[tables.Answer]) -> Posed:
    """The question with its options in the order of their ids, which is how they are shown.

    Args:
        attempts: the learner's, oldest first.
    """
    kept_ladder = cast(Mapping[str, Any], question.ladder or {})
    counted = kept_ladder.get("counted")
    options = [Option(**one) for one in cast(list[dict[str, str]], question.options or [])]
    told = [one for one in attempts if one.id == counted and one.score is not None]
    return Posed(
        question.id,
        _checkpoint(question),
        tuple(sorted(options, key=attrgetter("id"))),
        _ladder(kept_ladder),
        counted,
        _words(told[-1]) if told else "",
        sum(one.is_correct is False for one in attempts),
    )


def ladder_column(ladder: Ladder, counted: str | None) -> JsonValue:
    """A ladder as its column has it, with the attempt that it has taken in last."""
    return {**asdict(ladder), "level": int(ladder.level), "step": ladder.step.value, "counted": counted}


def _ladder(kept_ladder: Mapping[str, Any]) -> Ladder:
    if not kept_ladder:
        return Ladder()
    return Ladder(
        HelpLevel(kept_ladder["level"]),
        kept_ladder["attempts"],
        kept_ladder["attempts_since_help"],
        kept_ladder["unsure"],
        NextStep(kept_ladder["step"]),
    )


def _words(answer: tables.Answer) -> str:
    return answer.answer_text or answer.selected_option or ""


def _checkpoint(question: tables.Question) -> Checkpoint:
    prepared = cast(list[str], question.help or [])
    return Checkpoint(
        _draft(question),
        cast(AnswerType, question.kind or "text"),
        tuple(prepared[:HELP_LEVELS]),
        prepared[HELP_LEVELS] if len(prepared) > HELP_LEVELS else "",
        tuple(cast(list[str], question.solution or [])),
    )


def _draft(question: tables.Question) -> QuestionDraft:
    options = {one["id"]: one["text"] for one in cast(list[dict[str, str]], question.options or [])}
    return QuestionDraft(
        prompt=question.prompt,
        format=cast(QuestionFormat, question.format),
        correct_answer=question.correct_answer or "",
        difficulty=question.difficulty,
        tests=tuple(test["title"] for test in cast(list[dict[str, str]], question.tests or [])),
        options=tuple(options.values()),
        criteria=tuple(Criterion(**one) for one in cast(list[dict[str, Any]], question.criteria or [])),
        tolerance=question.tolerance,
        unit=question.unit,
        misconceptions=tuple(
            Misconception(one["answer"], one["misconception"])
            for one in cast(list[dict[str, str]], question.misconceptions or [])
        ),
        anchors=tuple(cast(list[str], question.anchors or [])),
    )


def _quiz_of(write: Write, node: NodeRow, user_id: str) -> str:
    """The id of the learner's one quiz of the subconcept, made where there is none."""
    quiz = tables.Assessment
    wanted = select(quiz.id).where(quiz.user_id == user_id, quiz.target_node_id == node.id, quiz.type == "quiz")
    found = write.session.exec(wanted.order_by(col(quiz.creation))).first()
    if found is not None:
        return found
    made = quiz(id=new_id(), user_id=user_id, target_node_id=node.id, type="quiz", title=f"Lesson on {node.title}")
    write.session.add(made)
    write.session.flush()
    return made.id
