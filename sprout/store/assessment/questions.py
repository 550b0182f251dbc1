"""Questions as rows; options get their permanent ids here."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, bindparam, case, func, insert, update
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.questions.diagnostics import AskedQuestion
from sprout.learning.questions.questions import (
    SOLVABLE_FORMATS,
    Criterion,
    QuestionDraft,
    QuestionFormat,
    prompt_key,
)
from sprout.store.assessment.beliefs import name_beliefs
from sprout.store.assessment.question_tests import gather_tests, insert_tests, with_tests
from sprout.store.graph.nodes import unique_key
from sprout.store.schema import tables
from sprout.store.schema.columns import OrderedModel, table_of
from sprout.store.schema.marking_columns import accepted_of, marking_column, misconceptions_of, program_tests_of

_assessments, _questions = table_of(tables.Assessment), table_of(tables.Question)
_DIAGNOSTICS = select_rows(_assessments.c.target_node_id, _assessments.c.id).where(
    _assessments.c.user_id == bindparam("user"),
    _assessments.c.target_node_id.in_(bindparam("nodes", expanding=True)),
    _assessments.c.type == "diagnostic",
)
_INSERT_ASSESSMENT = insert(_assessments)
_REOPEN = update(_assessments).where(_assessments.c.id == bindparam("assessment")).values(completed_at=None)
_COMPLETE_IF_EMPTY = (
    update(_assessments)
    .where(_assessments.c.id == bindparam("assessment"), _assessments.c.completed_at.is_(None))
    .where(~select_rows(_questions.c.id).where(_questions.c.assessment_id == bindparam("assessment")).exists())
    .values(completed_at=bindparam("now"))
)
_INSERT_QUESTION = insert(_questions)
_POSITIONS = select_rows(
    func.coalesce(func.max(_questions.c.position), 0),
    func.max(case((_questions.c.prompt_key == bindparam("key"), _questions.c.position))),
).where(_questions.c.assessment_id == bindparam("assessment"))
_LAST_POSITIONS = (
    select_rows(_questions.c.assessment_id, func.max(_questions.c.position).label("last"))
    .where(_questions.c.assessment_id.in_(bindparam("assessments", expanding=True)))
    .group_by(_questions.c.assessment_id)
)
_ID_AT = select_rows(_questions.c.id).where(
    _questions.c.assessment_id == bindparam("assessment"), _questions.c.position == bindparam("at")
)

_ASKED = with_tests(
    select_rows(_questions.c.id, _questions.c.prompt, _questions.c.state)
    .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
    .where(_questions.c.node_id == bindparam("concept"), _assessments.c.user_id == bindparam("user"))
    .order_by(_questions.c.creation)
)


def get_or_create_diagnostic(connection: Connection, concept: NodeRow, user_id: str) -> str:
    """The id of the learner's one diagnostic of the concept, made if missing; the concept must be locked."""
    return get_or_create_diagnostics(connection, [concept], user_id)[concept.id]


def get_or_create_diagnostics(connection: Connection, concepts: Sequence[NodeRow], user_id: str) -> Mapping[str, str]:
    """Concept → the id of the learner's one diagnostic of it, made if missing; the concepts must be locked."""
    values = {"user": user_id, "nodes": [one.id for one in concepts]}
    found = {row.target_node_id: row.id for row in connection.execute(_DIAGNOSTICS, values)}
    made = [
        tables.Assessment(id=new_id(), user_id=user_id, target_node_id=one.id, title=f"Diagnostic for {one.title}")
        for one in concepts
        if one.id not in found
    ]
    if made:
        connection.execute(_INSERT_ASSESSMENT, [*map(_columns, made)])
    return found | {one.target_node_id: one.id for one in made}


def last_positions(connection: Connection, assessment_ids: Iterable[str]) -> Mapping[str, int]:
    """Assessment → the last position in it; one that is empty has none."""
    rows = connection.execute(_LAST_POSITIONS, {"assessments": [*assessment_ids]})
    return {row.assessment_id: row.last for row in rows}


def positions(connection: Connection, assessment_id: str, prompt: str) -> tuple[int, int | None]:
    """The last position in the assessment, 0 if it is empty, and that of the question with the same prompt."""
    values = {"assessment": assessment_id, "key": unique_key(prompt_key(prompt))}
    last, same = connection.execute(_POSITIONS, values).one()
    return last, same


def reopen_assessment(connection: Connection, assessment_id: str) -> None:
    """A new question is open: its assessment is not completed any more."""
    connection.execute(_REOPEN, {"assessment": assessment_id})


