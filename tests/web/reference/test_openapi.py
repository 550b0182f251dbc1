"""The OpenAPI document says what the server does."""

import re
from typing import Any

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from harness.servers.web import Web
from sprout.accounts.access import ANY_ROLE
from sprout.events import EVENT, AgentStart
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.reference.docs import docs_html, docs_page
from sprout.web.reference.error_texts import ENDPOINT_ERROR_TEXTS
from sprout.web.reference.openapi import openapi_document
from sprout.web.routes import ENDPOINTS

DOCUMENT = openapi_document(ENDPOINTS, "0.0")


def test_the_document_is_valid_openapi_31() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_every_endpoint_is_described_once_with_its_errors() -> None:
    operations = {
        (method.upper(), path): operation
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) == {(e.method, re.sub(r":\w+", "", e.path)) for e in ENDPOINTS}
    assert len({operation["operationId"] for operation in operations.values()}) == len(ENDPOINTS)
    failure = {"$ref": "#/components/schemas/Failure"}
    for (method, path), operation in operations.items():
        errors = {status: answer for status, answer in operation["responses"].items() if status >= "400"}
        assert {"400", "500"} <= set(errors), (method, path)
        assert all(answer["content"]["application/json"]["schema"] == failure for answer in errors.values())


def test_every_operation_says_who_may_call_it() -> None:
    for endpoint in ENDPOINTS:
        operation = DOCUMENT["paths"][re.sub(r":\w+", "", endpoint.path)][endpoint.method.lower()]
        scope = endpoint.access.scope
        assert all(way == [scope] for one in operation["security"] for way in one.values())
        assert bool(operation["security"]) == (scope is not None)
        assert ("401" in operation["responses"]) == (scope is not None or 401 in endpoint.error_statuses)
        assert ("x-roles" in operation) == (endpoint.access.roles != ANY_ROLE)
        assert any("token" in one for one in operation["security"]) == (
            scope is not None and not endpoint.access.in_person
        )


def test_every_parameter_of_a_path_is_described() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for operation in methods.values():
            described = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
            assert described == set(re.findall(r"{(\w+)}", path))


def test_an_address_that_answers_in_several_ways_is_described_with_all_of_them() -> None:
    def described(method: str, path: str) -> dict[str, list[str]]:
        responses = DOCUMENT["paths"][path][method]["responses"]
        return {status: list(one.get("content", {})) for status, one in responses.items() if status < "400"}

    json, stream = "application/json", "text/event-stream"
    assert described("post", "/api/chat/sessions/{id}/tutor") == {"200": [json, stream]}
    assert described("post", "/api/agents/topics/{id}/run") == {"200": [stream, json], "202": [json]}
    assert described("post", "/api/assessments") == {"201": [json], "200": [json]}
    assert described("get", "/api/graphs/{id}") == {"200": [json, "application/yaml"]}


def test_fields_parameters_and_headers_are_described_where_their_names_do_not_say_enough() -> None:
    operation = DOCUMENT["paths"]["/api/agents/topics/{id}/run"]["post"]
    descriptions = {(one["in"], one["name"]): one.get("description") for one in operation["parameters"]}
    assert all(descriptions.values())
    assert {("path", "id"), ("query", "onBusy"), ("header", "Idempotency-Key")} <= descriptions.keys()
    wait = next(one for one in operation["parameters"] if one["name"] == "wait")
    assert (wait["schema"]["default"], wait["schema"]["enum"]) == ("true", ["true", "false"])
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["TutorTurn"]["properties"]["content"]["description"]
    assert "isCorrect" in schemas["AnswerRow"]["description"]


def test_every_refusal_that_is_spelled_out_is_one_of_its_endpoint() -> None:
    for (method, path), own in ENDPOINT_ERROR_TEXTS.items():
        responses = DOCUMENT["paths"][path][method.lower()]["responses"]
        for status, description in own.items():
            assert responses[str(status)]["description"] == description


def test_every_link_within_the_page_of_the_api_leads_somewhere() -> None:
    page = bytes(docs_page(docs_html(DOCUMENT)).body).decode()
    targets = re.findall(r'id="([^"]+)"', page)
    assert len(targets) == len(set(targets))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(targets)
    assert "<script" not in page
    for schema in ("RunRow", "NodeRow", "TutorReply"):
        assert f'href="#{schema}"' in page


async def test_answers_fit_the_schemas_that_describe_them(web: Web) -> None:
    branch, root = await web.a_topic()
    run = await web.a_run(root)
    registry: Registry[Any] = Registry().with_resource(
        "urn:sprout", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
    )
    for path, address in {
        "/api/health": "/api/health",
        "/api/branches": f"/api/branches?userId={DEFAULT_USER_ID}",
        "/api/branches/summary": "/api/branches/summary",
        "/api/branches/{id}/graph": f"/api/branches/{branch.id}/graph",
        "/api/nodes": "/api/nodes",
        "/api/runs": "/api/runs",
        "/api/runs/{id}": f"/api/runs/{run.id}",
    }.items():
        pointer = f"#/paths/{path.replace('/', '~1')}/get/responses/200/content/application~1json/schema"
        answer = (await web.client.get(address)).json()
        assert answer
        Draft202012Validator({"$ref": f"urn:sprout{pointer}"}, registry=registry).validate(answer)


async def test_events_fit_the_schema_that_is_served(web: Web) -> None:
    schema = (await web.client.get("/api/schema/events")).json()
    Draft202012Validator.check_schema(schema)
    event = EVENT.dump_python(AgentStart(agent="topic", run_id="r", at="now"), mode="json", by_alias=True)
    Draft202012Validator(schema).validate(event)
    assert not Draft202012Validator(schema).is_valid({**event, "kind": "unheard_of"})
