"""The class page: how far the learners of a class are with a path that was given to it."""

from starlette.responses import Response

from sprout.accounts.class_page.export import progress_csv
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.schemas.class_requests import ContrastRequest
from sprout.web.schemas.requests import NoFields

CSV = "text/csv"


async def get_progress(call: Call[AccountRepositories]) -> Response:
    """Learners by concepts, with states, doubt, what is due, and mix-ups."""
    found = await call.dependencies.class_progress.progress(call.id, call.ids["given_id"], teacher_id=call.user_id)
    return json_response(found)


async def download_progress(call: Call[AccountRepositories]) -> Response:
    """The same as a table."""
    found = await call.dependencies.class_progress.progress(call.id, call.ids["given_id"], teacher_id=call.user_id)
    headers = {"Content-Disposition": 'attachment; filename="sprout-class.csv"'}
    return Response(progress_csv(found), media_type=CSV, headers=headers)


async def get_concept(call: Call[AccountRepositories]) -> Response:
    """A learner's standing with a concept, and what they were asked about it last."""
    learner_id, node_id = call.ids["learner_id"], call.ids["node_id"]
    found = await call.dependencies.class_progress.concept(call.id, learner_id, node_id, teacher_id=call.user_id)
    return json_response(found)


async def send_contrast(call: Call[AccountRepositories, NoFields, ContrastRequest]) -> Response:
    """201 once each learner who holds the mix-up gets a question on it, first in their next review session."""
    asked = call.body
    sent = await call.dependencies.contrasts.send(call.id, asked.given_id, asked.mix_up_id, teacher_id=call.user_id)
    return json_response(sent, 201)


async def get_seen(call: Call[AccountRepositories]) -> Response:
    """What the teacher of a class sees of the caller."""
    return json_list_response(await call.dependencies.class_progress.seen(call.id, learner_id=call.user_id))
