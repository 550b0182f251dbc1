"""Generation of a node's children in one request, which waits for the run instead of streaming it."""

from starlette.responses import Response

from sprout.errors import BadInput
from sprout.events import NodeRow
from sprout.learning.paths.repository import EdgeRow
from sprout.runs.state import UNFINISHED_STATES
from sprout.web.handlers.run_wait import wait_for_end
from sprout.web.handlers.runs import admission_response
from sprout.web.http.dependencies import PathsAndRuns
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import NoFields, RunRequest
from sprout.web.schemas.responses import GeneratedConcepts, GeneratedSubconcepts, titled_edges

Children = tuple[list[NodeRow], list[EdgeRow]]


async def generate_concepts(call: Call[PathsAndRuns, NoFields, RunRequest]) -> Response:
    """201 with the new concepts, 200 with existing ones, 202 with the run if it takes longer than a request waits."""
    root = await call.dependencies.paths.node(call.id, user_id=call.user_id)
    if root.type != "root":
        raise BadInput(f"Paths are created from topics, and {root.title!r} is a {root.type}.")
    existing, edges = await _children(call, "concept")
    if existing and not await _is_generating(call, root):
        return json_response(GeneratedConcepts(generated=False, concepts=existing, edges=edges))
    if (pending := await _run_generation(call, "topic", root)) is not None:
        return pending
    made, edges = await _children(call, "concept")
    return json_response(GeneratedConcepts(generated=True, concepts=made, edges=titled_edges(edges, made)), 201)


async def generate_subconcepts(call: Call[PathsAndRuns, NoFields, RunRequest]) -> Response:
    """The same for the parts of a concept; those already generated are returned."""
    concept = await call.dependencies.paths.node(call.id, user_id=call.user_id)
    if concept.type != "concept":
        raise BadInput(f"Only concepts can be broken down, and {concept.title!r} is a {concept.type}.")
    progress = await call.dependencies.paths.progress(call.user_id, node_id=concept.id)
    if any(one.has_generated_subnodes for one in progress):
        existing, edges = await _children(call, "subconcept")
        return json_response(GeneratedSubconcepts(generated=False, subconcepts=existing, edges=edges))
    if (pending := await _run_generation(call, "subconcept", concept)) is not None:
        return pending
    made, edges = await _children(call, "subconcept")
    return json_response(GeneratedSubconcepts(generated=True, subconcepts=made, edges=titled_edges(edges, made)), 201)


async def _run_generation(call: Call[PathsAndRuns, NoFields, RunRequest], agent: str, node: NodeRow) -> Response | None:
    """None once the run has completed; the run as a response if that takes longer."""
    admission = await call.dependencies.runs.start(agent, node=node, user_id=call.user_id, small=call.body.small)
    return (
        None
        if await wait_for_end(call, call.dependencies.runs, admission.run) is not None
        else admission_response(admission, 202)
    )


async def _is_generating(call: Call[PathsAndRuns, NoFields, RunRequest], root: NodeRow) -> bool:
    """Whether a run is generating the topic's concepts now."""
    active = await call.dependencies.runs.runs(
        user_id=call.user_id, branch_id=root.branch_id, agent="topic", states=UNFINISHED_STATES
    )
    return any(run.node_id == root.id for run in active)


async def _children(call: Call[PathsAndRuns, NoFields, RunRequest], type: str) -> Children:
    nodes = await call.dependencies.paths.nodes(user_id=call.user_id, parent_id=call.id)
    edges = await call.dependencies.paths.dependency_edges(call.id, user_id=call.user_id, child_type=None)
    return [node for node in nodes if node.type == type], edges
