"""The OpenAPI 3.1 document, made from the table of endpoints and the models that they name."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.alias_generators import to_snake
from pydantic.json_schema import models_json_schema

from sprout.web.bodies import Nothing
from sprout.web.endpoint import Answer, AnyEndpoint
from sprout.web.refusals import refusal
from sprout.web.shown import Failure

REFERENCE = "#/components/schemas/{model}"
WITH_BODY = (408, 413, 422)
Json = dict[str, Any]
Mode = Literal["validation", "serialization"]
HEADERS = {
    "Accept": "`text/event-stream` asks for the stream of the turn instead of one JSON object.",
    "Idempotency-Key": "1 to 200 visible ASCII characters; a second request with the same key and body finds the first "
    "one's run.",
    "Last-Event-ID": "The `id` of the last event that the client has; it goes before `after`.",
}
IDS = {
    "assessments": "of the assessment",
    "branches": "of the branch",
    "changes": "of the change",
    "concepts": "of a node of the type `concept`",
    "documents": "of the document",
    "graphs": "of the branch",
    "memories": "of the entry",
    "nodes": "of the node",
    "passages": "of the passage",
    "progress": "of the progress row",
    "questions": "of the question",
    "runs": "of the run",
    "sessions": "of the session",
    "static": "as the page names it; files of a version never change",
    "topics": "of a node of the type `root`",
}


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
        "components": {"schemas": {name: _spoken(schema) for name, schema in definitions.get("$defs", {}).items()}},
    }


def _spoken(schema: Json) -> Json:
    """The schema with its fields named in its description as they are on the wire."""
    if "description" not in schema:
        return schema
    said = schema["description"]
    for name in schema.get("properties", {}):
        said = re.sub(rf"\b{to_snake(name)}\b", name, said) if to_snake(name) != name else said
    return {**schema, "description": said}


def _sorted_models(endpoints: Iterable[AnyEndpoint]) -> list[tuple[type[BaseModel], Mode]]:
    """Every model of the table with the way that it is used, each once, by name."""
    asked = {endpoint.body for endpoint in endpoints if endpoint.body is not Nothing}
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
    if about := inspect.getdoc(endpoint.handler):
        described["description"] = about
    if parameters := _path_parameters(endpoint) + _query_parameters(endpoint) + _header_parameters(endpoint):
        described["parameters"] = parameters
    if body := _request_body(endpoint, schemas):
        described["requestBody"] = body
    return described


def _operation_id(endpoint: AnyEndpoint) -> str:
    words = re.findall(r"\w+", re.sub(r":\w+", "", endpoint.path)) or ["home"]
    return "_".join([endpoint.method.lower(), *words]).replace("-", "_")


def _path_parameters(endpoint: AnyEndpoint) -> list[Json]:
    found = re.findall(r"(\w[\w-]*)/{(\w+)", endpoint.path)
    said = {name: IDS.get(name.removesuffix("_id") + "s" if name != "id" else before, "") for before, name in found}
    names = re.findall(r"{(\w+)", endpoint.path)
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        | ({"description": said[name]} if said.get(name) else {})
        for name in names
    ]


def _query_parameters(endpoint: AnyEndpoint) -> list[Json]:
    schema = endpoint.query.model_json_schema(by_alias=True)
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(field)}
        | ({"description": field["description"]} if "description" in field else {})
        for name, field in schema.get("properties", {}).items()
    ]


def _without_null(field: Json) -> Json:
    """A parameter is left out, not null."""
    kinds = [kind for kind in field.get("anyOf", []) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else {k: v for k, v in field.items() if k not in ("title", "description")}


def _header_parameters(endpoint: AnyEndpoint) -> list[Json]:
    return [
        {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": HEADERS[name]}
        for name in endpoint.headers
    ]


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
        if answer.says not in response["description"]:
            response["description"] += f" {answer.says}"
        if answer.status != 204:
            response.setdefault("content", {})[answer.media] = {"schema": _answer_schema(answer, schemas)}
    failure = {"application/json": {"schema": schemas[Failure, "serialization"]}}
    for status in _error_statuses(endpoint):
        said = refusal(endpoint.method, endpoint.path, status)
        described[str(status)] = {"description": said, "content": failure}
    return described


def _error_statuses(endpoint: AnyEndpoint) -> list[int]:
    """The statuses of its own and those that every endpoint of its kind may answer with."""
    statuses = {400, 429, 500, *endpoint.errors}
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
