"""OpenAPI 3.1 document, generated from the table of endpoints and their models.

Written by hand from the endpoint table: pydantic makes the schemas, apispec would only assemble paths.
"""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.alias_generators import to_snake
from pydantic.json_schema import models_json_schema

from sprout.accounts.access import ANY_ROLE, Access
from sprout.web.http.endpoint import AnyEndpoint, ResponseSpec
from sprout.web.reference.error_texts import error_text
from sprout.web.schemas.requests import NoFields
from sprout.web.schemas.responses import Failure

REFERENCE = "#/components/schemas/{model}"
BODY_ERRORS = (408, 413, 422)
ACCESS_ERRORS = (401, 403)
SECURITY_SCHEMES = {
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "__Host-sprout",
        "description": "Set by signing in. Without `SPROUT_AUTH` every request is the one learner's.",
    },
    "token": {"type": "http", "scheme": "bearer", "description": "An access token with the scope that is named."},
}
Json = dict[str, Any]
Mode = Literal["validation", "serialization"]
HEADER_DESCRIPTIONS = {
    "Accept": "`text/event-stream` asks for the stream of the turn instead of one JSON object.",
    "Idempotency-Key": "1 to 200 visible ASCII characters; a repeated request with the same key and body finds "
    "the first run.",
    "Last-Event-ID": "The `id` of the last event that the client has; it overrides `after`.",
}
ID_DESCRIPTIONS = {
    "assessments": "of the assessment",
    "branches": "of the branch",
    "changes": "of the change",
    "concepts": "of a node of the type `concept`",
    "documents": "of the document",
    "graphs": "of the branch",
    "memories": "of the entry",
    "nodes": "of the node",
    "people": "of the user whose account it is",
    "passages": "of the passage",
    "progress": "of the progress row",
    "questions": "of the question",
    "runs": "of the run",
    "sessions": "of the session",
    "static": "as the page names it; files of a version never change",
    "tokens": "of the token",
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
            '`{"error": "text", "code": "what_happened"}`, with `params` where the text has values.',
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": group} for group in dict.fromkeys(endpoint.tag for endpoint in endpoints)],
        "paths": paths,
        "components": {
            "schemas": {name: _with_wire_names(schema) for name, schema in definitions.get("$defs", {}).items()},
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _with_wire_names(schema: Json) -> Json:
    """The schema, whose description names fields as they are on the wire."""
    if "description" not in schema:
        return schema
    description = schema["description"]
    for name in schema.get("properties", {}):
        if to_snake(name) != name:
            description = re.sub(rf"\b{to_snake(name)}\b", name, description)
    return {**schema, "description": description}


def _sorted_models(endpoints: Iterable[AnyEndpoint]) -> list[tuple[type[BaseModel], Mode]]:
    """Every model of the table with its mode, sorted by name."""
    bodies = {endpoint.body for endpoint in endpoints if endpoint.body is not NoFields}
    results = {answer.model for endpoint in endpoints for answer in endpoint.responses if answer.model} | {Failure}
    uses: list[tuple[type[BaseModel], Mode]] = [(model, "validation") for model in bodies]
    uses += [(model, "serialization") for model in results]
    return sorted(uses, key=lambda use: use[0].__name__)


Schemas = Mapping[Any, Json]  # by model and mode, as pydantic gives them


def _operation(endpoint: AnyEndpoint, schemas: Schemas) -> Json:
    described: Json = {
        "summary": endpoint.summary,
        "operationId": _operation_id(endpoint),
        "tags": [endpoint.tag],
        "security": _security(endpoint.access),
        "responses": _responses(endpoint, schemas),
    }
    if endpoint.access.roles != ANY_ROLE:
        described["x-roles"] = sorted(endpoint.access.roles)
    if about := inspect.getdoc(endpoint.handler):
        described["description"] = about
    if parameters := _path_parameters(endpoint) + _query_parameters(endpoint) + _header_parameters(endpoint):
        described["parameters"] = parameters
    if body := _request_body(endpoint, schemas):
        described["requestBody"] = body
    return described


def _security(access: Access) -> list[Json]:
    """The ways to authenticate, each with the scope that it takes; none for a public endpoint."""
    if access.scope is None:
        return []
    ways = ["session"] if access.in_person else ["session", "token"]
    return [{way: [access.scope.value]} for way in ways]


def _operation_id(endpoint: AnyEndpoint) -> str:
    words = re.findall(r"\w+", re.sub(r":\w+", "", endpoint.path)) or ["home"]
    return "_".join([endpoint.method.lower(), *words]).replace("-", "_")


def _path_parameters(endpoint: AnyEndpoint) -> list[Json]:
    found = re.findall(r"(\w[\w-]*)/{(\w+)", endpoint.path)
    descriptions = {
        name: ID_DESCRIPTIONS.get(name.removesuffix("_id") + "s" if name != "id" else before, "")
        for before, name in found
    }
    names = re.findall(r"{(\w+)", endpoint.path)
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        | ({"description": descriptions[name]} if descriptions.get(name) else {})
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
    """The schema without null: a parameter is left out instead."""
    kinds = [kind for kind in field.get("anyOf", []) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else {k: v for k, v in field.items() if k not in ("title", "description")}


def _header_parameters(endpoint: AnyEndpoint) -> list[Json]:
    return [
        {
            "name": name,
            "in": "header",
            "required": False,
            "schema": {"type": "string"},
            "description": HEADER_DESCRIPTIONS[name],
        }
        for name in endpoint.headers
    ]


def _request_body(endpoint: AnyEndpoint, schemas: Schemas) -> Json | None:
    if endpoint.form_field is not None:
        file = {"type": "string", "contentMediaType": "application/octet-stream"}
        files = {"type": "array", "items": file, "minItems": 1}
        form = {"type": "object", "required": [endpoint.form_field], "properties": {endpoint.form_field: files}}
        return {"required": True, "content": {"multipart/form-data": {"schema": form}}}
    if endpoint.body is NoFields:
        return None
    return {"required": True, "content": {"application/json": {"schema": schemas[endpoint.body, "validation"]}}}


def _responses(endpoint: AnyEndpoint, schemas: Schemas) -> Json:
    described: Json = {}
    for answer in endpoint.responses:
        response = described.setdefault(str(answer.status), {"description": answer.description})
        if answer.description not in response["description"]:
            response["description"] += f" {answer.description}"
        if answer.status != 204 and answer.media_type:
            response.setdefault("content", {})[answer.media_type] = {"schema": _response_schema(answer, schemas)}
    failure = {"application/json": {"schema": schemas[Failure, "serialization"]}}
    for status in _error_statuses(endpoint):
        described_error = error_text(endpoint.method, endpoint.path, status)
        described[str(status)] = {"description": described_error, "content": failure}
    return described


def _error_statuses(endpoint: AnyEndpoint) -> list[int]:
    """The endpoint's own error statuses, and those of every endpoint of its kind."""
    statuses = {400, 429, 500, *endpoint.error_statuses}
    if endpoint.access.scope is not None:
        statuses.update(ACCESS_ERRORS)
    if "{" in endpoint.path:
        statuses.add(404)
    if endpoint.query is not NoFields:
        statuses.add(422)
    if endpoint.method != "GET":
        statuses.add(403)
    if endpoint.body is not NoFields or endpoint.form_field is not None:
        statuses.update(BODY_ERRORS)
    return sorted(statuses)


def _response_schema(answer: ResponseSpec, schemas: Schemas) -> Json:
    if answer.model is None and answer.media_type != "application/json":
        return {"type": "string"}
    schema = schemas[answer.model, "serialization"] if answer.model else {"type": "object"}
    if answer.nullable:
        return {"anyOf": [schema, {"type": "null"}]}
    return {"type": "array", "items": schema} if answer.many else schema
