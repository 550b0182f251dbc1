"""Path review: wait for its run, and return what the run has changed."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Literal, cast

from starlette.responses import Response

from sprout.agents.adaptation.review import DEFAULT_ADDITIONS, MAX_ADDITIONS, ReviewTask
from sprout.errors import BadInput
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change
from sprout.runs.state import Run
from sprout.runs.streaming.bus import BusMessage
from sprout.web.handlers.run_wait import wait_for_end
from sprout.web.http.dependencies import PathsAndRuns
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import NoFields, ReviewRequest
from sprout.web.schemas.responses import ConceptAddition, PathReview, ReviewDecision, SubconceptAddition, titled_edges
from sprout.web.schemas.run_responses import run_row

MAX_CHANGES = 500
MAX_OVERVIEW = 4_000


async def review_node(call: Call[PathsAndRuns, NoFields, ReviewRequest]) -> Response:
    """The review's decision; 202 with its run if the review takes longer than a request waits."""
    node = await call.dependencies.paths.node(call.id, user_id=call.user_id)
    if node.type == "root":
        raise BadInput(f"Only concepts and their parts can be reviewed, and {node.title!r} is a topic.")
    admission = await call.dependencies.runs.start("review", node=node, user_id=call.user_id, task=_task(call.body))
    run = await wait_for_end(call, call.dependencies.runs, admission.run)
    if run is None:
        active = await call.dependencies.runs.run(admission.run.id, user_id=call.user_id)
        return json_response(run_row(active), 202, {"X-Run-Id": active.id, "Location": f"/api/runs/{active.id}"})
    return json_response(await _path_review(call, node, run), 200, {"X-Run-Id": run.id})


def _task(request: ReviewRequest) -> str:
    wanted = DEFAULT_ADDITIONS if request.max_additions is None else request.max_additions
    task = ReviewTask(
        overview=(request.overview or "")[:MAX_OVERVIEW], max_additions=min(max(wanted, 0), MAX_ADDITIONS)
    )
    return task.model_dump_json()


async def _closing_text(call: Call[PathsAndRuns, NoFields, ReviewRequest], run: Run) -> str | None:
    """The rationale with which an ended run has closed."""
    closing: str | None = None
    messages = cast(AsyncGenerator[list[BusMessage], None], call.dependencies.runs.follow(run.root_id))
    async with aclosing(messages) as batches:
        async for batch in batches:
            for message in batch:
                if message.kind == "agent_done":
                    closing = json.loads(message.data).get("rationale")
    return closing


async def _path_review(call: Call[PathsAndRuns, NoFields, ReviewRequest], node: NodeRow, run: Run) -> PathReview:
    """The run's changes that have not been undone, in their order."""
    changes = await call.dependencies.paths.changes(run.branch_id or "", user_id=call.user_id, limit=MAX_CHANGES)
    made = [one for one in reversed(changes) if one.run_id == run.id and one.undoes is None and one.undone_at is None]
    nodes = await call.dependencies.paths.nodes(user_id=call.user_id, branch_id=run.branch_id)
    titles = {one.id: one.title for one in nodes}
    inserted = [one for change in made for one in change.after.nodes if one.id in change.added]
    return PathReview(
        status="updated" if inserted else "no_change",
        node_id=node.id,
        level=cast(Literal["concept", "subconcept"], node.type),
        decision=_review_decision(made, titles, await _closing_text(call, run)),
        inserted_nodes=inserted,
        created_edges=titled_edges([edge for change in made for edge in change.after.edges], nodes),
    )


def _review_decision(changes: Sequence[Change], titles: Mapping[str, str], closing: str | None) -> ReviewDecision:
    concepts: list[ConceptAddition] = []
    parts: list[SubconceptAddition] = []
    for change in changes:
        for node in (one for one in change.after.nodes if one.id in change.added):
            edges = [edge for edge in change.after.edges if {edge.source_node_id, edge.target_node_id} <= titles.keys()]
            before = [titles[one.source_node_id] for one in edges if one.target_node_id == node.id]
            after = [titles[one.target_node_id] for one in edges if one.source_node_id == node.id]
            if node.type == "concept":
                anchor = before[0] if before else None
                concepts.append(
                    ConceptAddition(title=node.title, desc=node.desc, insert_after=anchor, reason=change.reason)
                )
            else:
                parts.append(
                    SubconceptAddition(
                        title=node.title, desc=node.desc, depends_on=before, unlocks=after, reason=change.reason
                    )
                )
    return ReviewDecision(
        should_add=bool(concepts or parts), notes=closing, concept_additions=concepts, subconcept_additions=parts
    )
