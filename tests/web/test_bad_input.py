"""Everything wrong, sent everywhere: exact statuses, one shape, CORS headers, and nothing from inside."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
import pytest

from harness.servers.web import Web
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.http.lingering_close import LINGER_BYTES
from sprout.web.routes import ENDPOINTS

ORIGIN = "http://localhost:3000"
INSIDE = re.compile(
    r"Traceback|File \"|line \d+, in|/[\w.-]+\.py|site-packages|SELECT |pydantic|starlette", re.IGNORECASE
)
MISSING = "no-such-thing"
TAKING_JSON = [endpoint for endpoint in ENDPOINTS if endpoint.body.__name__ != "NoFields"]
WITH_ID = [endpoint for endpoint in ENDPOINTS if "{id}" in endpoint.path]
# What deletes or lists by a parent says nothing about whether the id was ever there (contract §1.4).
MISSING_IS_FINE = {
    ("DELETE", "/api/nodes/{id}"),
    ("GET", "/api/nodes/{id}/children"),
    ("GET", "/api/nodes/{id}/dependency-edges"),
}
PASSKEY: dict[str, object] = {"credentialId": "A" * 20, "clientData": "AAAA"}
GOOD: dict[str, dict[str, object]] = {
    "NewBranch": {"title": "a", "userId": DEFAULT_USER_ID},
    "BranchChange": {"title": "a"},
    "AgentInput": {"threadId": "a", "runId": "a", "messages": [{"id": "a", "role": "user", "content": "a"}]},
    "MapPlaces": {"places": {"a": {"x": 12, "layer": 1.5}}},
    "TopicCheck": {"title": "Bayes"},
    "ModelKeyChange": {"key": "a-model-key"},
    "SignInRequest": {"name": "anna", "password": "a"},
    "OwnerSetUp": {"code": "a", "name": "anna", "password": "Blau-Tasse-Fjord"},
    "PasswordFromLink": {"code": "a", "password": "Blau-Tasse-Fjord"},
    "OwnerInvitation": {"code": "a", "name": "anna"},
    "LinkCode": {"code": "a"},
    "PasskeySignInRequest": PASSKEY | {"authenticatorData": "AAAA", "signature": "AAAA"},
    "NewPasskeyRequest": PASSKEY | {"name": "a", "attestation": "AAAA"},
    "PasskeyFromLink": PASSKEY | {"name": "a", "attestation": "AAAA", "code": "a"},
    "SecondFactorChange": {"afterPassword": False},
    "ProviderVisitRequest": {},
    "RecoveryRequest": {"name": "anna"},
    "EmailChange": {"email": "anna@school.example"},
    "EmailConfirmation": {"code": "a"},
    "PasswordChange": {"oldPassword": "a", "newPassword": "Blau-Tasse-Fjord"},
    "AccountChange": {"displayName": "a"},
    "TokenRequest": {"name": "a", "scopes": ["read"]},
    "NewPerson": {"name": "anna"},
    "PersonChange": {"displayName": "a"},
    "NewClass": {"name": "a"},
    "ClassChange": {"name": "a"},
    "ClassBudget": {"usdPerDay": 1.5},
    "ClassCodeRequest": {},
    "ClassCode": {"code": "a"},
    "PathGift": {"branchId": "a"},
    "DeskVerdict": {"decision": "right"},
    "NewShare": {"classId": "a"},
    "RecordStoreChange": {"endpoint": "https://lrs.invalid", "key": "a", "secret": "a"},
    "UpdateAcceptance": {"version": "a"},
    "ContrastRequest": {"givenId": "a", "mixUpId": "a"},
    "NewPupil": {"code": "a", "nickname": "a"},
    "CardSignIn": {"card": "a"},
    "NewNode": {"title": "a", "type": "root", "userId": DEFAULT_USER_ID},
    "NodeChange": {"title": "a"},
    "AssessmentChange": {"title": "a"},
    "ContentBody": {"explanationMd": "a"},
    "GenerationBody": {"trigger": "manual_regenerate"},
    "NewSession": {"userId": DEFAULT_USER_ID},
    "SessionChange": {},
    "NewMessage": {"userId": DEFAULT_USER_ID, "role": "user", "content": "a"},
    "TutorTurn": {"userId": DEFAULT_USER_ID, "content": "a"},
    "MemoryChange": {"text": "a"},
    "HintBody": {"userId": DEFAULT_USER_ID, "nodeId": "a"},
    "PathFile": {"sprout_path": 1, "title": "a", "topic": {"title": "a"}},
    "NewAssessment": {"userId": DEFAULT_USER_ID, "targetNodeId": "a"},
    "NewQuestion": {"format": "numeric", "prompt": "How many legs has a spider?", "correctAnswer": "8"},
    "QuestionContest": {"userId": DEFAULT_USER_ID},
    "QuestionSkip": {"userId": DEFAULT_USER_ID},
    "AnswerSelfMark": {"userId": DEFAULT_USER_ID, "verdicts": {"c1": "met"}},
    "NodeVisit": {"userId": DEFAULT_USER_ID, "nodeId": "a"},
    "ProgressChange": {"masteryScore": 0.5},
    "NewAnswer": {"userId": DEFAULT_USER_ID, "questionId": "a"},
    "SectionChoice": {"start": 0},
    "RunRequest": {"userId": DEFAULT_USER_ID},
    "AgentRunRequest": {"userId": DEFAULT_USER_ID, "task": "for Friday"},
    "ReviewRequest": {"userId": DEFAULT_USER_ID},
    "RunAnswer": {"answer": "yes"},
    "NewReviewSession": {"userId": DEFAULT_USER_ID},
    "NewReviewAnswer": {"userId": DEFAULT_USER_ID, "itemId": "a"},
    "ReviewSelfMark": {"userId": DEFAULT_USER_ID, "itemId": "a", "verdicts": {"c1": "met"}},
    "NewReviewGrade": {"userId": DEFAULT_USER_ID, "itemId": "a", "grade": "good"},
    "ReviewSkip": {"userId": DEFAULT_USER_ID, "itemId": "a"},
    "ReviewSettingsChange": {"userId": DEFAULT_USER_ID},
    "NewPlacement": {"userId": DEFAULT_USER_ID},
    "NewPlacementAnswer": {"userId": DEFAULT_USER_ID, "itemId": "a"},
    "PlacementSkip": {"userId": DEFAULT_USER_ID, "itemId": "a"},
    "PlacementEnd": {"userId": DEFAULT_USER_ID},
    "NewOverrule": {"userId": DEFAULT_USER_ID, "nodeId": "a", "known": True},
    "McpMessage": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
}


@dataclass(frozen=True)
class Bad:
    """A body with its content type, and the status that it must get."""

    name: str
    content: bytes | None
    status: int = 400
    content_type: str | None = "application/json"


BAD_BODIES = [
    Bad("no body", None),
    Bad("an empty body", b""),
    Bad("malformed JSON", b'{"title": '),
    Bad("JSON that is a list", b"[]"),
    Bad("JSON that is null", b"null"),
    Bad("deep JSON", b'{"a":' * 15_000 + b"1" + b"}" * 10),
    Bad("deep JSON that is whole", b'{"a":' * 200 + b"1" + b"}" * 200),
    Bad("a key that stands twice", b'{"title": "a", "title": "b"}'),
    Bad("NaN", b'{"title": NaN}'),
    Bad("Infinity", b'{"title": -Infinity}'),
    Bad("a huge float", b'{"title": 1e999}'),
    Bad("a huge integer", b'{"title": ' + b"9" * 5000 + b"}"),
    Bad("half a surrogate pair", b'{"title": "\\ud800"}'),
    Bad("a NUL character", b'{"title": "\\u0000"}'),
    Bad("invalid UTF-8", b'{"title": "\xff\xfe"}'),
    Bad("no content type", b'{"title": "a"}', content_type=None),
    Bad("a form", b"title=a", content_type="application/x-www-form-urlencoded"),
    Bad("plain text", b'{"title": "a"}', content_type="text/plain"),
    Bad("too large", b'{"title": "' + b"a" * 100_000 + b'"}', 413),
]
LONGEST_ADDRESS = 65_000  # characters; the client sends no longer one
CRAZY_IDS = [
    "a" * 1_000,
    "a" * 30_000,
    "%EF%BC%91",
    "%E2%85%A0",
    "0x1",
    "1e3",
    "%00",
    "a%0Ab",
    "%E2%80%AE",
    "-1",
    "9" * 100,
    "%D0%B0",
    "%FF%FE",
    "..%5C..",
    "'%20OR%201=1--",
]


def check_refusal(answer: httpx2.Response, status: int) -> None:
    """An error as every client can read it, with nothing from inside."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json())[:2] == ["error", "code"]
    assert isinstance(answer.json()["error"], str)
    assert answer.json()["error"]
    assert not INSIDE.search(answer.text), answer.text
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "origin" in answer.headers["vary"].lower()


