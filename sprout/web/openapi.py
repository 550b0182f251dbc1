"""The OpenAPI 3.1 document, made from the table of endpoints and the models that they name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from sprout.web.bodies import Nothing
from sprout.web.endpoint import Answer, AnyEndpoint
from sprout.web.shown import Failure

REFERENCE = "#/components/schemas/{model}"
WITH_BODY = (408, 413, 422)
ERRORS = {
    400: "The request cannot be understood, or something required is missing.",
    403: "A page of another site may not do this.",
    404: "There is no such thing, or it is somebody else's.",
    408: "The rest of the request did not arrive in time.",
    409: "The state of things forbids this; the text says why.",
    413: "Too much at once.",
    415: "A file of a type that is not read.",
    422: "A field is there but is not what it must be.",
    429: "As many event streams as you may have are open already.",
    500: "A bug.",
    503: "Not possible right now: the model, the database or the server itself is not ready.",
}
Json = dict[str, Any]
Mode = Literal["validation", "serialization"]


def openapi_document(endpoints: Sequence[AnyEndpoint], version: str) -> Json:
    """The whole document, as JSON values."""
    schemas, definitions = models_json_schema(_sorted_models(endpoints), ref_template=REFERENCE)
    paths: dict[str, Json] = {}
    for endpoint in endpoints:
        path = re.sub(r"{(\w+):\w+}", r"{\1}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sprout",
            "version": version,
            "description": "Agents grow a graph of concepts for a topic and stream their work. Errors are always "
            '`{"error": "text"}`.',
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": group} for group in dict.fromkeys(endpoint.group for endpoint in endpoints)],
        "paths": paths,
        "components": {"schemas": definitions.get("$defs", {})},
    }


def _sorted_models(endpoints: Iterable[AnyEndpoint]) -> list[tuple[type[BaseModel], Mode]]:
    """Every model of the table with the way that it is used, each once, by name."""
    asked = {endpoint.body for endpoint in endpoints if endpoint.body is not Nothing}
    asked |= {endpoint.query for endpoint in endpoints if endpoint.query is not Nothing}
    answered = {answer.model for endpoint in endpoints for answer in endpoint.answers if answer.model} | {Failure}
    uses: list[tuple[type[BaseModel], Mode]] = [(model, "validation") for model in asked]
    uses += [(model, "serialization") for model in answered]
    return sorted(uses, key=lambda use: use[0].__name__)


Schemas = Mapping[Any, Json]  # by model and mode, as pydantic gives them


def _operation(endpoint: AnyEndpoint, schemas: Schemas) -> Json:
    described: Json = {
        "summary": endpoint.summary,
        "operationId": _operation_id(endpoint),
        "tags": [endpoint.group],
        "responses": _responses(endpoint, schemas),
    }
    if parameters := _path_parameters(endpoint) + _query_parameters(endpoint):
        described["parameters"] = parameters
    if body := _request_body(endpoint, schemas):
        described["requestBody"] = body
    return described


def _operation_id(endpoint: AnyEndpoint) -> str:
    words = re.findall(r"\w+", re.sub(r":\w+", "", endpoint.path)) or ["home"]
    return "_".join([endpoint.method.lower(), *words]).replace("-", "_")


def _path_parameters(endpoint: AnyEndpoint) -> list[Json]:
    names = re.findall(r"{(\w+)", endpoint.path)
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(endpoint: AnyEndpoint) -> list[Json]:
    schema = endpoint.query.model_json_schema(by_alias=True)
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(field)}
        for name, field in schema.get("properties", {}).items()
    ]


def _without_null(field: Json) -> Json:
    """A parameter is left out, not null."""
    kinds = [kind for kind in field.get("anyOf", []) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else {key: value for key, value in field.items() if key != "title"}


def _request_body(endpoint: AnyEndpoint, schemas: Schemas) -> Json | None:
    if endpoint.form_field is not None:
        file = {"type": "string", "contentMediaType": "application/octet-stream"}
        files = {"type": "array", "items": file, "minItems": 1}
        form = {"type": "object", "required": [endpoint.form_field], "properties": {endpoint.form_field: files}}
        return {"required": True, "content": {"multipart/form-data": {"schema": form}}}
    if endpoint.body is Nothing:
        return None
    return {"required": True, "content": {"application/json": {"schema": schemas[endpoint.body, "validation"]}}}


def _responses(endpoint: AnyEndpoint, schemas: Schemas) -> Json:
    described: Json = {}
    for answer in endpoint.answers:
        response = described.setdefault(str(answer.status), {"description": answer.says})
        if answer.status != 204:
            response.setdefault("content", {})[answer.media] = {"schema": _answer_schema(answer, schemas)}
    failure = {"application/json": {"schema": schemas[Failure, "serialization"]}}
    for status in _error_statuses(endpoint):
        described[str(status)] = {"description": ERRORS[status], "content": failure}
    return described


def _error_statuses(endpoint: AnyEndpoint) -> list[int]:
    """The statuses of its own and those that every endpoint of its kind may answer with."""
    statuses = {400, 500, *endpoint.errors}
    if "{" in endpoint.path:
        statuses.add(404)
    if endpoint.query is not Nothing:
        statuses.add(422)
    if endpoint.method != "GET":
        statuses.add(403)
    if endpoint.body is not Nothing or endpoint.form_field is not None:
        statuses.update(WITH_BODY)
    return sorted(statuses)


def _answer_schema(answer: Answer, schemas: Schemas) -> Json:
    if answer.model is None:
        return {"type": "object" if answer.media == "application/json" else "string"}
    schema = schemas[answer.model, "serialization"]
    if answer.or_null:
        return {"anyOf": [schema, {"type": "null"}]}
    return {"type": "array", "items": schema} if answer.many else schema