def complete_if_empty(connection: Connection, assessment_id: str, now: datetime) -> None:
    """An assessment without questions is complete, until it gets one."""
    connection.execute(_COMPLETE_IF_EMPTY, {"assessment": assessment_id, "now": now})


def question_at(connection: Connection, assessment_id: str, position: int) -> str:
    """The id of the question at that position, which must exist."""
    found: str = connection.execute(_ID_AT, {"assessment": assessment_id, "at": position}).scalar_one()
    return found


def insert_question(
    connection: Connection,
    draft: QuestionDraft,
    *,
    assessment_id: str,
    concept_id: str,
    position: int,
    key: str | None = None,
    state: str = "verified",
    kind: str | None = None,
) -> tables.Question:
    """Insert a checked draft as a question of the assessment; a person's question is verified.

    What its wrong answers stand for is named in its topic.

    Args:
        key: what makes it differ from others of the assessment, if not its prompt.
        kind: the form of its answer, if it comes from a lesson.
    """
    (draft,) = name_beliefs(connection, [draft], concept_id)
    question = new_question(
        draft,
        assessment_id=assessment_id,
        concept_id=concept_id,
        position=position,
        key=key,
        state=state,
        kind=kind,
    )
    insert_new_questions(connection, [(question, draft.tests)])
    return question


def new_question(
    draft: QuestionDraft,
    *,
    assessment_id: str,
    concept_id: str,
    position: int,
    key: str | None = None,
    state: str = "verified",
    kind: str | None = None,
) -> tables.Question:
    """The row of a draft whose beliefs are named, with `insert_question`'s arguments."""
    return tables.Question(
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
        marked_by=marking_column(draft),
        solution=[*draft.solution] or None,
        tolerance=draft.tolerance,
        unit=draft.unit,
        difficulty=draft.difficulty,
        kind=kind,
    )


def insert_new_questions(connection: Connection, new: Sequence[tuple[tables.Question, Sequence[str]]]) -> None:
    """Insert rows of questions about concepts, each with the titles of the parts that it tests."""
    connection.execute(_INSERT_QUESTION, [_columns(question) for question, _ in new])
    insert_tests(connection, ((one.id, cast(str, one.node_id), titles) for one, titles in new))


def unchecked_state(format: QuestionFormat) -> str:
    """The state of a question that is asked without a check of its key: only one that can be solved needs one."""
    return "posed" if format in SOLVABLE_FORMATS else "verified"


def questions_about(session: Session, concept_id: str, user_id: str) -> Sequence[tables.Question]:
    """All questions of the learner's assessments of a concept."""
    wanted = (
        select(tables.Question)
        .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
        .where(tables.Question.node_id == concept_id, tables.Assessment.user_id == user_id)
        .order_by(col(tables.Question.creation))
    )
    return session.exec(wanted).all()


def asked_questions(connection: Connection, concept_id: str, user_id: str) -> list[AskedQuestion]:
    """All questions of the learner's assessments of a concept, with the titles that they test."""
    return [
        AskedQuestion(row.prompt, tuple(test.title for test in tests), voided=row.state == "voided")
        for row, tests in gather_tests(connection.execute(_ASKED, {"concept": concept_id, "user": user_id}))
    ]


def draft_of(question: tables.Question, tests: Sequence[str] = ()) -> QuestionDraft:
    """The draft that a stored question was made from; `tests` are titles of the subconcepts that it tests."""
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
        misconceptions=misconceptions_of(question),
        anchors=tuple(cast(list[str], question.anchors or [])),
        program_tests=program_tests_of(question),
        accepted=accepted_of(question),
        solution=tuple(cast(list[str], question.solution or [])),
    )


def _columns(row: OrderedModel) -> dict[str, Any]:
    """The row as an INSERT takes it; the database assigns its number."""
    return row.model_dump(exclude={"creation"})


def _options(draft: QuestionDraft) -> dict[str, Any]:
    """Options with random ids, which reveal nothing; misconceptions name options by id, other answers by text."""
    ids = {text: secrets.token_hex(6) for text in draft.options}
    return {
        "options": [{"id": ids[text], "text": text} for text in draft.options] or None,
        "correct_option_id": ids.get(draft.correct_answer) if draft.format == "mcq" else None,
        "misconceptions": [
            {"optionId": ids.get(one.option), "answer": one.option, "misconception": one.misconception}
            | ({"slip": True} if one.slip else {})
            for one in draft.misconceptions
        ]
        or None,
    }
