"""Passkeys over HTTP, with an authenticator in software: alone, after the password, by a link, and what is refused."""

import asyncio
import io
import json
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import httpx2
import pytest
from sqlmodel import col, update

from harness.database.empty_sqlite import create_empty_database
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in, unlimited
from harness.sign_in.soft_authenticator import PRESENT, SoftAuthenticator
from sprout.accounts.accounts import NewAccount
from sprout.accounts.principal import FRESH_FOR, AccountRole
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from sprout.store.schema.account_tables import AccountSession, AccountTable
from sprout.store.schema.sign_in_tables import SignInAttempt

REFUSED = {"error": "This passkey isn't accepted here.", "code": "wrong_passkey"}


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SignInServer]:
    folder = tmp_path_factory.mktemp("passkeys")
    create_empty_database(folder)
    async with serving_sign_in(folder, methods="password,passkey", take_token=unlimited) as server:
        yield server


class Person:
    """A learner with a password and a passkey, in a browser where they are signed in."""

    def __init__(self, server: SignInServer, name: str) -> None:
        self.server, self.name, self.key = server, name, SoftAuthenticator(server.origin)
        self.user_id = ""
        self.browser: httpx2.AsyncClient

    async def arrive(self) -> "Person":
        self.user_id = await self.server.add_person(self.name)
        self.browser = await self.server.sign_in(self.name)
        assert (await add(self.browser, self.key)).status_code == 201
        return self

    async def passkey_id(self) -> str:
        return str((await self.browser.get("/api/account/passkeys")).json()[0]["id"])

    async def ask_after_password(self, asked: bool = True) -> httpx2.Response:
        return await self.browser.put("/api/account/second-factor", json={"afterPassword": asked})


@pytest.fixture
async def anna(server: SignInServer) -> Person:
    return await Person(server, f"anna-{new_secret()[:6].strip('-_') or 'x'}").arrive()


async def add(browser: httpx2.AsyncClient, key: SoftAuthenticator, **lies: Any) -> httpx2.Response:
    asked = (await browser.post("/api/account/passkey-options")).raise_for_status()
    return await browser.post("/api/account/passkeys", json=key.create(asked.json()["publicKey"], **lies))


async def options(browser: httpx2.AsyncClient) -> dict[str, Any]:
    asked: dict[str, Any] = (await browser.post("/api/sign-in/passkey/options")).raise_for_status().json()["publicKey"]
    return asked


async def prove(browser: httpx2.AsyncClient, key: SoftAuthenticator, **lies: Any) -> httpx2.Response:
    return await browser.post("/api/sign-in/passkey", json=key.prove(await options(browser), **lies))


async def kinds(server: SignInServer, user_id: str) -> list[str]:
    return [one.kind for one in await server.accounts.security_log.events(limit=100) if one.user_id == user_id]


async def test_a_passkey_signs_its_person_in_without_a_name(server: SignInServer, anna: Person) -> None:
    browser = await server.browser()
    asked = await options(browser)
    assert (asked["rpId"], asked["userVerification"], asked["allowCredentials"]) == ("localhost", "required", [])
    answer = await browser.post("/api/sign-in/passkey", json=anna.key.prove(asked))
    assert answer.json()["userId"] == anna.user_id
    assert (await browser.get("/api/account")).json()["userId"] == anna.user_id
    assert "sprout-attempt" not in browser.cookies
    (listed,) = (await browser.get("/api/account/passkeys")).json()
    assert listed["name"] == "Soft key"
    assert listed["lastUsedAt"] is not None


async def test_the_cookie_of_an_attempt_is_out_of_reach_of_scripts(server: SignInServer) -> None:
    answer = await (await server.browser()).post("/api/sign-in/passkey/options")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("sprout-attempt=")
    assert cookie.endswith("; HttpOnly; Max-Age=600; Path=/; SameSite=lax")


