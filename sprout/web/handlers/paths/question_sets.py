"""Question sets: the questions of a path or of a part of it, as a file for other programs."""

import asyncio

from starlette.responses import Response

from sprout.learning.questions.qti_package import MEDIA_TYPE, write_package
from sprout.learning.questions.question_sets import QuestionSet
from sprout.web.http.dependencies import PathRepositories
from sprout.web.http.endpoint import Call
from sprout.web.http.uploads import attachment_headers


async def export_branch(call: Call[PathRepositories]) -> Response:
    """The questions of a branch. Their answers stand in the file, so it is for those who may see answer keys, as the
    export of a path with its answers is: where a deployment has accounts, learners get none."""
    return await _package(await call.dependencies.question_sets.of_branch(call.id, user_id=call.user_id))


async def export_node(call: Call[PathRepositories]) -> Response:
    """The questions of a topic, a concept or a part, under the same rule."""
    return await _package(await call.dependencies.question_sets.of_node(call.id, user_id=call.user_id))


async def _package(questions: QuestionSet) -> Response:
    content = await asyncio.to_thread(write_package, questions)
    return Response(content, headers=attachment_headers(f"{questions.title}.qti.zip"), media_type=MEDIA_TYPE)
