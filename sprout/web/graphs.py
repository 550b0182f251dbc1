"""The answers about whole paths: planted from one request, and given out as one file."""

from starlette.responses import JSONResponse, Response

from sprout.learning.paths.exchange import PathFile, path_of, without_questions, written_path
from sprout.web.bodies import GraphOptions, Nothing
from sprout.web.endpoint import Call, row
from sprout.web.shown import Planted

YAML = "application/yaml"


def path_in(body: dict[str, object]) -> PathFile:
    """The path in a request, which may name its caller too. Raises BadPath."""
    return path_of({name: value for name, value in body.items() if name != "userId"})


async def planted(call: Call[Nothing, PathFile]) -> Response:
    """201 with the new branch; a path with a fault is refused whole, each item that is wrong named in a line."""
    path = call.body
    branch = await call.parts.exchange.import_path(path, user_id=call.user_id)
    counts = Planted(
        branch=branch,
        concepts=len(path.concepts),
        subconcepts=sum(len(concept.subconcepts) for concept in path.concepts),
        edges=len(path.edges) + sum(len(concept.edges) for concept in path.concepts),
        questions=sum(len(concept.questions) for concept in path.concepts),
    )
    return row(counts, 201)


async def exported(call: Call[GraphOptions, Nothing]) -> Response:
    """The branch as a file that can be planted again."""
    path = await call.parts.exchange.export_path(call.id, user_id=call.user_id)
    if call.query.answers == "false":
        path = without_questions(path)
    if call.query.format == "yaml":
        return Response(written_path(path, "yaml"), media_type=YAML)
    return Response(written_path(path, "json"), media_type="application/json")


async def schema(call: Call) -> Response:
    """What a path file may hold."""
    return JSONResponse(PathFile.model_json_schema(by_alias=True))