@pytest.mark.parametrize(
    "lies",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:1"},
        {"rp_id": "evil.example"},
        {"type": "webauthn.create"},
        {"flags": 0},
        {"flags": PRESENT},
        {"signature": b"no signature"},
        {"user_handle": "c29tZWJvZHkgZWxzZQ"},
    ],
    ids=str,
)
async def test_a_proof_that_does_not_hold_is_refused_as_an_unknown_passkey_is(
    server: SignInServer, anna: Person, lies: dict[str, Any]
) -> None:
    browser = await server.browser()
    stranger = SoftAuthenticator(server.origin, user_handle=anna.key.user_handle)
    for answer in (await prove(browser, anna.key, **lies), await prove(browser, stranger)):
        assert (answer.status_code, answer.json()) == (401, REFUSED)
    assert (await browser.get("/api/account")).status_code == 401


async def test_a_passkey_of_a_disabled_account_is_refused_as_an_unknown_one_is(
    server: SignInServer, anna: Person
) -> None:
    await server.accounts.accounts.change(anna.user_id, disabled=True, origin=TERMINAL)
    answer = await prove(await server.browser(), anna.key)
    assert (answer.status_code, answer.json()) == (401, REFUSED)


async def test_a_challenge_serves_once_also_when_it_was_answered_wrongly(server: SignInServer, anna: Person) -> None:
    browser = await server.browser()
    asked = await options(browser)
    cookies = dict(browser.cookies)
    wrong = await browser.post("/api/sign-in/passkey", json=anna.key.prove(asked, signature=b"wrong"))
    assert wrong.status_code == 401
    browser.cookies.update(cookies)
    again = await browser.post("/api/sign-in/passkey", json=anna.key.prove(asked))
    assert (again.status_code, again.json()["code"]) == (410, "attempt_invalid")
    asked = await options(browser)
    proofs = [anna.key.prove(asked) for _ in range(3)]
    at_once = await asyncio.gather(*(browser.post("/api/sign-in/passkey", json=one) for one in proofs))
    assert sorted(one.status_code for one in at_once) == [200, 410, 410]


async def test_a_challenge_is_answered_by_the_browser_that_got_it_in_time_and_for_its_purpose(
    server: SignInServer, anna: Person
) -> None:
    browser, thief = await server.browser(), await server.browser()
    asked = await options(browser)
    await options(thief)
    for other in (thief, await server.browser()):
        answer = await other.post("/api/sign-in/passkey", json=anna.key.prove(asked))
        assert (answer.status_code, answer.json()["code"]) == (410, "attempt_invalid")
    for_adding = (await anna.browser.post("/api/account/passkey-options")).json()["publicKey"]
    answer = await anna.browser.post("/api/sign-in/passkey", json=anna.key.prove(for_adding))
    assert answer.status_code == 410
    over = update(SignInAttempt).values(expires_at=utc_now() - timedelta(seconds=1))
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(over).close())
    answer = await browser.post("/api/sign-in/passkey", json=anna.key.prove(asked))
    assert answer.status_code == 410


async def test_passkeys_are_changed_after_a_fresh_sign_in_alone(server: SignInServer, anna: Person) -> None:
    of_anna = col(AccountSession.user_id) == anna.user_id
    back = update(AccountSession).where(of_anna).values(created_at=utc_now() - FRESH_FOR - timedelta(seconds=1))
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(back).close())
    adding = await anna.browser.post("/api/account/passkey-options")
    removing = await anna.browser.delete(f"/api/account/passkeys/{await anna.passkey_id()}")
    for refused in (adding, removing, await anna.ask_after_password()):
        assert (refused.status_code, refused.json()["code"]) == (403, "sign_in_again")
    assert len((await anna.browser.get("/api/account/passkeys")).json()) == 1, "all else goes on"
    browser = await server.sign_in(anna.name)
    assert (await add(browser, SoftAuthenticator(server.origin))).status_code == 201


async def test_a_count_that_goes_back_is_refused_and_told_in_the_log(server: SignInServer, anna: Person) -> None:
    browser = await server.browser()
    assert (await prove(browser, anna.key, count=7)).status_code == 200
    for count in (7, 3, 0):
        answer = await prove(await server.browser(), anna.key, count=count)
        assert (answer.status_code, answer.json()) == (401, REFUSED)
    assert (await kinds(server, anna.user_id)).count("passkey_refused") == 3
    assert (await prove(browser, anna.key, count=8)).status_code == 200


