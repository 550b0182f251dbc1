"""Placement findings as rows: what the answers of an ended placement show about each part, and what its learner says.

They are computed from the answers and from the path, again whenever one of the questions is voided. Mastery takes them
as claims.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Connection, bindparam, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from sprout.events import wire_time
from sprout.ids import new_id
from sprout.learning.mastery.mastery import Claim
from sprout.learning.paths.repository import NodeDetail
from sprout.learning.placement.knowledge_space import KnowledgeSpace, knowledge_space
from sprout.learning.placement.placement import Asked, Reply, confirmed, next_check_step, next_step, reply_of
from sprout.learning.questions.questions import QuestionFormat
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.branch_graph import branch_graph_rows
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.placement_tables import PlacementFinding, PlacementItem, PlacementRow

_placements, _items, _findings = table_of(PlacementRow), table_of(PlacementItem), table_of(PlacementFinding)
_nodes, _questions, _answers = table_of(tables.Node), table_of(tables.Question), table_of(tables.Answer)
_SAID_NOT = (
    select(_findings.c.node_id, _findings.c.said_at)
    .join(_placements, _placements.c.id == _findings.c.placement_id)
    .where(_placements.c.user_id == bindparam("user"))
    .where(_placements.c.branch_id.in_(bindparam("branches", expanding=True)))
    .where(_findings.c.said.is_(False), _findings.c.said_at.is_not(None))
)
_ASKED = (
    select(
        _items.c.id,
        _items.c.node_id,
        _items.c.state,
        _questions.c.format,
        _questions.c.difficulty,
        _answers.c.score,
    )
    .join(_questions, _questions.c.id == _items.c.question_id)
    .outerjoin(_answers, (_answers.c.question_id == _questions.c.id) & (_answers.c.user_id == bindparam("user")))
    .where(_items.c.placement_id == bindparam("placement"), _items.c.node_id.is_not(None))
    .where(_items.c.state.in_(("answered", "skipped")), _questions.c.state != "voided")
    .order_by(_items.c.position, _answers.c.creation)
)


@dataclass(frozen=True, slots=True)
class PlacedPath:
    """A path as a placement sees it.

    Args:
        learned: the parts that its learner has learned.
        denied: those that they said in a placement they do not know, and have not learned since.
    """

    nodes: Sequence[NodeDetail]
    space: KnowledgeSpace
    learned: frozenset[str]
    denied: frozenset[str]

    def targets_of(self, node_id: str | None) -> list[str]:
        """The parts that a check of a part or a concept is about."""
        own = {node.id for node in self.nodes if node_id in (node.id, node.parent_id)}
        return [unit for unit in self.space.node_ids if unit in own]

    @property
    def before(self) -> dict[str, bool]:
        """What is known of parts before anything is asked about them."""
        return dict.fromkeys(self.learned, True) | dict.fromkeys(self.denied, False)

    @property
    def by_id(self) -> dict[str, NodeDetail]:
        return {node.id: node for node in self.nodes}

    @property
    def parts(self) -> list[NodeDetail]:
        return [node for node in self.nodes if node.type == "subconcept"]


def placed_path(connection: Connection, branch_id: str, user_id: str, *, before: datetime | None = None) -> PlacedPath:
    """The path with what its learner has learned of it, before a time if one is given."""
    return placed_paths(connection, [branch_id], user_id, before=before)[branch_id]


def placed_paths(
    connection: Connection, branch_ids: Sequence[str], user_id: str, *, before: datetime | None = None
) -> dict[str, PlacedPath]:
    """Each branch's path, as `placed_path` has it."""
    nodes, edges, progress, _ = branch_graph_rows(connection, branch_ids, user_id)
    pairs = [(edge.source_node_id, edge.target_node_id) for edge in edges]
    until = None if before is None else wire_time(before)
    learned = {
        row.node_id for row in progress if row.completed_at is not None and (until is None or row.completed_at < until)
    }
    said_not = {
        row.node_id
        for row in connection.execute(_SAID_NOT, {"user": user_id, "branches": branch_ids})
        if before is None or row.said_at < before
    }
    return {
        one: _placed_path([node for node in nodes if node.branch_id == one], pairs, learned, said_not)
        for one in branch_ids
    }


