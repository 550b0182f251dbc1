"""A person's edits of single nodes; a change of a child is an edit of its parent's graph, as an agent's is.

Rows are locked from the top down, the parent first, so that two changes never deadlock.
"""

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, select

from sprout.errors import BadInput, Conflict, NotFound
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import CHILD_TYPE, MAX_TITLE, ConceptGraph, Edit, title_key
from sprout.learning.text.normalization import one_line, tidy
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import unique_key
from sprout.store.graph.ownership import owned_node
from sprout.store.paths.edits import edit_children
from sprout.store.paths.removal_guards import refuse_while_running
from sprout.store.runs.event_log import EventLog
from sprout.store.schema import run_tables, tables
from sprout.store.schema.mapping import node_row


def clean_title(title: str) -> str:
    """The title in one line. Raises BadInput: it is empty or too long."""
    text = one_line(title)
    if not title_key(text):
        raise BadInput("The title is empty.", field="title", code="title_empty")
    if len(text) > MAX_TITLE:
        raise BadInput(
            "The title has {length} characters, at most {most} fit.",
            field="title",
            code="title_too_long",
            length=len(text),
            most=MAX_TITLE,
        )
    return text


def create_root(
    tx: WriteTransaction, log: EventLog, *, user_id: str, title: str, branch_id: str | None, desc: str | None
) -> tables.Node:
    """A topic. Raises BadInput (its title), Conflict (its branch has one already)."""
    now, text = log.now(), clean_title(title)
    enforce_quota(tx, "nodes_per_path", branch_id)
    root = tables.Node(
        id=new_id(),
        user_id=user_id,
        type="root",
        branch_id=branch_id,
        title=text,
        title_key=unique_key(title_key(text)),
        desc=tidy(desc or "") or None,
        created_at=now,
        updated_at=now,
    )
    tx.session.add(root)
    tx.session.flush()
    return root


def create_child(
    tx: WriteTransaction,
    log: EventLog,
    parent: tables.Node,
    *,
    type: str,
    title: str,
    branch_id: str | None,
    desc: str | None,
) -> tables.Node:
    """A child of a node whose row is locked.

    Raises BadInput (a type or branch that does not fit under the parent, the title), Conflict (the title is taken).
    """
    if CHILD_TYPE.get(parent.type) != type:
        raise BadInput(f"A {type} cannot be placed under a {parent.type}.", field="type")
    if branch_id not in (None, parent.branch_id):
        raise BadInput("The parent is in another branch.", field="branchId")
    wanted = clean_title(title)
    edit = edit_children(
        tx, log, node_row(parent), lambda graph: graph.add(wanted, desc, log.now()), actor=Actor(parent.user_id)
    )
    if edit.node is None or not edit.created:
        raise Conflict("There already is '{title}' here.", code="title_taken", title=wanted)
    return owned_node(tx.session, edit.node.id, parent.user_id)


def update(
    tx: WriteTransaction,
    log: EventLog,
    node: tables.Node,
    *,
    title: str | None,
    desc: str | None,
    accuracy: float | None,
) -> tables.Node:
    """The changed node; `updated_at` moves in any case.

    Raises NotFound (it was removed meanwhile), BadInput (the title), InvalidGraphEdit (a sibling has the title).
    """
    wanted = None if title is None else clean_title(title)
    node_id, user_id = node.id, node.user_id
    if node.parent_id is not None:
        parent = owned_node(tx.session, node.parent_id, user_id, lock=True)

        def updated(graph: ConceptGraph) -> Edit:
            if all(one.id != node_id for one in graph.nodes):
                raise NotFound("node", node_id)  # it was removed while the parent's lock was waited for
            return graph.update(node_id, log.now(), title=wanted, desc=desc)

        edit_children(tx, log, node_row(parent), updated, actor=Actor(user_id))
        node = owned_node(tx.session, node_id, user_id, lock=True)
    else:
        node = owned_node(tx.session, node_id, user_id, lock=True)
        node.title = wanted or node.title
        node.title_key = unique_key(title_key(node.title))
        node.desc = node.desc if desc is None else tidy(desc) or None
    node.accuracy_score = node.accuracy_score if accuracy is None else accuracy
    node.updated_at = log.now()
    tx.session.add(node)
    return node


def remove(tx: WriteTransaction, log: EventLog, node: tables.Node) -> None:
    """Remove a node; its prerequisites become those of the nodes that built on it.

    Raises NotFound (it was removed meanwhile), Conflict (it has children, or a run of it is active).
    """
    node_id, parent_id, user_id = node.id, node.parent_id, node.user_id
    parent = None if parent_id is None else owned_node(tx.session, parent_id, user_id, lock=True)
    owned_node(tx.session, node_id, user_id, lock=True)
    refuse_while_running(tx, col(run_tables.Run.node_id) == node_id)
    parts = select(tables.Node.id).where(tables.Node.parent_id == node_id).limit(1)
    if tx.session.exec(parts).first() is not None:
        raise Conflict("This node has nodes under it: remove those first.", code="node_has_parts")
    if parent is None:
        branch_id = node.branch_id
        tx.connection.execute(delete(tables.Node).where(col(tables.Node.id) == node_id))
        _delete_changes(tx, branch_id, user_id)
    else:
        edit_children(tx, log, node_row(parent), lambda graph: graph.remove(node_id), actor=Actor(user_id))


def _delete_changes(tx: WriteTransaction, branch_id: str | None, user_id: str) -> None:
    """Delete the changes under a removed topic and under its children: nothing can restore it."""
    change = run_tables.GraphOperation
    of_this_branch = col(change.branch_id).is_not_distinct_from(branch_id)
    removed = col(change.parent_id).not_in(select(tables.Node.id))
    tx.connection.execute(delete(change).where(of_this_branch, removed, col(change.user_id) == user_id))


def storage_names(session: Session, of: ColumnElement[bool]) -> list[str]:
    """Storage names of all documents of the nodes for which this holds."""
    wanted = (
        select(tables.Document.storage_name)
        .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
        .where(of)
    )
    return list(session.exec(wanted).all())
