"""Diagnostic questions as rows: options get their ids here, once and for all."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import Connection, bindparam, case, func, insert
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.graph.graph import title_key
from sprout.learning.questions.questions import QuestionDraft, QuestionFormat, prompt_key
from sprout.store import tables
from sprout.store.children import unique_key
from sprout.store.columns import Listed, table_of

_assessments, _questions = table_of(tables.Assessment), table_of(tables.Question)
_DIAGNOSTIC = select_rows(_assessments.c.id).where(
    _assessments.c.user_id == bindparam("user"),
    _assessments.c.target_node_id == bindparam("node"),
    _assessments.c.type == "diagnostic",
)
_INSERT_ASSESSMENT = insert(_assessments)
_INSERT_QUESTION = insert(_questions)
_POSITIONS = select_rows(
    func.coalesce(func.max(_questions.c.position), 0),
    func.max(case((_questions.c.prompt_key == bindparam("key"), _questions.c.position))),
).where(_questions.c.assessment_id == bindparam("assessment"))
_ID_AT = select_rows(_questions.c.id).where(
    _questions.c.assessment_id == bindparam("assessment"), _questions.c.position == bindparam("at")
)


def diagnostic_of(connection: Connection, concept: NodeRow, user_id: str) -> str:
    """The id of the learner's one diagnostic of the concept, made where there is none; the concept must be locked."""
    values = {"user": user_id, "node": concept.id}
    found: str | None = connection.execute(_DIAGNOSTIC, values).scalar_one_or_none()
    if found is not None:
        return found
    made = tables.Assessment(
        id=new_id(), user_id=user_id, target_node_id=concept.id, title=f"Diagnostic for {concept.title}"
    )
    connection.execute(_INSERT_ASSESSMENT, _columns(made))
    return made.id


def positions(connection: Connection, assessment_id: str, prompt: str) -> tuple[int, int | None]:
    """The last position in the assessment, 0 where there is none, and that of the question that asks the same."""
    values = {"assessment": assessment_id, "key": unique_key(prompt_key(prompt))}
    last, same = connection.execute(_POSITIONS, values).one()
    return last, same


def question_at(connection: Connection, assessment_id: str, position: int) -> str:
    """The id of the question at that position, which must be there."""
    found: str = connection.execute(_ID_AT, {"assessment": assessment_id, "at": position}).scalar_one()
    return found


def kept(
    connection: Connection,
    draft: QuestionDraft,
    *,
    assessment_id: str,
    concept_id: str,
    position: int,
    parts: Sequence[NodeRow],
    key: str | None = None,
    state: str = "verified",
) -> tables.Question:
    """The draft, which must have been checked, as a question of the assessment; what a person wrote is verified.

    Args:
        key: what makes it differ from others of the assessment, where that is not its prompt.
    """
    question = tables.Question(
        id=new_id(),
        assessment_id=assessment_id,
        node_id=concept_id,
        position=position,
        state=state,
        format=draft.format,
        prompt=draft.prompt,
        prompt_key=key or unique_key(prompt_key(draft.prompt)),
        **_options(draft),
        correct_answer=draft.correct_answer,
        criteria=[asdict(criterion) for criterion in draft.criteria] or None,
        anchors=[*draft.anchors] or None,
        tolerance=draft.tolerance,
        unit=draft.unit,
        difficulty=draft.difficulty,
        tests=resolved([{"title": title, "nodeId": None} for title in draft.tests], parts),
    )
    connection.execute(_INSERT_QUESTION, _columns(question))
    return question


def unchecked_state(format: QuestionFormat) -> str:
    """The state of a question that is asked without a check of its key: only a choice needs one (Q3)."""
    return "posed" if format == "mcq" else "verified"


def resolved(tests: JsonValue, nodes: Sequence[NodeRow]) -> JsonValue:
    """[{title, nodeId}] with the id of the node of that title, null where there is none (yet)."""
    by_title = {title_key(node.title): node.id for node in nodes}
    return [
        {"title": test["title"], "nodeId": by_title.get(title_key(test["title"] or ""), test["nodeId"])}
        for test in named_tests(tests)
    ]


def named_tests(tests: JsonValue) -> Sequence[Mapping[str, str | None]]:
    """What a question tests as the column keeps it: [{title, nodeId}]."""
    return cast(Sequence[Mapping[str, str | None]], tests or [])


def questions_about(session: Session, concept_id: str, user_id: str) -> Sequence[tables.Question]:
    """All questions of the learner's assessments of a concept."""
    wanted = (
        select(tables.Question)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Question.node_id == concept_id, tables.Assessment.user_id == user_id)
        .order_by(col(tables.Question.creation))
    )
    return session.exec(wanted).all()


def _columns(row: Listed) -> dict[str, Any]:
    """The row as an INSERT takes it; the database numbers it."""
    return row.model_dump(exclude={"creation"})


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
