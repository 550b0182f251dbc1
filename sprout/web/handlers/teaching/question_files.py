"""Question files: questions of other programs, added to a concept."""

from dataclasses import dataclass

from starlette.responses import Response

from sprout.learning.paths.repository import PathRepository
from sprout.learning.questions.question_files import QuestionFile, QuestionImports
from sprout.web.http.dependencies import ReadQuestionFile
from sprout.web.http.endpoint import Call, json_response
from sprout.web.http.uploads import read_uploads


@dataclass(frozen=True, slots=True)
class QuestionFileDependencies:
    """The paths, the reader of question files, and what adds their questions."""

    paths: PathRepository
    read_file: ReadQuestionFile
    imports: QuestionImports


async def import_questions(call: Call[QuestionFileDependencies]) -> Response:
    """What came of the files; if one cannot be read, nothing is added."""
    given = call.dependencies
    await given.paths.node(call.id, user_id=call.user_id)
    uploads = await read_uploads(call.request, call.policy.limits)
    files = [await given.read_file(upload.filename, upload.content) for upload in uploads]
    whole = QuestionFile(
        tuple(question for file in files for question in file.questions),
        tuple(question for file in files for question in file.left_out),
    )
    return json_response(await given.imports.import_questions(call.id, whole, user_id=call.user_id))
