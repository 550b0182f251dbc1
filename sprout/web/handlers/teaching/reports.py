"""Reports of a learner's progress, on the page and as files."""

import asyncio
from dataclasses import dataclass

from starlette.responses import Response

from sprout.accounts.access import ANSWER_KEYS
from sprout.learning.mastery.export import answers_csv, mastery_csv
from sprout.learning.mastery.flashcards import FlashcardFilter, Flashcards, WriteFlashcards
from sprout.web.http.dependencies import TeachingRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response
from sprout.web.schemas.requests import BranchQuery, FlashcardQuery

CSV = "text/csv"
ANKI_PACKAGE = "application/vnd.anki"


@dataclass(frozen=True, slots=True)
class FlashcardDependencies:
    """Flashcards, and the writer of their file."""

    flashcards: Flashcards
    write_package: WriteFlashcards


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


async def download_flashcards(call: Call[FlashcardDependencies, FlashcardQuery]) -> Response:
    """Flashcards as a file for Anki, which updates the notes that an earlier one has made.

    The back of a card is an answer. So a question is among them only once its answer was shown to the caller and it is
    open nowhere: in no lesson, review, placement or unfinished diagnostic. With `answers` all questions are among them;
    where a deployment has accounts, learners may not ask for that.
    """
    query = call.query
    if query.answers == "true":
        ANSWER_KEYS.admit(call.caller)
    wanted = FlashcardFilter(query.branch_id, query.node_id, due=query.due == "true", unsettled=query.answers == "true")
    found = await call.dependencies.flashcards.flashcards(call.user_id, wanted)
    package = await asyncio.to_thread(call.dependencies.write_package, found)
    return _attachment(package, "sprout-cards.apkg", ANKI_PACKAGE)


def _attachment(content: str | bytes, name: str, media: str) -> Response:
    return Response(content, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'})