async def test_a_passkey_that_does_not_count_works_again_and_again(server: SignInServer) -> None:
    person = Person(server, "uncounted")
    person.key.counts = False
    await person.arrive()
    assert [(await prove(await server.browser(), person.key)).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(
    "lies",
    [
        {"origin": "https://evil.example"},
        {"rp_id": "evil.example"},
        {"type": "webauthn.get"},
        {"flags": PRESENT},
        {"attestation": {"fmt": "packed", "attStmt": {"alg": -7, "sig": b"x", "x5c": [b"x"]}}},
        {"attestation": {"fmt": "tpm"}},
        {"attestation": {"authData": b"short"}},
        {"attestation": {"attStmt": 7}},
    ],
    ids=str,
)
async def test_a_new_passkey_that_is_no_good_is_refused(
    server: SignInServer, anna: Person, lies: dict[str, Any]
) -> None:
    answer = await add(anna.browser, SoftAuthenticator(server.origin), **lies)
    assert (answer.status_code, answer.json()["code"]) == (400, "passkey_refused")
    assert len((await anna.browser.get("/api/account/passkeys")).json()) == 1


async def test_a_passkey_is_added_once_and_to_the_account_that_asked(server: SignInServer, anna: Person) -> None:
    known = (await anna.browser.post("/api/account/passkey-options")).json()["publicKey"]
    assert [one["id"] for one in known["excludeCredentials"]] == [anna.key.prove(known)["credentialId"]]
    again = await add(anna.browser, anna.key)
    assert (again.status_code, again.json()["code"]) == (409, "passkey_known")
    bert = await Person(server, f"bert-{anna.name}").arrive()
    asked = (await bert.browser.post("/api/account/passkey-options")).json()["publicKey"]
    anna.browser.cookies.set("sprout-attempt", bert.browser.cookies["sprout-attempt"], domain="localhost.local")
    stolen = await anna.browser.post("/api/account/passkeys", json=SoftAuthenticator(server.origin).create(asked))
    assert stolen.status_code == 410
    assert (await anna.browser.delete(f"/api/account/passkeys/{await bert.passkey_id()}")).status_code == 404


async def test_after_the_password_a_passkey_of_the_same_person_is_asked_for(server: SignInServer, anna: Person) -> None:
    bert = await Person(server, f"bert-{anna.name}").arrive()
    assert (await anna.ask_after_password()).json()["passkeyAfterPassword"] is True
    browser, credentials = await server.browser(), {"name": anna.name, "password": PASSWORD}
    wrong = await browser.post("/api/sign-in", json={**credentials, "password": "wrong horse battery"})
    assert wrong.status_code == 401
    asked = await browser.post("/api/sign-in", json=credentials)
    assert asked.status_code == 202
    assert "sprout" not in browser.cookies
    assert (await browser.get("/api/account")).status_code == 401
    answer = await browser.post("/api/sign-in/passkey", json=bert.key.prove(asked.json()["publicKey"]))
    assert (answer.status_code, answer.json()) == (401, REFUSED)
    asked = await browser.post("/api/sign-in", json=credentials)
    assert len(asked.json()["publicKey"]["allowCredentials"]) == 1
    answer = await browser.post("/api/sign-in/passkey", json=anna.key.prove(asked.json()["publicKey"]))
    assert answer.json()["userId"] == anna.user_id


async def test_the_last_passkey_stays_while_the_password_takes_one(server: SignInServer, anna: Person) -> None:
    await anna.ask_after_password()
    passkey = f"/api/account/passkeys/{await anna.passkey_id()}"
    kept = await anna.browser.delete(passkey)
    assert (kept.status_code, kept.json()["code"]) == (409, "passkey_needed")
    await anna.ask_after_password(False)
    assert (await anna.browser.delete(passkey)).status_code == 204
    assert (await prove(await server.browser(), anna.key)).status_code == 401
    needed = await anna.ask_after_password()
    assert (needed.status_code, needed.json()["code"]) == (409, "passkey_needed")
    told = await kinds(server, anna.user_id)
    assert told[:4] == [
        "passkey_removed",
        "passkey_off_after_password",
        "passkey_on_after_password",
        "passkey_added",
    ]


async def test_the_last_way_to_sign_in_stays(server: SignInServer, anna: Person) -> None:
    alone = update(AccountTable).where(col(AccountTable.user_id) == anna.user_id).values(password_hash=None)
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(alone).close())
    kept = await anna.browser.delete(f"/api/account/passkeys/{await anna.passkey_id()}")
    assert (kept.status_code, kept.json()["code"]) == (409, "last_way")
    second = SoftAuthenticator(server.origin)
    assert (await add(anna.browser, second)).status_code == 201
    assert (await anna.browser.delete(f"/api/account/passkeys/{await anna.passkey_id()}")).status_code == 204
    assert (await prove(await server.browser(), second)).status_code == 200


