"""Path updates on SQL: a copy is compared with its source, and gets what it lacks, in one transaction."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.accounts.given_paths import PathSource
from sprout.accounts.path_updates import AddedNode, DescribedNode, PathUpdateRow, UpdateChanged
from sprout.clock import utc_now
from sprout.errors import InvalidGraphEdit
from sprout.events import GraphEvent, NodeRow
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit, title_key
from sprout.learning.paths.copy_comparison import CopyChanges, Origin, compare_copy, desc_digest
from sprout.learning.paths.import_plan import PlannedQuestion, plan_import
from sprout.store.accounts.path_copies import add_content, nodes_of, path_source
from sprout.store.accounts.teaching import is_teaching
from sprout.store.assessment.beliefs import save_beliefs
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import edges_among, lock_node
from sprout.store.graph.ownership import owned_branch, owned_node
from sprout.store.paths import node_edits
from sprout.store.paths.edits import edit_children
from sprout.store.paths.exchange import insert_questions
from sprout.store.paths.removal_guards import nodes_with_activity
from sprout.store.runs.event_log import EventLog
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable, GivenPath, PathCopy


class SqlPathUpdates:
    """PathUpdates on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._log = EventLog(lambda _: None)  # what a person changes is in no run's log

    async def update(self, branch_id: str, *, user_id: str) -> PathUpdateRow | None:
        def read(session: Session) -> PathUpdateRow | None:
            owned_branch(session, branch_id, user_id)
            offer = _offer(session, branch_id, user_id)
            return None if offer is None else offer.row()

        return await self._database.read_orm_tx(read)

    async def accept(self, branch_id: str, version: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            owned_branch(tx.session, branch_id, user_id, lock=True)
            offer = _offer(tx.session, branch_id, user_id)
            if offer is None or offer.changes.version != version:
                raise UpdateChanged
            copies = _Applier(tx, self._log, offer, user_id).apply()
            _keep_origins(tx.session, offer, copies, branch_id, user_id)

        await self._database.write_tx(body)


@dataclass(frozen=True, slots=True)
class _Offer:
    """What is offered of a source.

    Args:
        copies: the node of the copy for each node of the source that has one.
    """

    source: PathSource
    changes: CopyChanges
    copies: Mapping[str, NodeRow]
    class_name: str
    teacher: str

    def row(self) -> PathUpdateRow:
        titles = {node.id: node.title for node in self.source.nodes if node.type == "concept"}
        return PathUpdateRow(
            version=self.changes.version,
            class_name=self.class_name,
            teacher=self.teacher,
            added=[
                AddedNode(title=node.title, desc=node.desc, concept=titles.get(node.parent_id or ""))
                for node in self.changes.added
            ],
            described=[
                DescribedNode(node_id=copy.id, title=copy.title, before=copy.desc, after=node.desc)
                for copy, node in self.changes.described
            ],
        )


def _offer(session: Session, branch_id: str, user_id: str) -> _Offer | None:
    wanted = (
        select(PathCopy, ClassTable, AccountTable)
        .join(GivenPath, col(GivenPath.id) == col(PathCopy.given_id))
        .join(ClassTable, col(ClassTable.id) == col(GivenPath.class_id))
        .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
        .join(ClassMember, col(ClassMember.class_id) == col(ClassTable.id))
        .where(col(PathCopy.branch_id) == branch_id, col(PathCopy.user_id) == user_id)
        .where(col(ClassMember.user_id) == user_id, col(ClassTable.archived_at).is_(None), is_teaching())
        .order_by(col(PathCopy.creation))
    )
    found = session.exec(wanted).first()
    if found is None:
        return None
    copy, of, teacher = found
    source, nodes = path_source(session, copy.given_id), nodes_of(session, branch_id)
    origins = {node_id: Origin(*kept) for node_id, kept in cast(dict[str, Any], copy.origins).items()}
    changes = compare_copy(source.nodes, nodes, origins)
    if not changes.added and not changes.described:
        return None
    by_id = {node.id: node for node in nodes}
    copies = {node_id: by_id[origin.copy_id] for node_id, origin in origins.items() if origin.copy_id in by_id} | dict(
        changes.found
    )
    return _Offer(source, changes, copies, of.name, teacher.display_name)


def _keep_origins(session: Session, offer: _Offer, copies: Mapping[str, NodeRow], branch_id: str, user_id: str) -> None:
    """Keep what was taken over; a copy that was given in two classes has one state."""
    wanted = select(PathCopy).where(PathCopy.branch_id == branch_id, PathCopy.user_id == user_id)
    for copy in session.exec(wanted):
        taken = {node.id: [copies[node.id].id, desc_digest(node)] for node in offer.source.nodes if node.id in copies}
        copy.origins = cast(JsonValue, {**cast(dict[str, Any], copy.origins), **taken})
        session.add(copy)


@dataclass(frozen=True, slots=True)
class _Applier:
    tx: WriteTransaction
    log: EventLog
    offer: _Offer
    user_id: str

    def apply(self) -> Mapping[str, NodeRow]:
        """The copy of each node of the source, after the changes."""
        copies = dict(self.offer.copies)
        for parent_id in dict.fromkeys(node.parent_id for node in self.offer.changes.added):
            if parent_id is not None:
                copies |= self._add_children(parent_id, copies)
        for copy, node in self.offer.changes.described:
            theirs = owned_node(self.tx.session, copy.id, self.user_id)
            node_edits.update(self.tx, self.log, theirs, title=None, desc=node.desc or "", accuracy=None)
        self._add_questions(copies)
        for node in self.offer.changes.added:
            if (content := self.offer.source.contents.get(node.id)) is not None:
                add_content(self.tx.session, copies[node.id].id, content)
        return copies

    def _add_children(self, parent_id: str, copies: Mapping[str, NodeRow]) -> dict[str, NodeRow]:
        """The new children of a node of the source, added to its copy."""
        parent = lock_node(self.tx.connection, copies[parent_id].id, self.user_id)
        added = [node for node in self.offer.changes.added if node.parent_id == parent_id]
        edit = edit_children(
            self.tx, self.log, parent, lambda graph: self._joined(graph, parent_id, added, copies),
            actor=Actor(self.user_id),
        )  # fmt: skip
        if parent.type == "concept":
            self._mark_generated(parent.id)
        by_title = {title_key(node.title): node for node in edit.graph.nodes}
        return {node.id: by_title[title_key(node.title)] for node in added}

    def _joined(self, graph: ConceptGraph, parent_id: str, added: list[NodeRow], copies: Mapping[str, NodeRow]) -> Edit:
        """The graph with the new nodes and their edges. Nothing new comes before what the learner has begun."""
        begun = nodes_with_activity(self.tx.connection, [node.id for node in graph.nodes])
        ids = {node_id: copy.id for node_id, copy in copies.items()}
        events: list[GraphEvent] = []
        fresh = {node.id for node in added}
        for node in added:
            edit = graph.add(node.title, node.desc, self.log.now())
            graph, events = edit.graph, [*events, *edit.events]
            if edit.node is not None:
                ids[node.id] = edit.node.id
        for edge in edges_among(self.tx.connection, parent_id):
            ends = (edge.source_node_id, edge.target_node_id)
            source, target = (ids.get(end) for end in ends)
            if fresh & {*ends} and source and target and target not in begun:
                with suppress(InvalidGraphEdit):  # it would close a cycle with edges of the learner's own
                    edit = graph.connect(source, target)
                    graph, events = edit.graph, [*events, *edit.events]
        return Edit(graph, tuple(events))

    def _add_questions(self, copies: Mapping[str, NodeRow]) -> None:
        """The questions of new concepts; those of others are asked about what the learner has begun."""
        concepts = {
            title_key(node.title): copies[node.id] for node in self.offer.changes.added if node.type == "concept"
        }
        if not concepts:
            return
        root = next(copies[node.id] for node in self.offer.source.nodes if node.type == "root")
        assert root.branch_id is not None
        plan = plan_import(self.offer.source.file, user_id=self.user_id, branch_id=root.branch_id, now=utc_now())
        planned = {node.id: concepts.get(title_key(node.title)) for node in plan.nodes if node.type == "concept"}
        questions = [
            PlannedQuestion(copy.id, one.draft)
            for one in plan.questions
            if (copy := planned.get(one.concept_id)) is not None
        ]
        self.tx.flush()
        save_beliefs(self.tx.connection, plan.beliefs, root.id)
        insert_questions(self.tx.connection, concepts.values(), questions, self.user_id)

    def _mark_generated(self, concept_id: str) -> None:
        """So that no agent adds to the parts unasked."""
        progress = tables.Progress
        wanted = select(progress).where(progress.user_id == self.user_id, progress.node_id == concept_id)
        found = self.tx.session.exec(wanted).first()
        kept = found or progress(id=new_id(), user_id=self.user_id, node_id=concept_id)
        kept.has_generated_subnodes = True
        self.tx.session.add(kept)
