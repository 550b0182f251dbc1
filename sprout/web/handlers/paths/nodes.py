"""Nodes, the edges between them, and the learner's progress on them."""

from starlette.responses import Response

from sprout.learning.paths.progress import ProgressOverride
from sprout.web.http.dependencies import PathRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.http.parsing import parse_timestamp
from sprout.web.schemas.requests import (
    ChildFilter,
    NewNode,
    NodeChange,
    NodeFilter,
    NodeVisit,
    NoFields,
    ProgressChange,
    ProgressFilter,
)


async def list_nodes(call: Call[PathRepositories, NodeFilter]) -> Response:
    """The caller's nodes that match the filters."""
    wanted = call.query
    found = await call.dependencies.paths.nodes(
        user_id=call.user_id, type=wanted.type, branch_id=wanted.branch_id, parent_id=wanted.parent_id
    )
    return json_list_response(found)


async def get_node(call: Call[PathRepositories]) -> Response:
    """One node, or 404."""
    return json_response(await call.dependencies.paths.node(call.id, user_id=call.user_id))


async def list_children(call: Call[PathRepositories]) -> Response:
    """The nodes right below a node."""
    return json_list_response(await call.dependencies.paths.nodes(user_id=call.user_id, parent_id=call.id))


async def list_dependency_edges(call: Call[PathRepositories, ChildFilter]) -> Response:
    """The edges among the children of a node."""
    edges = await call.dependencies.paths.dependency_edges(
        call.id, user_id=call.user_id, child_type=call.query.child_type
    )
    return json_list_response(edges)


async def create_node(call: Call[PathRepositories, NoFields, NewNode]) -> Response:
    """201 with the new node."""
    new = call.body
    node = await call.dependencies.paths.create_node(
        user_id=call.user_id,
        type=new.type,
        title=new.title,
        branch_id=new.branch_id,
        parent_id=new.parent_id,
        desc=new.desc or None,
    )
    return json_response(node, 201)


async def update_node(call: Call[PathRepositories, NoFields, NodeChange]) -> Response:
    """The node with its changes; what is null or left out stays."""
    change = call.body
    node = await call.dependencies.paths.update_node(
        call.id,
        user_id=call.user_id,
        title=change.title,
        desc=change.desc,
        accuracy_score=change.accuracy_score,
    )
    return json_response(node)


async def delete_node(call: Call[PathRepositories]) -> Response:
    """204 once the node is gone, also if it never existed."""
    await call.dependencies.paths.delete_node(call.id, user_id=call.user_id)
    return no_content()


async def list_progress(call: Call[PathRepositories, ProgressFilter]) -> Response:
    """The caller's progress rows."""
    return json_list_response(await call.dependencies.paths.progress(call.user_id, node_id=call.query.node_id))


async def enter_node(call: Call[PathRepositories, NoFields, NodeVisit]) -> Response:
    """201 with the progress row at the first visit of the node, else 200."""
    found, is_new = await call.dependencies.progress.enter_node(call.body.node_id, user_id=call.user_id)
    return json_response(found, 201 if is_new else 200)


async def overrule_progress(call: Call[PathRepositories, NoFields, ProgressChange]) -> Response:
    """The overruled progress row, until the next graded answer about the node."""
    change = call.body
    completed_at = None if change.completed_at is None else parse_timestamp(change.completed_at, field="completedAt")
    override = ProgressOverride(change.mastery_score, completed_at, change.has_generated_subnodes)
    return json_response(await call.dependencies.progress.override(call.id, override, user_id=call.user_id))