async def test_a_link_lets_its_person_add_a_passkey_once(server: SignInServer) -> None:
    new = NewAccount(f"carl-{new_secret()[:4]}", "Carl", AccountRole.LEARNER)
    carl = (await server.accounts.accounts.create(new, origin=TERMINAL)).user_id
    code = new_secret()
    await server.accounts.passwords.issue_code(
        digest_of(code), user_id=carl, expires_at=utc_now() + timedelta(hours=1), origin=TERMINAL
    )
    browser, key = await server.browser(), SoftAuthenticator(server.origin)
    no = await browser.post("/api/sign-in/link/passkey/options", json={"code": "another"})
    assert (no.status_code, no.json()["code"]) == (410, "code_invalid")
    asked = (await browser.post("/api/sign-in/link/passkey/options", json={"code": code})).json()["publicKey"]
    added = await browser.post("/api/sign-in/link/passkey", json={**key.create(asked), "code": code})
    assert added.json()["userId"] == carl
    assert (await browser.get("/api/account")).status_code == 200
    used = await browser.post("/api/sign-in/link/passkey/options", json={"code": code})
    assert used.status_code == 410
    assert (await prove(await server.browser(), key)).status_code == 200


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("credentialId", "short", 400),
        ("credentialId", "A" * 2_000, 400),
        ("clientData", "not base64!", 422),
        ("clientData", "AAAAA", 422),
        ("clientData", "AAAA", 410),
        ("clientData", "e30", 410),
        ("authenticatorData", "AAAA", 401),
        ("authenticatorData", "A" * 13_000, 400),
        ("signature", 7, 422),
        ("userHandle", "_" * 40, 401),
    ],
)
async def test_bad_input_gets_a_clear_answer(
    server: SignInServer, anna: Person, field: str, value: object, status: int
) -> None:
    browser = await server.browser()
    body = anna.key.prove(await options(browser)) | {field: value}
    answer = await browser.post("/api/sign-in/passkey", json=body)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) >= {"error", "code"}


async def test_garbage_instead_of_a_passkey_never_fails_the_server(server: SignInServer, anna: Person) -> None:
    chance = random.Random(7)
    for _ in range(60):
        asked = (await anna.browser.post("/api/account/passkey-options")).json()["publicKey"]
        body = SoftAuthenticator(server.origin).create(asked)
        text = list(body["attestation"])
        for _ in range(chance.randint(1, 6)):
            text[chance.randrange(len(text))] = chance.choice("ABCDEFGHIJ_-09xyz")
        answer = await anna.browser.post("/api/account/passkeys", json=body | {"attestation": "".join(text)})
        assert answer.status_code in (201, 400), (answer.text, text)


async def test_the_archive_has_passkeys_by_name_and_erasure_takes_them(server: SignInServer, anna: Person) -> None:
    with ZipFile(io.BytesIO((await anna.browser.get("/api/learner/archive")).content)) as archive:
        (listed,) = json.loads(archive.read("data/passkeys.json"))
        assert json.loads(archive.read("data/linked_identities.json")) == []
    assert listed["name"] == "Soft key"
    assert not listed.keys() & {"public_key", "credential_id", "sign_count"}
    assert (await anna.browser.delete("/api/learner?confirm=delete+everything")).status_code == 204
    assert await server.accounts.passkeys.passkeys(anna.user_id) == []
    assert (await prove(await server.browser(), anna.key)).status_code == 401


async def test_a_server_without_passkeys_has_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("without")
    create_empty_database(folder)
    async with serving_sign_in(folder) as server:
        browser = await server.browser()
        assert (await browser.post("/api/sign-in/passkey/options")).status_code == 404
        assert (await browser.post("/api/sign-in/oidc", json={})).status_code == 404
        assert (await browser.get("/api/sign-in/oidc/callback?state=a&code=b")).status_code == 404
