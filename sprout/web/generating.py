"""The older way to have a node's children made: one request, no stream, and a wait for the run (contract 1.4)."""

from starlette.responses import Response

from sprout.errors import BadInput
from sprout.events import NodeRow
from sprout.learning.paths.library import EdgeRow
from sprout.runs.state import ENDED, RunState
from sprout.web.bodies import Nothing, RunOrder
from sprout.web.endpoint import Call, row
from sprout.web.runs import admitted
from sprout.web.shown import ConceptsMade, SubconceptsMade, titled_edges
from sprout.web.waiting import ended_soon

Children = tuple[list[NodeRow], list[EdgeRow]]
UNENDED = [state for state in RunState if state not in ENDED]


async def concepts(call: Call[Nothing, RunOrder]) -> Response:
    """201 with the concepts once they are made, 200 with those that are there, 202 with the run where that is slow."""
    root = await call.parts.library.node(call.id, user_id=call.user_id)
    if root.type != "root":
        raise BadInput(f"A path grows from a topic, and {root.title!r} is a {root.type}.")
    there, edges = await _children(call, "concept")
    if there and not await _grows(call, root):
        return row(ConceptsMade(generated=False, concepts=there, edges=edges))
    if (going := await _made(call, "topic", root)) is not None:
        return going
    made, edges = await _children(call, "concept")
    return row(ConceptsMade(generated=True, concepts=made, edges=titled_edges(edges, made)), 201)


async def subconcepts(call: Call[Nothing, RunOrder]) -> Response:
    """The same for the parts of a concept; those that are marked as made are not made again."""
    concept = await call.parts.library.node(call.id, user_id=call.user_id)
    if concept.type != "concept":
        raise BadInput(f"Only a concept is taken apart, and {concept.title!r} is a {concept.type}.")
    progress = await call.parts.library.progress(call.user_id, node_id=concept.id)
    if any(one.has_generated_subnodes for one in progress):
        there, edges = await _children(call, "subconcept")
        return row(SubconceptsMade(generated=False, subconcepts=there, edges=edges))
    if (going := await _made(call, "subconcept", concept)) is not None:
        return going
    made, edges = await _children(call, "subconcept")
    return row(SubconceptsMade(generated=True, subconcepts=made, edges=titled_edges(edges, made)), 201)


async def _made(call: Call[Nothing, RunOrder], agent: str, node: NodeRow) -> Response | None:
    """None once the run that makes the children has ended well; the run as an answer where that takes longer."""
    admission = await call.parts.runs.start(agent, node=node, user_id=call.user_id, small=call.body.small)
    return None if await ended_soon(call, admission.run) is not None else admitted(admission, 202)


async def _grows(call: Call[Nothing, RunOrder], root: NodeRow) -> bool:
    """Whether a run is making the topic's concepts now."""
    going = await call.parts.runs.runs(user_id=call.user_id, branch_id=root.branch_id, agent="topic", states=UNENDED)
    return any(run.node_id == root.id for run in going)


async def _children(call: Call[Nothing, RunOrder], type: str) -> Children:
    nodes = await call.parts.library.nodes(user_id=call.user_id, parent_id=call.id)
    edges = await call.parts.library.dependency_edges(call.id, user_id=call.user_id, child_type=None)
    return [node for node in nodes if node.type == type], edges
