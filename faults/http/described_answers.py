"""Described answers: what is wrong with the status, type and shape of an answer, by the OpenAPI document."""

import json
import re
from typing import Any

import httpx2
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from harness.requests.request_generator import DrawnRequest
from sprout import __version__
from sprout.web.reference.openapi import openapi_document
from sprout.web.routes import ENDPOINTS

INTERNALS = re.compile(
    r"Traceback|File \"|site-packages|\.py\b|SELECT |INSERT |sqlalchemy|pydantic|starlette", re.IGNORECASE
)
ERROR_FIELDS = {"error", "activeRunId", "undoFirst", "code", "params", "ways", "courses"}
DOCUMENT = openapi_document(ENDPOINTS, __version__)


def faults_of_form(one: DrawnRequest, answer: httpx2.Response, text: str) -> list[str]:
    """Faults in the form of an answer, whatever it says."""
    status, found = answer.status_code, []
    if status >= 500 and status != 503:
        found.append("the server's fault")
    if str(status) not in _operation_schema(one):
        found.append("a status that the document does not have")
    if status >= 400:
        found += _error_problems(answer, text)
    elif status == 200 and not _has_described_type(one, answer):
        found.append("a content type that the document does not have")
    elif not _described_content(one, answer):
        found += ["a body that the document does not have"] if text else []
    elif (schema := _schema(one, answer)) is not None and not _matches_schema(schema, text):
        found.append("not of the shape that the document describes")
    return found


def _error_problems(answer: httpx2.Response, text: str) -> list[str]:
    if answer.request.method == "HEAD":
        return []
    try:
        body = json.loads(text)
    except ValueError:
        return ["an error that is no JSON"]
    if not isinstance(body, dict) or not body.keys() <= ERROR_FIELDS or not isinstance(body.get("error"), str):
        return ["an error of another shape"]
    return ["something from inside"] if INTERNALS.search(body["error"]) or not body["error"] else []


def _operation_schema(one: DrawnRequest) -> dict[str, Any]:
    method, path = one.operation
    responses: dict[str, Any] = DOCUMENT["paths"][path][method.lower()]["responses"]
    return responses


def _has_described_type(one: DrawnRequest, answer: httpx2.Response) -> bool:
    described = _described_content(one, answer)
    return "*/*" in described or _media_type(answer) in described


def _described_content(one: DrawnRequest, answer: httpx2.Response) -> dict[str, Any]:
    """The contents that a response may have, by media type."""
    content: dict[str, Any] = _operation_schema(one).get(str(answer.status_code), {}).get("content", {})
    return content


def _schema(one: DrawnRequest, answer: httpx2.Response) -> str | None:
    """Pointer to the schema of a JSON response in the OpenAPI document; None if it has none."""
    status = answer.status_code
    if _media_type(answer) != "application/json" or str(status) not in _operation_schema(one):
        return None
    method, path = one.operation
    return f"#/paths/{path.replace('/', '~1')}/{method.lower()}/responses/{status}/content/application~1json/schema"


def _media_type(answer: httpx2.Response) -> str:
    return str(answer.headers.get("content-type", "")).partition(";")[0]


def _matches_schema(pointer: str, text: str) -> bool:
    try:
        body = json.loads(text)
    except ValueError:
        return False
    return Draft202012Validator({"$ref": f"urn:sprout{pointer}"}, registry=_REGISTRY).is_valid(body)


_REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:sprout", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
)
