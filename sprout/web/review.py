"""The answer of a path review: waits for its run, and tells what the run has changed."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Literal, cast

from starlette.responses import Response

from sprout.agents.review import MOST_ADDITIONS, USUAL_ADDITIONS, ReviewTask
from sprout.errors import BadInput
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change
from sprout.runs.bus import News
from sprout.runs.state import Run
from sprout.web.bodies import Nothing, ReviewOrder
from sprout.web.endpoint import Call, row
from sprout.web.run_shown import run_row
from sprout.web.shown import ConceptAddition, ReviewDecision, Reviewed, SubconceptAddition, titled_edges
from sprout.web.waiting import ended_soon

CHANGES_READ = 500
MAX_OVERVIEW = 4_000


async def reviewed(call: Call[Nothing, ReviewOrder]) -> Response:
    """What the review has decided; 202 with its run where that takes longer than a client waits."""
    node = await call.parts.library.node(call.id, user_id=call.user_id)
    if node.type == "root":
        raise BadInput(f"A concept or a part of one is reviewed, and {node.title!r} is a topic.")
    admission = await call.parts.runs.start("review", node=node, user_id=call.user_id, task=_task(call.body))
    run = await ended_soon(call, admission.run)
    if run is None:
        going = await call.parts.runs.run(admission.run.id, user_id=call.user_id)
        return row(run_row(going), 202, {"X-Run-Id": going.id, "Location": f"/api/runs/{going.id}"})
    return row(await _decision(call, node, run), 200, {"X-Run-Id": run.id})


def _task(order: ReviewOrder) -> str:
    wanted = USUAL_ADDITIONS if order.max_additions is None else order.max_additions
    task = ReviewTask(overview=(order.overview or "")[:MAX_OVERVIEW], max_additions=min(max(wanted, 0), MOST_ADDITIONS))
    return task.model_dump_json()


async def _closing_words(call: Call[Nothing, ReviewOrder], run: Run) -> str | None:
    """What a run that has ended said at its end."""
    closing: str | None = None
    told = cast(AsyncGenerator[list[News], None], call.parts.runs.follow(run.root_id))
    async with aclosing(told) as batches:
        async for batch in batches:
            for news in batch:
                if news.kind == "agent_done":
                    closing = json.loads(news.data).get("rationale")
    return closing


async def _decision(call: Call[Nothing, ReviewOrder], node: NodeRow, run: Run) -> Reviewed:
    """What the run has changed, as far as it stands, in the order in which it did."""
    changes = await call.parts.library.changes(run.branch_id or "", user_id=call.user_id, limit=CHANGES_READ)
    made = [one for one in reversed(changes) if one.run_id == run.id and one.undoes is None and one.undone_at is None]
    nodes = await call.parts.library.nodes(user_id=call.user_id, branch_id=run.branch_id)
    titles = {one.id: one.title for one in nodes}
    inserted = [one for change in made for one in change.after.nodes if one.id in change.added]
    return Reviewed(
        status="updated" if inserted else "no_change",
        node_id=node.id,
        level=cast(Literal["concept", "subconcept"], node.type),
        decision=_decided(made, titles, await _closing_words(call, run)),
        inserted_nodes=inserted,
        created_edges=titled_edges([edge for change in made for edge in change.after.edges], nodes),
    )


def _decided(made: Sequence[Change], titles: Mapping[str, str], closing: str | None) -> ReviewDecision:
    concepts: list[ConceptAddition] = []
    parts: list[SubconceptAddition] = []
    for change in made:
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
