"""Mastery: computed anew from the graded answers whenever one is added or voided, never counted up.

A person's override stands until an answer about that node is graded.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam, exists, or_
from sqlalchemy import select as select_rows
from sqlmodel import col, select

from sprout.events import MasteryChanged, NodeRow
from sprout.ids import new_id
from sprout.learning.mastery.mastery import Evidence, Mastery, mastery, mean_mastery
from sprout.store.assessment.question_tests import gather_tests, tested_ids, with_tests
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of, edges_among
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

NO_MASTERY = Mastery(0.0)  # of a row before the first answer

_nodes, _known = table_of(tables.Node), table_of(tables.Progress)
_assessments, _answers = table_of(tables.Assessment), table_of(tables.Answer)
_questions, _tests = table_of(tables.Question), table_of(tables.QuestionTest)
_HERE = select_rows(_nodes.c.id).where(
    or_(_nodes.c.id == bindparam("concept"), _nodes.c.parent_id == bindparam("concept"))
)
_KNOWN_OF = exists().where(_known.c.user_id == bindparam("user"), _known.c.node_id.in_(_HERE))
_ASKED = select_rows(_assessments.c.id).where(
    _assessments.c.user_id == bindparam("user"), _assessments.c.target_node_id == bindparam("concept")
)
_ANSWERED = exists().where(  # also if the nodes it was about are gone
    _answers.c.user_id == bindparam("user"), _answers.c.assessment_id.in_(_ASKED)
)
_COME_TO = select_rows(or_(_KNOWN_OF, _ANSWERED))
_EVIDENCE = with_tests(
    select_rows(
        *(_answers.c[name] for name in ("id", "help_level", "score", "created_at")),
        _questions.c.format,
    )
    .join(_questions, _questions.c.id == _answers.c.question_id)
    .where(_questions.c.node_id == bindparam("concept"), _answers.c.user_id == bindparam("user"))
    .where(_questions.c.state != "voided", _answers.c.score.is_not(None))
    .order_by(_answers.c.creation)
)


def update_progress(tx: WriteTransaction, concept: NodeRow, user_id: str, now: datetime) -> Sequence[MasteryChanged]:
    """Update the learner's progress on a concept, whose row is locked, and on its parts; the rows that changed."""
    parts = children_of(tx.connection, concept.id)
    edges = [(edge.source_node_id, edge.target_node_id) for edge in edges_among(tx.connection, concept.id)]
    evidence = evidence_about(tx, concept.id, user_id)
    found = mastery(evidence, edges)
    progress = _progress(tx, [concept.id, *(part.id for part in parts)], user_id)
    changes: list[MasteryChanged] = []
    for part in parts:
        if part.id in found or part.id in progress:
            known = found.get(part.id, NO_MASTERY)
            changes += _set(tx, progress, part.id, user_id, known.value, known.attempts, known.mastered, now)
    if parts and (found or concept.id in progress or any(part.id in progress for part in parts)):
        shown = [_visible_mastery(progress.get(part.id)) for part in parts]
        value, whole = mean_mastery([one for one, _ in shown]), all(completed for _, completed in shown)
        changes += _set(tx, progress, concept.id, user_id, value, len(evidence), whole, now)
    return changes


def update_after_edit(tx: WriteTransaction, parent: NodeRow, user_id: str, now: datetime) -> Sequence[MasteryChanged]:
    """Update progress after the children of a node, or the questions about them, have changed; the rows that changed.

    The node's row must be locked. Nothing is done if it is no concept, or the learner has not entered it yet.
    """
    if parent.type != "concept":
        return ()
    tx.flush()
    if not tx.connection.execute(_COME_TO, {"user": user_id, "concept": parent.id}).scalar_one():
        return ()
    changes = update_progress(tx, parent, user_id, now)
    tx.session.flush()  # the next step may remove a part with its progress
    return changes


def end_overrides(tx: WriteTransaction, question: tables.Question, user_id: str) -> None:
    """End the overrides of the nodes that the question is about: an answer to it was graded."""
    tested = select_rows(_tests.c.node_id).where(_tests.c.question_id == question.id)
    wanted = select(tables.Progress).where(
        tables.Progress.user_id == user_id,
        or_(col(tables.Progress.node_id) == question.node_id, col(tables.Progress.node_id).in_(tested)),
    )
    for row in tx.session.exec(wanted):
        row.overridden_at = None
        tx.session.add(row)


def evidence_about(tx: WriteTransaction, concept_id: str, user_id: str) -> list[Evidence]:
    """The learner's graded answers to questions about the concept that are not voided, oldest first."""
    found = tx.connection.execute(_EVIDENCE, {"concept": concept_id, "user": user_id})
    return [
        Evidence(row.id, tested_ids(tests), row.format, row.score, row.help_level, row.created_at)
        for row, tests in gather_tests(found)
    ]


def _progress(tx: WriteTransaction, node_ids: Collection[str], user_id: str) -> dict[str, tables.Progress]:
    wanted = select(tables.Progress).where(
        tables.Progress.user_id == user_id, col(tables.Progress.node_id).in_(node_ids)
    )
    return {row.node_id: row for row in tx.session.exec(wanted)}


def _visible_mastery(row: tables.Progress | None) -> tuple[float, bool]:
    """The mastery of a part as it is shown, and whether it is completed."""
    return (0.0, False) if row is None else (row.mastery_score, row.completed_at is not None)


def _set(
    tx: WriteTransaction,
    progress: dict[str, tables.Progress],
    node_id: str,
    user_id: str,
    value: float,
    attempts: int,
    mastered: bool,
    now: datetime,
) -> Sequence[MasteryChanged]:
    row = progress.get(node_id) or tables.Progress(
        id=new_id(), user_id=user_id, node_id=node_id, created_at=now, updated_at=now
    )
    progress[node_id] = row
    tx.session.add(row)
    completed_at = (row.completed_at or now) if mastered else None
    if row.overridden_at is not None:
        value, completed_at = row.mastery_score, row.completed_at
    if (row.mastery_score, row.attempts_count, row.completed_at) == (value, attempts, completed_at):
        return ()
    row.mastery_score, row.attempts_count, row.completed_at = value, attempts, completed_at
    row.updated_at = now
    return (MasteryChanged(node_id=node_id, mastery=value, evidence=attempts, completed=completed_at is not None),)