def address_of(endpoint: AnyEndpoint, id_: str) -> str:
    return re.sub(r"{\w*id}", lambda _: id_, endpoint.path)


async def send(
    web: Web, endpoint: AnyEndpoint, id_: str, *, content: bytes | None = None, content_type: str | None = None
) -> httpx2.Response:
    headers = {"Origin": ORIGIN} | ({"Content-Type": content_type} if content_type else {})
    return await web.client.request(endpoint.method, address_of(endpoint, id_), content=content, headers=headers)


async def send_good(web: Web, endpoint: AnyEndpoint, id_: str) -> httpx2.Response:
    """A request that is right in everything but the id."""
    if endpoint.form_field:
        form = {endpoint.form_field: ("a.md", b"text")}
        return await web.client.post(address_of(endpoint, id_), files=form, headers={"Origin": ORIGIN})
    body = json.dumps(GOOD.get(endpoint.body.__name__, {})).encode()
    return await send(web, endpoint, id_, content=body, content_type="application/json")


def by_name(endpoint: AnyEndpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


@pytest.mark.parametrize("endpoint", TAKING_JSON, ids=by_name)
async def test_B3_B5_bad_bodies_get_their_exact_status_everywhere(web: Web, endpoint: AnyEndpoint) -> None:
    _, root = await web.a_topic()
    for bad in BAD_BODIES:
        answer = await send(web, endpoint, root.id, content=bad.content, content_type=bad.content_type)
        check_refusal(answer, bad.status)


@pytest.mark.parametrize("endpoint", WITH_ID, ids=by_name)
async def test_an_unknown_id_is_404_everywhere(web: Web, endpoint: AnyEndpoint) -> None:
    answer = await send_good(web, endpoint, MISSING)
    if (endpoint.method, endpoint.path) in MISSING_IS_FINE:
        assert answer.status_code in (200, 204)
    else:
        check_refusal(answer, 404)


@pytest.mark.parametrize("endpoint", WITH_ID, ids=by_name)
async def test_B4_ids_that_cannot_be_are_404_everywhere(web: Web, endpoint: AnyEndpoint) -> None:
    for id_ in CRAZY_IDS:
        if len(address_of(endpoint, id_)) > LONGEST_ADDRESS:
            continue
        answer = await send_good(web, endpoint, id_)
        if (endpoint.method, endpoint.path) not in MISSING_IS_FINE or answer.status_code == 404:
            check_refusal(answer, 404)


@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in ENDPOINTS}))
async def test_B5_a_wrong_method_is_405_and_tells_all_the_right_ones(web: Web, path: str) -> None:
    right = {endpoint.method for endpoint in ENDPOINTS if endpoint.path == path}
    right |= {"HEAD"} if "GET" in right else set()
    address = re.sub(r"{[^}]+}", "x", path)
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - right:
        answer = await web.client.request(method, address, headers={"Origin": ORIGIN})
        if method != "HEAD" and path != "/api/branches/summary":
            check_refusal(answer, 405)
            assert answer.headers["allow"] == ", ".join(sorted(right))


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/nowhere", "/api/branches/", "/api/branches/a/b/c", "/api/../etc/passwd",
     "/api/branches/%2e%2e/x", "/api//branches", "/API/branches", "/static", "/static/", "/static/v/",
     "/nowhere", "/docs/x"],
)  # fmt: skip
async def test_an_unknown_address_is_404_in_json(web: Web, path: str) -> None:
    check_refusal(await web.client.get(path, headers={"Origin": ORIGIN, "Accept": "application/json"}), 404)


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
async def test_an_unknown_address_is_404_for_every_method(web: Web, method: str) -> None:
    headers = {"Origin": ORIGIN, "Accept": "text/html"}
    check_refusal(await web.client.request(method, "/paths/x", headers=headers), 404)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=by_name)
