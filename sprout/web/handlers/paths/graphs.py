"""Import and export of whole paths."""

from starlette.responses import JSONResponse, Response

from sprout.accounts.access import ANSWER_KEYS
from sprout.learning.paths.path_file import PathFile, dump_path, validate_path, without_questions
from sprout.web.http.dependencies import PathRepositories
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import GraphOptions, NoFields
from sprout.web.schemas.responses import ImportedPath

YAML = "application/yaml"


def parse_path(body: dict[str, object]) -> PathFile:
    """The path in a request, which may have a userId too. Raises InvalidPath."""
    return validate_path({name: value for name, value in body.items() if name != "userId"})


async def import_path(call: Call[PathRepositories, NoFields, PathFile]) -> Response:
    """201 with the new branch; an invalid path is refused as a whole, with a line for every faulty item."""
    path = call.body
    branch = await call.dependencies.exchange.import_path(path, user_id=call.user_id)
    counts = ImportedPath(
        branch=branch,
        concepts=len(path.concepts),
        subconcepts=sum(len(concept.subconcepts) for concept in path.concepts),
        edges=len(path.edges) + sum(len(concept.edges) for concept in path.concepts),
        questions=sum(len(concept.questions) for concept in path.concepts),
    )
    return json_response(counts, 201)


async def export_path(call: Call[PathRepositories, GraphOptions]) -> Response:
    """The branch as a file that can be imported again. Where a deployment has accounts, learners get no answers."""
    if call.query.answers == "true":
        ANSWER_KEYS.admit(call.caller)
    path = await call.dependencies.exchange.export_path(call.id, user_id=call.user_id)
    if call.query.answers == "false":
        path = without_questions(path)
    if call.query.format == "yaml":
        return Response(dump_path(path, "yaml"), media_type=YAML)
    return Response(dump_path(path, "json"), media_type="application/json")


async def get_path_schema(call: Call[PathRepositories]) -> Response:
    """The JSON Schema of a path file."""
    return JSONResponse(PathFile.model_json_schema(by_alias=True))
