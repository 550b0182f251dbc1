"""Claims: what placements found, what the learner said there, and what they read to its end.

Of a part that is read in the notes too little may be asked for answers to show it: then its lesson, read to the end, is
what lets its learner go on, unless the last answer about it was not right yet, by its mark or by their own word.
"""

from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, Select, bindparam, exists, func, literal, null, select, type_coerce, union_all

from sprout.learning.mastery.mastery import RIGHT_TO_LEARN, Claim
from sprout.learning.reviews.grading import ReviewMark, mark_of
from sprout.store.assessment.placement_findings import claim_of
from sprout.store.schema import tables
from sprout.store.schema.columns import JSON_VALUE, table_of
from sprout.store.schema.grade_columns import load_grade
from sprout.store.schema.placement_tables import PlacementFinding, PlacementRow

_findings, _placements = table_of(PlacementFinding), table_of(PlacementRow)
_sessions, _messages, _readings = table_of(tables.ChatSession), table_of(tables.ChatMessage), table_of(tables.Reading)
_nodes, _questions, _quizzes = table_of(tables.Node), table_of(tables.Question), table_of(tables.Assessment)
_answers = table_of(tables.Answer)
_NO_GRADE = type_coerce(null(), JSON_VALUE)
_FOUND = (
    select(
        _findings.c.node_id,
        _findings.c.known,
        _findings.c.said,
        _findings.c.said_at,
        _placements.c.ended_at,
        _NO_GRADE.label("last_grade"),
    )
    .join(_placements, _placements.c.id == _findings.c.placement_id)
    .where(_placements.c.user_id == bindparam("user"), _placements.c.ended_at.is_not(None))
)
_HAS_READING = (
    exists()
    .where(_messages.c.session_id == _sessions.c.id, _readings.c.message_id == _messages.c.id)
    .correlate(_sessions)
)
_ASKED = (
    select(func.count(func.distinct(_questions.c.prompt)))
    .join(_quizzes, _quizzes.c.id == _questions.c.assessment_id)
    .where(_quizzes.c.user_id == _sessions.c.user_id, _quizzes.c.target_node_id == _sessions.c.node_id)
    .where(_quizzes.c.type == "quiz")
    .correlate(_sessions)
    .scalar_subquery()
)
_LAST_GRADE = (
    select(_answers.c.grade)
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .join(_quizzes, _quizzes.c.id == _questions.c.assessment_id)
    .where(_quizzes.c.user_id == _sessions.c.user_id, _quizzes.c.target_node_id == _sessions.c.node_id)
    .where(_quizzes.c.type == "quiz", _questions.c.state != "voided")
    .where(_answers.c.grade.is_not(null()))  # "I don't know" after a miss makes it no better
    .order_by(_answers.c.creation.desc())
    .limit(1)
    .correlate(_sessions)
    .scalar_subquery()
)
_READ = (
    select(_sessions.c.node_id, literal(True), null(), null(), _sessions.c.ended_at, _LAST_GRADE)
    .where(_sessions.c.user_id == bindparam("user"), _sessions.c.ended_at.is_not(None))
    .where(_HAS_READING, _ASKED < RIGHT_TO_LEARN)
)
_CLAIMS = union_all(_FOUND, _READ)


def _in_concept(wanted: Select[Any], node_id: Any) -> Select[Any]:
    return wanted.join(_nodes, _nodes.c.id == node_id).where(_nodes.c.parent_id == bindparam("concept"))


_ABOUT = union_all(_in_concept(_FOUND, _findings.c.node_id), _in_concept(_READ, _sessions.c.node_id))


def claims_about(connection: Connection, concept_id: str, user_id: str) -> list[Claim]:
    """The claims about the parts of a concept."""
    return _claims(connection, _ABOUT, user=user_id, concept=concept_id)


def claims_of(connection: Connection, user_id: str) -> list[Claim]:
    """All of a learner's claims."""
    return _claims(connection, _CLAIMS, user=user_id)


def _claims(connection: Connection, wanted: Any, **of: str) -> list[Claim]:
    rows = (row for row in connection.execute(wanted, of) if not _is_missed(row.last_grade))
    found = (claim_of(row.node_id, row.known, row.said, row.said_at, row.ended_at) for row in rows)
    return [one for one in found if one is not None]


def _is_missed(last_grade: JsonValue) -> bool:
    grade = load_grade(last_grade)
    return grade is not None and mark_of(grade) is ReviewMark.NOT_YET
