"""Reports of a learner's progress, on the page and as files."""

from starlette.responses import Response

from sprout.learning.mastery.export import anki_text, answers_csv, mastery_csv
from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.schemas.requests import BranchQuery

CSV = "text/csv"
TEXT = "text/plain"


async def get_progress(call: Call[TeachingRepositories, BranchQuery]) -> Response:
    """The caller's progress in all paths or in one."""
    return json_response(await call.dependencies.reports.report(call.user_id, branch_id=call.query.branch_id))


async def list_mix_ups(call: Call[TeachingRepositories, BranchQuery]) -> Response:
    """The caller's mix-ups in all paths or in one."""
    found = await call.dependencies.misconceptions.mix_ups(call.user_id, branch_id=call.query.branch_id)
    return json_list_response(found)


async def list_evidence(call: Call[TeachingRepositories]) -> Response:
    """The answers that the mastery of a node is computed from."""
    return json_list_response(await call.dependencies.reports.evidence(call.id, user_id=call.user_id))


async def download_answers(call: Call[TeachingRepositories, BranchQuery]) -> Response:
    """All attempts as a table."""
    found = await call.dependencies.reports.answers(call.user_id, branch_id=call.query.branch_id)
    return _attachment(answers_csv(found), "sprout-answers.csv", CSV)


async def download_mastery(call: Call[TeachingRepositories, BranchQuery]) -> Response:
    """All subconcepts as a table."""
    found = await call.dependencies.reports.masteries(call.user_id, branch_id=call.query.branch_id)
    return _attachment(mastery_csv(found), "sprout-mastery.csv", CSV)


async def download_flashcards(call: Call[TeachingRepositories, BranchQuery]) -> Response:
    """Flashcards as a text file for Anki."""
    found = await call.dependencies.reports.flashcards(call.user_id, branch_id=call.query.branch_id)
    return _attachment(anki_text(found), "sprout-anki.txt", TEXT)


def _attachment(text: str, name: str, media: str) -> Response:
    return Response(text, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'})
