"""The answers about how far a learner has come, and the same as files for other programs."""

from starlette.responses import Response

from sprout.learning.mastery.written import anki_text, answers_csv, mastery_csv
from sprout.web.bodies import Nothing, OfBranch
from sprout.web.endpoint import Call, row, rows

CSV = "text/csv"
TEXT = "text/plain"


async def progress(call: Call[OfBranch, Nothing]) -> Response:
    """How far the caller has come, in all paths or in one."""
    return row(await call.parts.reports.report(call.user_id, branch_id=call.query.branch_id))


async def evidence(call: Call) -> Response:
    """What the mastery of a node goes by."""
    return rows(await call.parts.reports.evidence(call.id, user_id=call.user_id))


async def answers(call: Call[OfBranch, Nothing]) -> Response:
    """All attempts as a table."""
    found = await call.parts.reports.answers(call.user_id, branch_id=call.query.branch_id)
    return _file(answers_csv(found), "sprout-answers.csv", CSV)


async def masteries(call: Call[OfBranch, Nothing]) -> Response:
    """All subconcepts as a table."""
    found = await call.parts.reports.masteries(call.user_id, branch_id=call.query.branch_id)
    return _file(mastery_csv(found), "sprout-mastery.csv", CSV)


async def flashcards(call: Call[OfBranch, Nothing]) -> Response:
    """What can be learned by heart."""
    found = await call.parts.reports.flashcards(call.user_id, branch_id=call.query.branch_id)
    return _file(anki_text(found), "sprout-anki.txt", TEXT)


def _file(text: str, name: str, media: str) -> Response:
    return Response(text, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'})
