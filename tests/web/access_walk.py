"""The walk through the table of endpoints: who may get through where, and with which ids.

What is expected of a cell follows from the endpoint's `access` alone, and from whose the ids are.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import update

from harness.requests.seeded_world import SeededWorld, kind_of, seed_world
from harness.servers.signed_in import SignInServer, serving_sign_in
from harness.servers.smtp import serving_smtp, smtp_settings
from harness.sign_in.openid_provider import oidc_settings, serving_provider
from sprout.accounts.access import Access
from sprout.accounts.identities import Identity
from sprout.accounts.passkeys import NewPasskey
from sprout.accounts.principal import SCOPES_OF, AccountRole, Principal, Scope
from sprout.accounts.security_log import TERMINAL
from sprout.errors import MissingRight, NotSignedIn
from sprout.ids import new_id
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.web.http.endpoint import AnyEndpoint
from tests.web.test_bad_input import GOOD

OWN_WORD, OTHER_WORD = "Chutney", "Marmalade"  # each in every text of one learner
UNKNOWN = "01a21bf9-0000-7000-8000-000000000000"
IDS_IN_QUERY = {"branchId": "branches", "nodeId": "nodes", "parentId": "nodes", "targetNodeId": "concepts"}
IDS_IN_BODY = {
    **IDS_IN_QUERY,
    "questionId": "questions",
    "sessionId": "sessions",
    "itemId": "reviewItems",
    "classId": "classes",
}
IN_CLASSES = {"desk": "questions", "shared": "sessions", "concerns": "messages"}  # by the segment before the id
IN_PLACEMENTS = {"nodeId": "parts", "itemId": "placementItems"}


class Whose(StrEnum):
    """Whose the ids of a request are."""

    OWN = "own"
    FOREIGN = "foreign"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Caller:
    """A sender of requests; `principal` is who the server should take them for."""

    name: str
    client: httpx2.AsyncClient
    principal: Principal | None

    def refusal(self, access: Access) -> int | None:
        """The status with which an endpoint of this access turns them away."""
        if access.scope is None:
            return None
        try:
            access.admit(self.principal)
        except NotSignedIn:
            return 401
        except MissingRight:
            return 403
        return None


@dataclass(frozen=True, slots=True)
class Walk:
    """A server with the worlds of two learners, and everybody who sends requests to it.

    Args:
        callers: the first one is the learner whose ids are sent.
    """

    server: SignInServer
    callers: tuple[Caller, ...]
    ids: SeededWorld
    user_id: str

    def caller(self, name: str) -> Caller:
        return next(one for one in self.callers if one.name == name)

    def path(self, endpoint: AnyEndpoint, whose: Whose) -> str:
        """The address, with ids of the first learner or with unknown ones."""

        def filled(match: re.Match[str]) -> str:
            if whose is Whose.UNKNOWN:
                return f"/{match[1]}/{UNKNOWN}"
            return f"/{match[1]}/{self.id_of(endpoint.path, match[1])}"

        path = re.sub(r"/([\w-]+)/{(?:\w+_)?id}", filled, endpoint.path)
        return path.replace("{name}", "topic").replace("{version}", "0").replace("{path:path}", "app.js")

    def id_of(self, path: str, segment: str) -> str:
        """An id of the first learner, as this address means it."""
        kind = kind_of(path, segment)
        if path.startswith("/api/classes/") and kind in IN_CLASSES:
            kind = IN_CLASSES[kind]
        return self.user_id if kind in ("people", "learners") else self.ids.ids_of(kind)[0]

    def query(self, endpoint: AnyEndpoint) -> dict[str, str]:
        """Ids of the first learner wherever the query takes some."""
        fields = {field.alias or name for name, field in endpoint.query.model_fields.items()}
        found = {name: self.ids.ids_of(kind)[0] for name, kind in IDS_IN_QUERY.items() if name in fields}
        return found | ({"q": OWN_WORD} if "q" in fields else {}) | ({"follow": "false"} if "follow" in fields else {})

    def body(self, endpoint: AnyEndpoint, *, with_ids: bool) -> Mapping[str, Any] | None:
        """A body that is valid, with ids of the first learner wherever it has some."""
        good = GOOD.get(endpoint.body.__name__)
        if good is None or not with_ids:
            return good and {name: value for name, value in good.items() if name != "userId"}
        kinds = IDS_IN_BODY | (IN_PLACEMENTS if "/placements" in endpoint.path else {})
        mine = {name: self.ids.ids_of(kind)[0] for name, kind in kinds.items() if name in good}
        return {name: value for name, value in good.items() if name != "userId"} | mine


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered; `text` is empty for a stream that goes on."""

    status: int
    text: str