async def test_another_learners_user_id_is_404_everywhere_it_can_be_said(web: Web, endpoint: AnyEndpoint) -> None:
    _, root = await web.a_topic()
    path = endpoint.path.replace("{id}", root.id).replace("{document_id}", "d").replace("{version}", "v")
    path = path.replace("{path:path}", "app.js") + "?userId=somebody-else"
    headers = {"Origin": ORIGIN, "Content-Type": "application/json"}
    body = json.dumps(GOOD.get(endpoint.body.__name__, {})).encode()
    check_refusal(await web.client.request(endpoint.method, path, content=body, headers=headers), 404)


@pytest.mark.parametrize("endpoint", TAKING_JSON, ids=by_name)
async def test_another_learners_user_id_in_a_body_is_404(web: Web, endpoint: AnyEndpoint) -> None:
    _, root = await web.a_topic()
    body = json.dumps({**GOOD[endpoint.body.__name__], "userId": "somebody-else"}).encode()
    check_refusal(await send(web, endpoint, root.id, content=body, content_type="application/json"), 404)


async def test_another_learners_user_id_hidden_behind_ones_own_is_404(web: Web) -> None:
    address = f"/api/branches?userId=somebody-else&userId={DEFAULT_USER_ID}"
    check_refusal(await web.client.get(address, headers={"Origin": ORIGIN}), 404)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("type=leaf", 422),
        ("branchId=", 400),
        ("branchId=" + "a" * 200, 400),
        ("branchId=%00", 400),
        ("x=" + "a" * 3000, 400),
    ],
)
async def test_bad_queries_get_their_exact_status(web: Web, query: str, status: int) -> None:
    check_refusal(await web.client.get(f"/api/nodes?{query}", headers={"Origin": ORIGIN}), status)


