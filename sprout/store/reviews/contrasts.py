"""Contrasts in reviews: the question against a mix-up that a teacher sent comes first in the learner's next session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from sprout.learning.misconceptions.ledger import BeliefState, Clearable, LedgerEntry
from sprout.learning.reviews.items import Candidate, choose_item
from sprout.learning.reviews.planning import DuePart, PlannedReview
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.reviews.candidates import asked_about
from sprout.store.schema import tables
from sprout.store.schema.class_tables import ClassMember, Contrast, ContrastRecipient, GivenPath, PathCopy
from sprout.store.schema.columns import table_of

_contrasts, _recipients, _copies = table_of(Contrast), table_of(ContrastRecipient), table_of(PathCopy)
_members, _given = table_of(ClassMember), table_of(GivenPath)
_nodes, _branches, _progress = table_of(tables.Node), table_of(tables.Branch), table_of(tables.Progress)


@dataclass(frozen=True, slots=True)
class PendingContrast:
    """A contrast that its learner was not asked yet, as a review of the part that its question is about."""

    review: PlannedReview
    branch_id: str
    branch_title: str


def pending_contrasts(connection: Connection, user_id: str, now: datetime) -> list[PendingContrast]:
    """The contrasts that wait for the learner and of which a question can be asked, the oldest first."""
    found = [_pending(connection, row, user_id, now) for row in connection.execute(_waiting(user_id)).all()]
    parts: dict[str, PendingContrast] = {}
    for one in found:
        if one is not None:
            parts.setdefault(one.review.part.node_id, one)
    return [*parts.values()]


def contrast_question(
    connection: Connection, contrast_id: str, node_id: str, user_id: str, now: datetime
) -> Candidate | None:
    """The question about a part that the contrast asks; None where there is none any more."""
    wanted = select(_contrasts.c.belief_id).where(_contrasts.c.id == contrast_id)
    belief_id = connection.execute(wanted).scalar()
    if belief_id is None:
        return None
    return choose_item(_against(connection, [node_id], belief_id, user_id, now).get(node_id, ()))


def mark_asked(tx: WriteTransaction, contrast_id: str, user_id: str, question_id: str) -> None:
    """Keep which question the learner was asked, so that it is asked once."""
    mine = (_recipients.c.contrast_id == contrast_id, _recipients.c.user_id == user_id)
    tx.connection.execute(update(_recipients).where(*mine).values(question_id=question_id))


def _waiting(user_id: str) -> Any:
    return (
        select(_contrasts.c.id, _contrasts.c.belief_id, _copies.c.branch_id, _branches.c.title)
        .join(_recipients, _recipients.c.contrast_id == _contrasts.c.id)
        .join(_copies, (_copies.c.given_id == _contrasts.c.given_id) & (_copies.c.user_id == _recipients.c.user_id))
        .join(_given, _given.c.id == _contrasts.c.given_id)
        .join(_members, (_members.c.class_id == _given.c.class_id) & (_members.c.user_id == _recipients.c.user_id))
        .join(_branches, _branches.c.id == _copies.c.branch_id)
        .where(_recipients.c.user_id == user_id, _recipients.c.question_id.is_(None))
        .order_by(_contrasts.c.creation)
    )


def _pending(connection: Connection, row: Any, user_id: str, now: datetime) -> PendingContrast | None:
    """The question comes from a concept that the learner has answered about: nothing is asked ahead of its lesson."""
    begun = (_progress.c.node_id == _nodes.c.parent_id) & (_progress.c.user_id == user_id)
    wanted = (
        select(_nodes)
        .join(_progress, begun & (_progress.c.attempts_count > 0))
        .where(_nodes.c.branch_id == row.branch_id, _nodes.c.type == "subconcept")
    )
    parts = {part.id: part for part in connection.execute(wanted)}
    by_part = _against(connection, [*parts], row.belief_id, user_id, now)
    chosen = choose_item([one for candidates in by_part.values() for one in candidates])
    if chosen is None:
        return None
    part = next(parts[node_id] for node_id, candidates in by_part.items() if chosen in candidates)
    due = DuePart(part.id, part.parent_id, row.branch_id, 0.0, is_new=True, words=f"{part.title} {part.desc or ''}")
    return PendingContrast(PlannedReview(due, contrast_id=row.id), row.branch_id, row.title)


def _against(
    connection: Connection, node_ids: Sequence[str], belief_id: str, user_id: str, now: datetime
) -> dict[str, list[Candidate]]:
    """The questions about these parts an answer to which can show the belief."""
    held = Clearable([LedgerEntry(belief_id, "", BeliefState.OPEN, (), sure=False)], {}, now)
    asked = asked_about(connection, node_ids, user_id, held)
    return {node_id: fit for node_id, found in asked.items() if (fit := [one for one in found if one.clears])}
