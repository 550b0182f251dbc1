"""The answers about branches: a branch is one topic of the learner."""

import asyncio
from collections import defaultdict

from starlette.responses import Response

from sprout.learning.paths.library import BranchSummary
from sprout.runs.state import Run
from sprout.web.bodies import BranchChange, MaybeOwner, NewBranch, Nothing, Owner
from sprout.web.endpoint import Call, nothing_left, row, rows
from sprout.web.run_shown import run_row
from sprout.web.shown import BranchOverview, BranchPage


async def listed(call: Call[Owner, Nothing]) -> Response:
    """The caller's branches."""
    return rows(await call.parts.library.branches(call.user_id))


async def overviews(call: Call[MaybeOwner, Nothing]) -> Response:
    """The caller's branches with their concepts and what their runs are doing."""
    summaries = await call.parts.library.summaries(call.user_id)
    runs: dict[str | None, list[Run]] = defaultdict(list)
    for run in await call.parts.runs.latest(user_id=call.user_id):
        runs[run.branch_id].append(run)
    return rows([overview(summary, runs[summary.branch.id]) for summary in summaries])


def overview(summary: BranchSummary, runs: list[Run]) -> BranchOverview:
    """One line of the list of paths; `runs` are of this branch, newest first."""
    active = next((run.id for run in runs if not run.ended), None)
    return BranchOverview(
        **{name: getattr(summary, name) for name in BranchSummary.model_fields},
        active_run_id=active,
        last_run=run_row(runs[0]) if runs else None,
    )


async def shown(call: Call) -> Response:
    """One branch, or 404."""
    return row(await call.parts.library.branch(call.id, user_id=call.user_id))


async def created(call: Call[Nothing, NewBranch]) -> Response:
    """201 with the new branch."""
    return row(await call.parts.library.create_branch(call.body.title, user_id=call.user_id), 201)


async def renamed(call: Call[Nothing, BranchChange]) -> Response:
    """The branch with its new title."""
    return row(await call.parts.library.rename_branch(call.id, call.body.title, user_id=call.user_id))


async def deleted(call: Call) -> Response:
    """204 once everything of the branch is gone."""
    await call.parts.library.delete_branch(call.id, user_id=call.user_id)
    return nothing_left()


async def graph(call: Call) -> Response:
    """Everything that a branch's page draws, in one answer."""
    found, runs = await asyncio.gather(
        call.parts.library.graph(call.id, user_id=call.user_id),
        call.parts.runs.runs(user_id=call.user_id, branch_id=call.id, with_talk=False),
    )
    page = BranchPage(
        branch=found.branch,
        nodes=found.nodes,
        edges=found.edges,
        progress=found.progress,
        documents=found.documents,
        runs=[run_row(run) for run in runs],
    )
    return row(page)