async def test_odd_accept_and_range_headers_change_nothing(web: Web) -> None:
    for headers in ({"Accept": "x/y;q=;;,"}, {"Range": "bytes=" + ",".join(f"{i}-{i}" for i in range(1000))}):
        for address in ("/api/health", "/static/v/app.js"):
            assert (await web.client.get(address, headers=headers)).status_code == 200


async def raw(web: Web, head: str, body: bytes = b"") -> bytes:
    """A hand-written request and all that comes back until the server closes or has answered."""
    reader, writer = await asyncio.open_connection(web.served.host, web.served.port)
    writer.write(head.replace("\n", "\r\n").encode() + body)
    received = await reader.readuntil(b"}")
    writer.close()
    return received


POST = "POST /api/branches HTTP/1.1\nHost: localhost\nContent-Type: application/json\n"


async def test_B2_a_declared_length_over_the_limit_is_413_before_the_body_is_sent(web: Web) -> None:
    received = await raw(web, POST + "Content-Length: 100000000\n\n")
    assert received.startswith(b"HTTP/1.1 413 ")


async def test_B2_an_endless_chunked_body_is_413_and_the_connection_is_closed(web: Web) -> None:
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    received = await raw(web, POST + "Transfer-Encoding: chunked\n\n", chunk * 3)
    assert received.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in received.lower()


async def test_B2_a_client_that_sends_ten_megabytes_at_once_can_still_read_its_413(web: Web) -> None:
    bad = Bad("ten megabytes", b"a" * 10_000_000, 413)
    answer = await send(web, TAKING_JSON[0], "x", content=bad.content, content_type=bad.content_type)
    check_refusal(answer, bad.status)


async def test_B2_of_a_hundred_megabytes_only_a_part_is_read_and_the_413_comes_before_the_end(web: Web) -> None:
    reader, writer = await asyncio.open_connection(web.served.host, web.served.port)
    writer.write((POST + "Content-Length: 100000000\n\n").replace("\n", "\r\n").encode())
    answer, sent, piece = asyncio.create_task(reader.readuntil(b"}")), 0, b"a" * 0x10000
    try:
        while sent < 100_000_000:
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
    except ConnectionError:
        pass  # the server has closed: that is what is looked for
    received = await answer
    writer.close()
    assert received.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in received.lower()
    assert sent < 3 * LINGER_BYTES


async def test_B2_who_looks_for_an_answer_while_sending_reads_the_413_without_waiting(web: Web) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"a" * 0x10000

    reader, writer = await asyncio.open_connection(web.served.host, web.served.port)
    writer.write((POST + "Transfer-Encoding: chunked\nAccept-Encoding: gzip\n\n").replace("\n", "\r\n").encode())
    looking = asyncio.create_task(reader.readuntil(b"}"))
    async for piece in endless():
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
        if looking.done():
            break
    assert b'{"error":"The request is too large' in looking.result()
    writer.close()


async def test_a_body_that_stops_half_way_is_408_and_the_connection_is_closed(web: Web) -> None:
    received = await raw(web, POST + "Content-Length: 1000\n\n", b'{"title": ')
    assert received.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in received.lower()


async def test_an_address_that_looks_like_another_server_leads_nowhere(web: Web) -> None:
    received = await raw(web, "GET //evil.example/ HTTP/1.1\nHost: localhost\n\n")
    assert received.startswith(b"HTTP/1.1 404 ")
    assert b"\nlocation:" not in received.lower()


async def test_after_all_of_this_the_server_is_well(web: Web) -> None:
    for bad in BAD_BODIES:
        await send(web, TAKING_JSON[0], "x", content=bad.content, content_type=bad.content_type)
    assert (await web.client.get("/api/health")).status_code == 200