async def ask(
    client: httpx2.AsyncClient,
    endpoint: AnyEndpoint,
    path: str,
    *,
    params: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send a request; of a stream that was begun nothing is read."""
    async with client.stream(endpoint.method, path, params=params, json=body, headers=headers) as response:
        live = response.headers.get("content-type", "").startswith("text/event-stream")
        if live and (params or {}).get("follow") != "false":
            return Answer(response.status_code, "")
        return Answer(response.status_code, (await response.aread()).decode("utf-8", "replace"))


def has_ids(endpoint: AnyEndpoint) -> bool:
    return "id}" in endpoint.path


@asynccontextmanager
async def a_walk(data_dir: Path, database_url: str) -> AsyncIterator[Walk]:
    """The server, seeded; every token is of the first learner, or of the owner where it says so."""
    async with (
        serving_provider() as provider,
        serving_smtp() as smtp,
        serving_sign_in(
            data_dir,
            database_url,
            methods="password,passkey,oidc",
            oidc=oidc_settings(provider),
            smtp=smtp_settings(smtp),
        ) as server,
    ):
        roles = {
            "learner": AccountRole.LEARNER,
            "other learner": AccountRole.LEARNER,
            "teacher": AccountRole.TEACHER,
            "owner": AccountRole.OWNER,
        }
        users = {name: await server.add_person(name.replace(" ", "-"), role) for name, role in roles.items()}
        clients = {name: await server.sign_in(name.replace(" ", "-")) for name in roles}
        own = await seed_world(clients["learner"], server.sprout, OWN_WORD, users["learner"])
        await _draw_answer(server, own)
        await seed_world(clients["other learner"], server.sprout, OTHER_WORD, users["other learner"])
        callers = [
            Caller(name, clients[name], Principal(users[name], role, SCOPES_OF[role])) for name, role in roles.items()
        ]
        for name in ("learner", "owner"):
            for scope in sorted(SCOPES_OF[roles[name]]):
                client = await server.with_token(await _new_token(clients[name], scope))
                principal = Principal(users[name], roles[name], frozenset({scope}), by_token=True)
                callers.append(Caller(f"{name}'s token: {scope}", client, principal))
        callers.append(Caller("anonymous", await server.browser(), None))
        callers += [Caller(name, client, None) async for name, client in _void(server, clients["other learner"])]
        more = {
            "account_sessions": await _ids(clients["learner"], "/api/account/sessions"),
            "tokens": await _ids(clients["learner"], "/api/account/tokens"),
            **await _ways_of_the_learner(server, clients["learner"], users["learner"]),
            **await _class_of_the_learner(server, clients["learner"]),
        }
        yield Walk(server, tuple(callers), SeededWorld({**own.ids, **more}), users["learner"])


async def _draw_answer(server: SignInServer, own: SeededWorld) -> None:
    """Make the learner's answer a drawing, with words beside it."""
    drawing = tables.Drawing(id=new_id(), session_id=own.ids_of("sessions")[0], media_type="image/png", data=b"drawn")
    answers = table_of(tables.Answer)
    drawn = update(answers).where(answers.c.id == own.ids_of("answers")[0])

    def body(tx: WriteTransaction) -> None:
        tx.session.add(drawing)
        tx.connection.execute(drawn.values(answer_text=f"[drawing:{drawing.id}] {OWN_WORD}"))

    await server.sprout.database.write_tx(body)


async def _ways_of_the_learner(
    server: SignInServer, learner: httpx2.AsyncClient, user_id: str
) -> dict[str, tuple[str, ...]]:
    """A passkey and a linked identity, as signing in would have left them."""
    passkey = NewPasskey("A" * 20, "AAAA", 0, (), OWN_WORD)
    await server.accounts.passkeys.add(passkey, user_id=user_id, origin=TERMINAL)
    await server.accounts.identities.link(
        Identity("https://idp.example", "1", OWN_WORD), user_id=user_id, origin=TERMINAL
    )
    kinds = ("passkeys", "identities")
    return {kind: await _ids(learner, f"/api/account/{kind}") for kind in kinds}


async def _class_of_the_learner(server: SignInServer, learner: httpx2.AsyncClient) -> dict[str, tuple[str, ...]]:
    """A class that the learner has joined, with a path; its teacher is none of the callers, whose classes it is not."""
    await server.add_person("class-teacher", AccountRole.TEACHER)
    teacher = await server.sign_in("class-teacher")
    made = (await teacher.post("/api/classes", json={"name": OWN_WORD})).raise_for_status().json()
    code = (await teacher.post(f"/api/classes/{made['id']}/code", json={})).raise_for_status().json()
    file = {"sprout_path": 1, "title": OWN_WORD, "topic": {"title": OWN_WORD}, "concepts": []}
    path = (await teacher.post("/api/graphs", json=file)).raise_for_status().json()["branch"]
    (await learner.post("/api/account/classes", json={"code": code["code"]["code"]})).raise_for_status()
    given = await teacher.post(f"/api/classes/{made['id']}/paths", json={"branchId": path["id"]})
    return {"classes": (made["id"],), "given_paths": (given.raise_for_status().json()["id"],)}


async def _void(server: SignInServer, other: httpx2.AsyncClient) -> AsyncIterator[tuple[str, httpx2.AsyncClient]]:
    """Callers with something that was valid once, or never."""
    yield "wrong token", await server.with_token("wrong")
    revoked = await _new_token(other, Scope.READ)
    (token_id, *_) = await _ids(other, "/api/account/tokens")
    (await other.delete(f"/api/account/tokens/{token_id}")).raise_for_status()
    yield "revoked token", await server.with_token(revoked)
    signed_out = await server.sign_in("other-learner")
    cookies = dict(signed_out.cookies)
    (await signed_out.post("/api/sign-out")).raise_for_status()
    replaying = await server.browser()
    replaying.cookies.update(cookies)
    yield "replayed cookie", replaying


async def _new_token(client: httpx2.AsyncClient, scope: Scope) -> str:
    made = await client.post("/api/account/tokens", json={"name": scope, "scopes": [scope]})
    return str(made.raise_for_status().json()["token"])


async def _ids(client: httpx2.AsyncClient, path: str) -> tuple[str, ...]:
    return tuple(one["id"] for one in (await client.get(path)).raise_for_status().json())


def cells(walk: Walk, endpoint: AnyEndpoint) -> list[tuple[Caller, Whose]]:
    """An endpoint's cells: every caller, with own or foreign ids and unknown ones."""
    found = list[tuple[Caller, Whose]]()
    for caller in walk.callers:
        is_own = caller.principal is not None and caller.principal.user_id == walk.user_id
        found.append((caller, Whose.OWN if is_own else Whose.FOREIGN))
        if has_ids(endpoint):
            found.append((caller, Whose.UNKNOWN))
    return found
