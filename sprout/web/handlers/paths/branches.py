"""Branches: the learner's paths, one for each topic."""

import asyncio
from collections import defaultdict

from starlette.responses import Response

from sprout.learning.paths.repository import BranchSummary, Place
from sprout.learning.today.lesson_minutes import lesson_minutes
from sprout.runs.state import Run
from sprout.web.handlers.run_wait import cancel_runs
from sprout.web.http.dependencies import LearningDependencies, PathsAndRuns
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.requests import BranchChange, MapPlaces, NewBranch, NoFields, UserRequest
from sprout.web.schemas.responses import BranchOverview, BranchPage
from sprout.web.schemas.run_responses import run_row


async def list_branches(call: Call[PathsAndRuns, UserRequest]) -> Response:
    """The caller's branches."""
    return json_list_response(await call.dependencies.paths.branches(call.user_id))


async def list_overviews(call: Call[PathsAndRuns, UserRequest]) -> Response:
    """The caller's branches with their concepts and runs."""
    summaries = await call.dependencies.paths.summaries(call.user_id)
    runs: dict[str | None, list[Run]] = defaultdict(list)
    for run in await call.dependencies.runs.latest(user_id=call.user_id):
        runs[run.branch_id].append(run)
    return json_list_response([branch_overview(summary, runs[summary.branch.id]) for summary in summaries])


def branch_overview(summary: BranchSummary, runs: list[Run]) -> BranchOverview:
    """An entry of the list of paths; `runs` are of this branch, newest first."""
    active = next((run.id for run in runs if not run.ended), None)
    return BranchOverview(
        **{name: getattr(summary, name) for name in BranchSummary.model_fields},
        active_run_id=active,
        last_run=run_row(runs[0]) if runs else None,
    )


async def get_branch(call: Call[PathsAndRuns]) -> Response:
    """One branch, or 404."""
    return json_response(await call.dependencies.paths.branch(call.id, user_id=call.user_id))


async def create_branch(call: Call[PathsAndRuns, NoFields, NewBranch]) -> Response:
    """201 with the new branch."""
    return json_response(await call.dependencies.paths.create_branch(call.body.title, user_id=call.user_id), 201)


async def rename_branch(call: Call[PathsAndRuns, NoFields, BranchChange]) -> Response:
    """The branch with its new title."""
    return json_response(await call.dependencies.paths.rename_branch(call.id, call.body.title, user_id=call.user_id))


async def delete_branch(call: Call[PathsAndRuns]) -> Response:
    """204 once the branch and all of it is deleted; its active runs are stopped first."""
    await cancel_runs(call, call.dependencies.runs, branch_id=call.id)
    await call.dependencies.paths.delete_branch(call.id, user_id=call.user_id)
    return no_content()


async def get_graph(call: Call[LearningDependencies]) -> Response:
    """Everything that the page of a branch shows, in one response."""
    found, runs, history, due_parts = await asyncio.gather(
        call.dependencies.paths.graph(call.id, user_id=call.user_id),
        call.dependencies.runs.runs(user_id=call.user_id, branch_id=call.id, include_conversations=False),
        call.dependencies.conversations.lesson_history(call.user_id),
        call.dependencies.reviews.due_parts(call.user_id),
    )
    page = BranchPage(
        branch=found.branch,
        nodes=found.nodes,
        edges=found.edges,
        progress=found.progress,
        documents=found.documents,
        places=found.places,
        bare=found.bare,
        minutes=lesson_minutes(found, history),
        due=[node.id for node in found.nodes if node.id in due_parts],
        lessons={node.id: history.standings[node.id] for node in found.nodes if node.id in history.standings},
        runs=[run_row(run) for run in runs],
    )
    return json_response(page)


async def keep_places(call: Call[PathsAndRuns, NoFields, MapPlaces]) -> Response:
    """204 once the places of nodes on the map are stored; what is no node of the branch any more is left out."""
    places = {node: Place(x=place.x, layer=place.layer) for node, place in call.body.places.items()}
    await call.dependencies.paths.keep_places(call.id, places, user_id=call.user_id)
    return no_content()
