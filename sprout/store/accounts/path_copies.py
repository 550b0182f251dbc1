"""Copies of paths: everything of a source under new ids, for another owner, with where each node came from."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.accounts.given_paths import PathSource
from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.graph.graph import title_key
from sprout.learning.paths.contents import NewContent
from sprout.learning.paths.copy_comparison import desc_digest
from sprout.learning.paths.import_plan import PlannedPath
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.exchange import insert_path, path_file
from sprout.store.schema import mapping, tables
from sprout.store.schema.class_tables import ClassTable, GivenPath, PathCopy


@dataclass(frozen=True, slots=True)
class CopiedBranch:
    """A branch that is a copy, and what each of its nodes was made of."""

    branch_id: str
    origins: JsonValue


def path_source(session: Session, given_id: str) -> PathSource:
    """The path that is given, as its teacher has it now. Raises NotFound."""
    wanted = (
        select(GivenPath.branch_id, ClassTable.user_id)
        .join(ClassTable, col(ClassTable.id) == col(GivenPath.class_id))
        .where(GivenPath.id == given_id)
    )
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("given path", given_id)
    branch_id, teacher_id = found
    file = path_file(session, branch_id, teacher_id)
    return PathSource(branch_id, file, nodes_of(session, branch_id), _contents(session, branch_id))


def nodes_of(session: Session, branch_id: str) -> Sequence[NodeRow]:
    """The nodes of a branch, parents before their children, siblings in the order of creation."""
    found = session.exec(
        select(tables.Node).where(tables.Node.branch_id == branch_id).order_by(col(tables.Node.creation))
    )
    level = {"root": 0, "concept": 1, "subconcept": 2}
    return sorted(map(mapping.node_row, found), key=lambda node: level[node.type])


def copied_branch(session: Session, source_id: str, user_id: str) -> CopiedBranch | None:
    """The learner's copy of a path that was given in another class, if there is one."""
    wanted = (
        select(PathCopy)
        .join(GivenPath, col(GivenPath.id) == col(PathCopy.given_id))
        .where(GivenPath.branch_id == source_id, PathCopy.user_id == user_id, col(PathCopy.branch_id).is_not(None))
    )
    found = session.exec(wanted).first()
    return None if found is None or found.branch_id is None else CopiedBranch(found.branch_id, found.origins)


def insert_copy(tx: WriteTransaction, plan: PlannedPath, source: PathSource) -> CopiedBranch:
    """A new branch with all of a source, as it was planned. Raises TooLarge."""
    branch = insert_path(tx, plan)
    copies = copies_by_origin(source.nodes, [plan.root, *plan.nodes])
    for node_id, content in source.contents.items():
        if node_id in copies:
            add_content(tx.session, copies[node_id].id, content)
    return CopiedBranch(branch.id, origins_of(source.nodes, copies))


def copies_by_origin(source: Sequence[NodeRow], copies: Sequence[NodeRow]) -> Mapping[str, NodeRow]:
    """The copy of each node of a source, by titles, which are unique among siblings."""
    places = dict(zip(_places(copies), copies, strict=True))
    return {node.id: places[place] for node, place in zip(source, _places(source), strict=True) if place in places}


def origins_of(source: Sequence[NodeRow], copies: Mapping[str, NodeRow]) -> JsonValue:
    """What is kept of where the nodes of a copy came from."""
    return {node.id: [copies[node.id].id, desc_digest(node)] for node in source if node.id in copies}


def add_content(session: Session, node_id: str, content: NewContent) -> None:
    """A content of a new node."""
    session.add(tables.NodeContent(id=new_id(), node_id=node_id, **asdict(content)))


def _places(nodes: Sequence[NodeRow]) -> list[tuple[str, ...]]:
    """The titles that lead to each node; the topic's own does not count."""
    found: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        above = () if node.parent_id is None else found.get(node.parent_id, ("?", node.parent_id))
        found[node.id] = () if node.parent_id is None else (*above, title_key(node.title))
    return [found[node.id] for node in nodes]


def _contents(session: Session, branch_id: str) -> Mapping[str, NewContent]:
    """The active contents by node. Those with cards are what the teacher was taught in lessons, and stay theirs."""
    content = tables.NodeContent
    wanted = (
        select(content)
        .join(tables.Node, col(tables.Node.id) == col(content.node_id))
        .where(tables.Node.branch_id == branch_id, content.status == "active", col(content.cards).is_(None))
    )
    return {one.node_id: _content(one) for one in session.exec(wanted)}


def _content(content: tables.NodeContent) -> NewContent:
    return NewContent(
        content.explanation_md,
        content.visualization_kind,
        content.visualization_payload,
        content.generated_by_model,
        content.generation_prompt_hash,
    )
