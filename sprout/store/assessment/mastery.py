"""Mastery: computed anew from the graded answers and the claims of placements whenever one changes, never counted up.

A person's override stands until an answer about that node is graded.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, exists, or_
from sqlalchemy import select as select_rows
from sqlmodel import col, select

from sprout.events import MasteryChanged, NodeRow
from sprout.ids import new_id
from sprout.learning.mastery.mastery import HIGHEST_OPEN, Mastery, mastery, mean_mastery
from sprout.store.assessment.claims import claims_about
from sprout.store.assessment.evidence import evidence_about
from sprout.store.assessment.review_cards import sync_cards
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of, edges_among
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

_nodes, _known = table_of(tables.Node), table_of(tables.Progress)
_assessments, _answers = table_of(tables.Assessment), table_of(tables.Answer)
_tests = table_of(tables.QuestionTest)
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


def update_progress(tx: WriteTransaction, concept: NodeRow, user_id: str, now: datetime) -> Sequence[MasteryChanged]:
    """Update the learner's progress on a concept, whose row is locked, and on its parts; the rows that changed."""
    parts = children_of(tx.connection, concept.id)
    evidence = evidence_about(tx.connection, concept.id, user_id)
    claims = claims_about(tx.connection, concept.id, user_id)
    found = mastery([*evidence, *claims], edge_pairs(tx.connection, concept.id))
    progress = _progress(tx, [concept.id, *(part.id for part in parts)], user_id)
    learned_before = {part.id: progress[part.id].completed_at for part in parts if part.id in progress}
    changes: list[MasteryChanged] = []
    for part in parts:
        if part.id in found or part.id in progress:
            known = found.get(part.id, Mastery())
            derived = _Derived(known.value, known.attempts, known.learned_at, known.mastered_at)
            changes += _set(tx, progress, part.id, user_id, derived, now)
    if parts and (evidence or claims or concept.id in progress or any(part.id in progress for part in parts)):
        whole = _whole([progress.get(part.id) for part in parts], len(evidence))
        changes += _set(tx, progress, concept.id, user_id, whole, now)
    learned = {part.id: progress[part.id].completed_at for part in parts if part.id in progress}
    sync_cards(tx, {id_: at for id_, at in learned.items() if at != learned_before.get(id_)}, user_id)
    return changes


def edge_pairs(connection: Connection, parent_id: str) -> list[tuple[str, str]]:
    """The edges among the children of a node: prerequisite → what builds on it."""
    return [(edge.source_node_id, edge.target_node_id) for edge in edges_among(connection, parent_id)]


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


def _progress(tx: WriteTransaction, node_ids: Collection[str], user_id: str) -> dict[str, tables.Progress]:
    wanted = select(tables.Progress).where(
        tables.Progress.user_id == user_id, col(tables.Progress.node_id).in_(node_ids)
    )
    return {row.node_id: row for row in tx.session.exec(wanted)}


@dataclass(frozen=True, slots=True)
class _Derived:
    """Progress as the answers have it."""

    value: float
    attempts: int
    learned_at: datetime | None
    mastered_at: datetime | None


def _whole(parts: Sequence[tables.Progress | None], attempts: int) -> _Derived:
    """Progress on a concept: it is learned, or mastered, with the last of its parts."""
    value = mean_mastery([0.0 if part is None else part.mastery_score for part in parts])
    learned_at = _last([None if part is None else part.completed_at for part in parts])
    mastered_at = _last([None if part is None else part.mastered_at for part in parts])
    return _Derived(min(value, HIGHEST_OPEN) if learned_at is None else value, attempts, learned_at, mastered_at)


def _last(times: Sequence[datetime | None]) -> datetime | None:
    """The last of the times; None unless there are all."""
    known = [at for at in times if at is not None]
    return max(known) if len(known) == len(times) else None


def _set(
    tx: WriteTransaction,
    progress: dict[str, tables.Progress],
    node_id: str,
    user_id: str,
    derived: _Derived,
    now: datetime,
) -> Sequence[MasteryChanged]:
    row = progress.get(node_id) or tables.Progress(
        id=new_id(), user_id=user_id, node_id=node_id, created_at=now, updated_at=now
    )
    progress[node_id] = row
    tx.session.add(row)
    value, attempts = derived.value, derived.attempts
    completed_at, mastered_at = derived.learned_at, derived.mastered_at
    if row.overridden_at is not None:
        value, completed_at = row.mastery_score, row.completed_at
        mastered_at = None if completed_at is None else mastered_at
    new = (value, attempts, completed_at, mastered_at)
    if (row.mastery_score, row.attempts_count, row.completed_at, row.mastered_at) == new:
        return ()
    row.mastery_score, row.attempts_count, row.completed_at, row.mastered_at = new
    row.updated_at = now
    changed = MasteryChanged(
        node_id=node_id,
        mastery=value,
        evidence=attempts,
        completed=completed_at is not None,
        mastered=mastered_at is not None,
    )
    return (changed,)
