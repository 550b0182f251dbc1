"""Concept report rows: a learner's standing with one concept of a given path, and their last answers."""

from typing import Any

from sqlalchemy import Connection, Select, select

from sprout.accounts.class_page.progress import ReportedAnswer
from sprout.accounts.class_page.rules import outcome_of
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.store.schema import tables
from sprout.store.schema.class_tables import GivenPath
from sprout.store.schema.columns import table_of

MAX_ANSWERS = 10

_given, _nodes = table_of(GivenPath), table_of(tables.Node)
_questions, _answers = table_of(tables.Question), table_of(tables.Answer)
_progress = table_of(tables.Progress)


def given_of_concept(connection: Connection, class_id: str, node_id: str) -> str:
    """The id of the path, given to the class, that has this concept. Raises NotFound."""
    wanted = (
        select(_given.c.id)
        .join(_nodes, _nodes.c.branch_id == _given.c.branch_id)
        .where(_given.c.class_id == class_id, _nodes.c.id == node_id, _nodes.c.type == "concept")
    )
    found: str | None = connection.execute(wanted).scalar()
    if found is None:
        raise NotFound("concept", node_id)
    return found


def chance_of(connection: Connection, copy_id: str, user_id: str) -> float | None:
    """How likely the learner knows it, 0..1; None before anything was answered or found known."""
    wanted = select(_progress).where(_progress.c.node_id == copy_id, _progress.c.user_id == user_id)
    row = connection.execute(wanted).one_or_none()
    if row is None or not (row.attempts_count or row.mastery_score):
        return None
    return float(row.mastery_score)


def last_answers(connection: Connection, copy_id: str, user_id: str) -> list[ReportedAnswer]:
    """What was asked about the concept, newest first, and how it was answered: nothing of what was said."""
    return [
        ReportedAnswer(
            at=wire_time(row.created_at),
            prompt=row.prompt,
            outcome=outcome_of(row.score),
            helped=row.help_level > 0,
        )
        for row in connection.execute(_last_answers(copy_id, user_id))
    ]


def _last_answers(copy_id: str, user_id: str) -> Select[Any]:
    return (
        select(_answers.c.created_at, _answers.c.score, _answers.c.help_level, _questions.c.prompt)
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .where(_questions.c.node_id == copy_id, _answers.c.user_id == user_id, _questions.c.state != "voided")
        .order_by(_answers.c.creation.desc())
        .limit(MAX_ANSWERS)
    )
