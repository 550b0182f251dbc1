"""Placements: where a learner starts on a path, and checks of what they say they know."""

from starlette.responses import Response

from sprout.learning.placement.repository import PlacementAnswer
from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.placement_requests import (
    NewOverrule,
    NewPlacement,
    NewPlacementAnswer,
    PlacementEnd,
    PlacementSkip,
)
from sprout.web.schemas.requests import NoFields, UserRequest


async def get_overview(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The placements of a path, and what one would take."""
    return json_response(await call.dependencies.placements.overview(call.id, user_id=call.user_id))


async def start_placement(call: Call[TeachingRepositories, NoFields, NewPlacement]) -> Response:
    """201 with a new placement; 200 with the one that is open."""
    session, is_new = await call.dependencies.placements.start(
        user_id=call.user_id, branch_id=call.body.branch_id, node_id=call.body.node_id
    )
    return json_response(session, 201 if is_new else 200)


async def get_placement(call: Call[TeachingRepositories, UserRequest]) -> Response:
    """The placement with its open question, or what it found."""
    return json_response(await call.dependencies.placements.session(call.id, user_id=call.user_id))


async def submit_answer(call: Call[TeachingRepositories, NoFields, NewPlacementAnswer]) -> Response:
    """201 with the placement and its next question."""
    new = call.body
    answer = PlacementAnswer(new.item_id, text=new.answer_text or None, option=new.selected_option or None)
    return json_response(await call.dependencies.placements.answer(call.id, answer, user_id=call.user_id), 201)


async def skip_item(call: Call[TeachingRepositories, NoFields, PlacementSkip]) -> Response:
    """200 with the placement and its next question."""
    return json_response(await call.dependencies.placements.skip(call.id, call.body.item_id, user_id=call.user_id))


async def finish_placement(call: Call[TeachingRepositories, NoFields, PlacementEnd]) -> Response:
    """200 with what the placement found."""
    return json_response(await call.dependencies.placements.finish(call.id, user_id=call.user_id))


async def overrule_node(call: Call[TeachingRepositories, NoFields, NewOverrule]) -> Response:
    """200 with what the placement found and what the learner says."""
    new = call.body
    return json_response(
        await call.dependencies.placements.overrule(call.id, new.node_id, new.known, user_id=call.user_id)
    )
