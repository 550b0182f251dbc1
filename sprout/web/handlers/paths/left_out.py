"""Left-out sections of a path's documents: list them, and bring one in."""

from dataclasses import dataclass

from starlette.responses import Response

from sprout.errors import Conflict
from sprout.learning.paths.left_out import LeftOut
from sprout.learning.paths.repository import PathRepository
from sprout.runs.state import RunState
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import NoFields, SectionChoice
from sprout.web.schemas.responses import LeftOutSections, SectionBroughtIn
from sprout.web.schemas.run_responses import run_row

STILL_GROWING = "This path is still being created. Bring sections of your documents in once it is done."


@dataclass(frozen=True, slots=True)
class LeftOutDependencies:
    """Left-out sections, the paths that they are missing in, and the runs that create the parts of a concept."""

    left_out: LeftOut
    paths: PathRepository
    runs: Runs


async def list_left_out(call: Call[LeftOutDependencies]) -> Response:
    """The sections that no concept of a branch teaches."""
    if await _is_growing(call.dependencies.runs, call.id, call.user_id):
        await call.dependencies.paths.branch(call.id, user_id=call.user_id)
        return json_response(LeftOutSections(growing=True, sections=[]))
    found = await call.dependencies.left_out.sections(call.id, user_id=call.user_id)
    return json_response(LeftOutSections(growing=False, sections=[*found]))


async def bring_in(call: Call[LeftOutDependencies, NoFields, SectionChoice]) -> Response:
    """201 with the new concept on the section, 200 with the one that teaches it already; its parts are created.

    Raises Conflict: the path is still being created.
    """
    needs = call.dependencies
    topic = await needs.left_out.topic_of(call.id, user_id=call.user_id)
    if topic.branch_id is not None and await _is_growing(needs.runs, topic.branch_id, call.user_id):
        raise Conflict(STILL_GROWING, code="still_growing")
    concept, created = await needs.left_out.bring_in(call.id, call.body.start, user_id=call.user_id)
    progress = await needs.paths.progress(call.user_id, node_id=concept.id)
    if any(one.has_generated_subnodes for one in progress):
        return json_response(SectionBroughtIn(created=created, concept=concept, run=None))
    admission = await needs.runs.start(
        "refinement", node=concept, user_id=call.user_id, small=call.body.small, needs_model=False
    )
    brought = SectionBroughtIn(created=created, concept=concept, run=run_row(admission.run))
    return json_response(brought, 201 if created else 200, {"X-Run-Id": admission.run.id})


async def _is_growing(runs: Runs, branch_id: str, user_id: str) -> bool:
    """Whether a run is creating the path's concepts now."""
    working = [RunState.QUEUED, RunState.RUNNING]
    return bool(await runs.runs(user_id=user_id, branch_id=branch_id, agent="topic", states=working, limit=1))
