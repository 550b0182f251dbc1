"""Diagnostic questions as rows: options get their ids here, once and for all."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from sprout.ids import new_id
from sprout.learning.graph import title_key
from sprout.learning.questions import QuestionDraft, prompt_key
from sprout.store import tables
from sprout.store.edits import unique_key


async def diagnostic_of(session: AsyncSession, concept: tables.Node, user_id: str) -> tables.Assessment:
    """The learner's one diagnostic of the concept, made where there is none; the concept's row must be locked."""
    wanted = select(tables.Assessment).where(
        tables.Assessment.user_id == user_id,
        tables.Assessment.target_node_id == concept.id,
        tables.Assessment.type == "diagnostic",
    )
    found = (await session.exec(wanted)).first()
    if found is None:
        found = tables.Assessment(
            id=new_id(), user_id=user_id, target_node_id=concept.id, title=f"Diagnostic for {concept.title}"
        )
        session.add(found)
        await session.flush()
    return found


async def same_prompt(session: AsyncSession, assessment_id: str, prompt: str) -> tables.Question | None:
    """The question of the assessment that asks the same, if there is one."""
    wanted = select(tables.Question).where(
        tables.Question.assessment_id == assessment_id,
        tables.Question.prompt_key == unique_key(prompt_key(prompt)),
    )
    return (await session.exec(wanted)).first()


async def kept(
    session: AsyncSession, assessment: tables.Assessment, draft: QuestionDraft, nodes: Sequence[tables.Node]
) -> tables.Question:
    """The draft, which must have been checked, as the assessment's next question."""
    last = select(func.coalesce(func.max(tables.Question.position), 0)).where(
        tables.Question.assessment_id == assessment.id
    )
    position: int = (await session.exec(last)).one()
    question = tables.Question(
        id=new_id(),
        assessment_id=assessment.id,
        node_id=assessment.target_node_id,
        position=position + 1,
        format=draft.format,
        prompt=draft.prompt,
        prompt_key=unique_key(prompt_key(draft.prompt)),
        **_options(draft),
        correct_answer=draft.correct_answer,
        criteria=[asdict(criterion) for criterion in draft.criteria] or None,
        tolerance=draft.tolerance,
        unit=draft.unit,
        difficulty=draft.difficulty,
        tests=resolved([{"title": title, "nodeId": None} for title in draft.tests], nodes),
    )
    session.add(question)
    await session.flush()
    return question


def resolved(tests: JsonValue, nodes: Sequence[tables.Node]) -> JsonValue:
    """[{title, nodeId}] with the id of the node of that title, null where there is none (yet)."""
    by_title = {title_key(node.title): node.id for node in nodes}
    return [
        {"title": test["title"], "nodeId": by_title.get(title_key(test["title"] or ""), test["nodeId"])}
        for test in named_tests(tests)
    ]


def named_tests(tests: JsonValue) -> Sequence[Mapping[str, str | None]]:
    """What a question tests as the column keeps it: [{title, nodeId}]."""
    return cast(Sequence[Mapping[str, str | None]], tests or [])


async def questions_about(session: AsyncSession, concept_id: str, user_id: str) -> Sequence[tables.Question]:
    """All questions of the learner's assessments of a concept."""
    wanted = (
        select(tables.Question)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Question.node_id == concept_id, tables.Assessment.user_id == user_id)
        .order_by(col(tables.Question.creation))
    )
    return (await session.exec(wanted)).all()


def _options(draft: QuestionDraft) -> dict[str, Any]:
    """Options with random ids, which tell nothing; misconceptions name options by id, other answers by their words."""
    ids = {text: secrets.token_hex(6) for text in draft.options}
    return {
        "options": [{"id": ids[text], "text": text} for text in draft.options] or None,
        "correct_option_id": ids.get(draft.correct_answer) if draft.format == "mcq" else None,
        "misconceptions": [
            {"optionId": ids.get(one.option), "answer": one.option, "misconception": one.misconception}
            for one in draft.misconceptions
        ]
        or None,
    }
