"""The answers about nodes, the edges between them, and the learner's progress on them."""

from starlette.responses import Response

from sprout.learning.paths.progressing import Overruling
from sprout.web.bodies import (
    ChildFilter,
    Entered,
    NewNode,
    NodeChange,
    NodeFilter,
    Nothing,
    ProgressChange,
    ProgressFilter,
)
from sprout.web.endpoint import Call, nothing_left, row, rows
from sprout.web.requests import moment


async def listed(call: Call[NodeFilter, Nothing]) -> Response:
    """The caller's nodes that fit the filters."""
    wanted = call.query
    found = await call.parts.library.nodes(
        user_id=call.user_id, type=wanted.type, branch_id=wanted.branch_id, parent_id=wanted.parent_id
    )
    return rows(found)


async def shown(call: Call) -> Response:
    """One node, or 404."""
    return row(await call.parts.library.node(call.id, user_id=call.user_id))


async def children(call: Call) -> Response:
    """The nodes right below a node."""
    return rows(await call.parts.library.nodes(user_id=call.user_id, parent_id=call.id))


async def dependency_edges(call: Call[ChildFilter, Nothing]) -> Response:
    """The edges among the children of a node."""
    edges = await call.parts.library.dependency_edges(call.id, user_id=call.user_id, child_type=call.query.child_type)
    return rows(edges)


async def created(call: Call[Nothing, NewNode]) -> Response:
    """201 with the new node."""
    new = call.body
    node = await call.parts.library.create_node(
        user_id=call.user_id,
        type=new.type,
        title=new.title,
        branch_id=new.branch_id,
        parent_id=new.parent_id,
        desc=new.desc or None,
    )
    return row(node, 201)


async def changed(call: Call[Nothing, NodeChange]) -> Response:
    """The node with its changes; what is null or left out stays."""
    change = call.body
    node = await call.parts.library.update_node(
        call.id,
        user_id=call.user_id,
        title=change.title,
        desc=change.desc,
        accuracy_score=change.accuracy_score,
    )
    return row(node)


async def deleted(call: Call) -> Response:
    """204 once the node is gone, also where it never was."""
    await call.parts.library.delete_node(call.id, user_id=call.user_id)
    return nothing_left()


async def progress(call: Call[ProgressFilter, Nothing]) -> Response:
    """The caller's progress rows."""
    return rows(await call.parts.library.progress(call.user_id, node_id=call.query.node_id))


async def entered(call: Call[Nothing, Entered]) -> Response:
    """201 with the progress row where the learner comes to the node for the first time, else 200."""
    found, is_new = await call.parts.progress.enter(call.body.node_id, user_id=call.user_id)
    return row(found, 201 if is_new else 200)


async def overruled(call: Call[Nothing, ProgressChange]) -> Response:
    """The progress row as a person wants it to be, until the next graded answer about the node."""
    change = call.body
    completed_at = None if change.completed_at is None else moment(change.completed_at, field="completedAt")
    said = Overruling(change.mastery_score, completed_at, change.has_generated_subnodes)
    return row(await call.parts.progress.overrule(call.id, said, user_id=call.user_id))
