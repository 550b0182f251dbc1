"""What people themselves do to single nodes; a change of a child is an edit of its parent's graph, as an agent's is.

Rows are locked from the top down, the parent first, so that two changes never wait for each other.
"""

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, select

from sprout.errors import BadInput, Conflict, NotFound
from sprout.ids import new_id
from sprout.learning.graph.graph import CHILD_TYPE, MAX_TITLE, ConceptGraph, Edit, title_key
from sprout.learning.paths.shelf import Actor
from sprout.learning.text.words import one_line, tidy
from sprout.store import run_tables, tables
from sprout.store.begun import refuse_while_going
from sprout.store.children import unique_key
from sprout.store.edits import edit_children
from sprout.store.log import EventLog
from sprout.store.owned import owned_node
from sprout.store.quotas import refuse_over
from sprout.store.rows import node_row
from sprout.store.write import Write


def fit_title(title: str) -> str:
    """The title in one line. Raises BadInput: it is empty or too long."""
    text = one_line(title)
    if not title_key(text):
        raise BadInput("The title is empty.", field="title")
    if len(text) > MAX_TITLE:
        raise BadInput(f"The title has {len(text)} characters, at most {MAX_TITLE} fit.", field="title")
    return text


def create_root(
    write: Write, log: EventLog, *, user_id: str, title: str, branch_id: str | None, desc: str | None
) -> tables.Node:
    """A topic. Raises BadInput (its title), Conflict (its branch has one already)."""
    now, text = log.now(), fit_title(title)
    refuse_over(write, "nodes_per_path", branch_id)
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
    write.session.add(root)
    write.session.flush()
    return root


def create_child(
    write: Write, log: EventLog, parent: tables.Node, *, type: str, title: str, branch_id: str | None, desc: str | None
) -> tables.Node:
    """A child of a node whose row is locked.

    Raises BadInput (a type or branch that does not fit under the parent, the title), Conflict (the title is taken).
    """
    if CHILD_TYPE.get(parent.type) != type:
        raise BadInput(f"A {type} cannot stand under a {parent.type}.", field="type")
    if branch_id not in (None, parent.branch_id):
        raise BadInput("The parent is in another branch.", field="branchId")
    wanted = fit_title(title)
    edit = edit_children(
        write, log, node_row(parent), lambda graph: graph.add(wanted, desc, log.now()), actor=Actor(parent.user_id)
    )
    if edit.node is None or not edit.created:
        raise Conflict(f"There already is '{wanted}' here.")
    return owned_node(write.session, edit.node.id, parent.user_id)


def update(
    write: Write, log: EventLog, node: tables.Node, *, title: str | None, desc: str | None, accuracy: float | None
) -> tables.Node:
    """The node with what is given changed; `updated_at` moves in any case.

    Raises NotFound (it has just gone), BadInput (the title), GraphRefused (a sibling has the title).
    """
    wanted = None if title is None else fit_title(title)
    node_id, user_id = node.id, node.user_id
    if node.parent_id is not None:
        parent = owned_node(write.session, node.parent_id, user_id, lock=True)

        def updated(graph: ConceptGraph) -> Edit:
            if all(one.id != node_id for one in graph.nodes):
                raise NotFound("node", node_id)  # it has gone while the parent was waited for
            return graph.update(node_id, log.now(), title=wanted, desc=desc)

        edit_children(write, log, node_row(parent), updated, actor=Actor(user_id))
        node = owned_node(write.session, node_id, user_id, lock=True)
    else:
        node = owned_node(write.session, node_id, user_id, lock=True)
        node.title = wanted or node.title
        node.title_key = unique_key(title_key(node.title))
        node.desc = node.desc if desc is None else tidy(desc) or None
    node.accuracy_score = node.accuracy_score if accuracy is None else accuracy
    node.updated_at = log.now()
    write.session.add(node)
    return node


def remove(write: Write, log: EventLog, node: tables.Node) -> None:
    """Remove a node; what it built on is joined to what built on it.

    Raises NotFound (it has just gone), Conflict (it has children, or a run of it is going).
    """
    node_id, parent_id, user_id = node.id, node.parent_id, node.user_id
    parent = None if parent_id is None else owned_node(write.session, parent_id, user_id, lock=True)
    owned_node(write.session, node_id, user_id, lock=True)
    refuse_while_going(write, col(run_tables.Run.node_id) == node_id)
    parts = select(tables.Node.id).where(tables.Node.parent_id == node_id).limit(1)
    if write.session.exec(parts).first() is not None:
        raise Conflict("This node has nodes under it: remove those first.")
    if parent is None:
        branch_id = node.branch_id
        write.connection.execute(delete(tables.Node).where(col(tables.Node.id) == node_id))
        _forget_changes(write, branch_id, user_id)
    else:
        edit_children(write, log, node_row(parent), lambda graph: graph.remove(node_id), actor=Actor(user_id))


def _forget_changes(write: Write, branch_id: str | None, user_id: str) -> None:
    """Nothing leads back to a topic that is gone: the changes under it and under what it had go too."""
    change = run_tables.GraphOperation
    of_this_branch = col(change.branch_id).is_not_distinct_from(branch_id)
    gone = col(change.parent_id).not_in(select(tables.Node.id))
    write.connection.execute(delete(change).where(of_this_branch, gone, col(change.user_id) == user_id))


def storage_names(session: Session, of: ColumnElement[bool]) -> list[str]:
    """Names of the files of all documents of nodes of which this holds."""
    wanted = (
        select(tables.Document.storage_name)
        .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
        .where(of)
    )
    return list(session.exec(wanted).all())