def _placed_path(
    nodes: Sequence[NodeDetail], pairs: Iterable[tuple[str, str]], learned: Set[str], said_not: Set[str]
) -> PlacedPath:
    """The path of some nodes, from what concerns them of all the rest."""
    own = {node.id for node in nodes}
    space = knowledge_space(nodes, [pair for pair in pairs if own.issuperset(pair)])
    units = frozenset(space.node_ids)
    return PlacedPath(nodes, space, units & learned, units & (said_not - learned))


def asked_in(connection: Connection, placement_id: str, user_id: str) -> list[Asked]:
    """The questions of a placement that were answered or skipped, in their order, without voided ones.

    The last attempt at each says what it showed: those before it could not be read.
    """
    found = {row.id: row for row in connection.execute(_ASKED, {"placement": placement_id, "user": user_id})}
    return [
        Asked(
            row.node_id,
            cast(QuestionFormat, row.format),
            row.difficulty,
            Reply.SKIPPED if row.state == "skipped" else reply_of(row.score),
        )
        for row in found.values()
    ]


def found_known(connection: Connection, row: PlacementRow, path: PlacedPath) -> frozenset[str]:
    """The parts that a placement finds known."""
    asked = asked_in(connection, row.id, row.user_id)
    if row.kind == "path":
        return next_step(path.space, asked, path.before, {}).known
    targets = path.targets_of(row.node_id)
    return confirmed(path.space, targets, asked, next_check_step(path.space, targets, asked, path.before, {}))


def store_findings(tx: WriteTransaction, row: PlacementRow, path: PlacedPath) -> list[str]:
    """Store what an ended placement found about each part of the path now; the concepts with a change.

    A check is about what it was asked to check and, where it is confirmed, what that rests on.
    """
    known = found_known(tx.connection, row, path)
    about = {part.id for part in path.parts} if row.kind == "path" else known | {*path.targets_of(row.node_id)}
    before = {finding.node_id: finding for finding in findings_of(tx.session, row.id)}
    concepts: dict[str, None] = {}
    for part in path.parts:
        found = before.get(part.id)
        if part.id not in about and found is None:
            continue
        if found is None:
            found = PlacementFinding(id=new_id(), placement_id=row.id, node_id=part.id, known=False)
        if found.known != (part.id in known):
            concepts[part.parent_id or ""] = None
        found.known = part.id in known
        tx.session.add(found)
    tx.session.flush()
    return list(concepts)


def refresh_findings(tx: WriteTransaction, question_id: str, user_id: str) -> list[str]:
    """Compute the findings of the ended placement that asked a question anew; the concepts with a change."""
    wanted = (
        select_rows(PlacementRow)
        .join(PlacementItem, col(PlacementItem.placement_id) == col(PlacementRow.id))
        .where(PlacementItem.question_id == question_id, PlacementRow.user_id == user_id)
        .where(col(PlacementRow.ended_at).is_not(None))
    )
    row = tx.session.exec(wanted).first()
    if row is None:
        return []
    path = placed_path(tx.connection, row.branch_id, user_id, before=row.ended_at)  # what it found is no evidence of it
    return store_findings(tx, row, path)


def findings_of(session: Session, placement_id: str) -> Sequence[PlacementFinding]:
    """The findings of a placement, in the order of the path."""
    wanted = select_rows(PlacementFinding).where(PlacementFinding.placement_id == placement_id)
    return session.exec(wanted.order_by(col(PlacementFinding.creation))).all()


def claim_of(
    node_id: str, known: bool, said: bool | None, said_at: datetime | None, ended_at: datetime
) -> Claim | None:
    """What a finding claims: the learner's word before what was found, and nothing where neither says it is known."""
    if said is not None:
        return Claim(node_id, said, said_at or ended_at)
    return Claim(node_id, True, ended_at) if known else None
