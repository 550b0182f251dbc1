"""Signing in and out over HTTP, and what becomes of cookies that are old, fixed, stolen or foreign (Z5, Z6, Z7)."""

import asyncio
import re
import statistics
import time
from datetime import timedelta

import httpx2
import pytest
from sqlmodel import update
from starlette.responses import Response

from harness.servers.signed_in import PASSWORD, SignInServer
from sprout.accounts.secret_values import digest_of
from sprout.accounts.security_log import TERMINAL
from sprout.accounts.sessions import IDLE_END
from sprout.accounts.sign_in import Browser, PasswordSignIn, WrongCredentials
from sprout.clock import utc_now
from sprout.store.schema.account_tables import AccountSession
from sprout.web.http.secret_cookie import session_cookie

ANNA = {"name": "anna", "password": PASSWORD}
WRONG = {"error": "The name or the password isn't right.", "code": "wrong_credentials"}


async def status_of(client: httpx2.AsyncClient) -> int:
    return (await client.get("/api/account")).status_code


async def test_a_request_without_a_session_is_asked_to_sign_in(server: SignInServer) -> None:
    browser = await server.browser()
    answer = await browser.get("/api/branches")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json() == {"error": "Sign in first.", "code": "not_signed_in"}
    assert (await browser.get("/api/sign-in")).json() == {
        "methods": ["password"],
        "setUp": False,
        "provider": "",
        "recovery": False,
    }
    for public in ("/", "/api/health", "/healthz", "/docs", "/openapi.json"):
        assert (await browser.get(public)).status_code == 200


async def test_Z6_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: SignInServer) -> None:
    answer = await (await server.browser()).post("/api/sign-in", json=ANNA)
    assert answer.json()["name"] == "anna"
    cookie = answer.headers["set-cookie"]
    secret = re.fullmatch(r"sprout=([\w-]{43}); HttpOnly; Max-Age=7776000; Path=/; SameSite=lax", cookie)
    assert secret is not None, cookie
    assert secret[1] not in answer.text


async def test_who_signs_out_twice_at_once_is_signed_out(server: SignInServer) -> None:
    anna = await server.sign_in("anna")
    answers = await asyncio.gather(*(anna.post("/api/sign-out") for _ in range(10)))
    assert {answer.status_code for answer in answers} <= {204, 401}
    assert 204 in {answer.status_code for answer in answers}
    assert await status_of(anna) == 401


async def test_one_who_is_signed_in_has_what_is_theirs(server: SignInServer) -> None:
    anna, bert = await server.sign_in("anna"), await server.sign_in("bert")
    made = (await anna.post("/api/branches", json={"title": "Light"})).json()
    assert [one["id"] for one in (await anna.get("/api/branches")).json()] == [made["id"]]
    assert (await bert.get("/api/branches")).json() == []
    assert (await bert.get(f"/api/branches/{made['id']}")).status_code == 404
    caller = (await anna.get("/api/account")).json()
    assert (caller["userId"], caller["role"], caller["scopes"]) == (
        made["userId"],
        "learner",
        ["calendar", "learn", "read", "seed"],
    )


async def test_Z7_an_unknown_name_a_wrong_password_and_a_disabled_account_are_refused_alike(
    server: SignInServer,
) -> None:
    olga, browser = await server.sign_in("olga"), await server.browser()
    people = (await olga.get("/api/people")).json()
    bert = next(one["userId"] for one in people if one["name"] == "bert")
    await olga.patch(f"/api/people/{bert}", json={"disabled": True})
    invited = await olga.post("/api/people", json={"name": "carl"})
    assert invited.status_code == 201
    tries = [
        ("nobody", PASSWORD),
        ("anna", "wrong horse battery"),
        ("bert", PASSWORD),
        ("carl", PASSWORD),
    ]
    for name, password in tries:
        answer = await browser.post("/api/sign-in", json={"name": name, "password": password})
        assert (answer.status_code, answer.json()) == (401, WRONG), name
        assert "set-cookie" not in answer.headers


async def test_Z7_an_unknown_name_takes_as_long_as_a_wrong_password(server: SignInServer) -> None:
    class NoThrottle:
        async def take(self, account: str, address: str) -> None:
            return

    needs = server.accounts
    signing_in = PasswordSignIn(needs.accounts, needs.passwords, needs.sessions, needs.security_log, NoThrottle())

    async def seconds(name: str) -> float:
        began = time.perf_counter()
        with pytest.raises(WrongCredentials):
            await signing_in.sign_in(name, "wrong horse battery", Browser("192.0.2.1", ""))
        return time.perf_counter() - began

    await seconds("anna")
    pairs = [(await seconds("anna"), await seconds("nobody")) for _ in range(9)]
    known, unknown = (statistics.median(one[at] for one in pairs) for at in (0, 1))
    assert 0.5 < known / unknown < 2  # without the hash it is a hundredth


async def test_Z7_guessing_is_slowed_down_for_an_account_and_an_address_together(server: SignInServer) -> None:
    browser = await server.browser()
    wrong = {"name": "ANNA", "password": "wrong horse battery"}
    tried = [await browser.post("/api/sign-in", json=wrong) for _ in range(12)]
    assert [one.status_code for one in tried] == [401] * 10 + [429] * 2
    assert tried[-1].json()["code"] == "too_many_sign_ins"
    assert 0 < int(tried[-1].headers["retry-after"]) <= 30
    assert (await browser.post("/api/sign-in", json=ANNA)).status_code == 429
    assert (await browser.post("/api/sign-in", json={**ANNA, "name": "bert"})).status_code == 200


async def test_Z6_signing_in_begins_a_new_session_and_a_fixed_one_gets_nothing(server: SignInServer) -> None:
    browser = await server.browser()
    browser.cookies.set("sprout", "fixed-by-an-attacker", domain="127.0.0.1")
    await browser.post("/api/sign-in", json=ANNA)
    thief = await server.browser()
    thief.cookies.set("sprout", "fixed-by-an-attacker", domain="127.0.0.1")
    assert (await status_of(browser), await status_of(thief)) == (200, 401)


async def test_Z6_signing_in_again_ends_the_session_that_the_browser_had(server: SignInServer) -> None:
    browser = await server.sign_in("anna")
    stolen = dict(browser.cookies)
    await browser.post("/api/sign-in", json=ANNA)
    thief = await server.browser()
    thief.cookies.update(stolen)
    assert (await status_of(browser), await status_of(thief)) == (200, 401)


@pytest.mark.parametrize("way", ["sign_out", "everywhere", "revoked", "password", "idle", "over", "disabled", "role"])
async def test_Z6_a_cookie_is_dead_at_once_when_its_session_ends(server: SignInServer, way: str) -> None:
    here, there = await server.sign_in("anna"), await server.sign_in("anna")
    stolen = await server.browser()
    stolen.cookies.update(dict(here.cookies))
    assert await status_of(stolen) == 200
    olga = await server.sign_in("olga")
    user_id = (await here.get("/api/account")).json()["userId"]
    match way:
        case "sign_out":
            assert (await here.post("/api/sign-out")).status_code == 204
            assert await status_of(there) == 200
        case "everywhere":
            assert (await there.delete("/api/account/sessions")).status_code == 204
            assert await status_of(there) == 401
        case "revoked":
            listed = (await here.get("/api/account/sessions")).json()
            mine = next(one for one in listed if one["current"])
            assert {one["userAgent"] for one in listed} == {"Test Browser"}
            assert (await there.delete(f"/api/account/sessions/{mine['id']}")).status_code == 204
            assert await status_of(there) == 200
        case "password":
            change = {"oldPassword": PASSWORD, "newPassword": "another horse battery"}
            assert (await there.post("/api/account/password", json=change)).status_code == 200
            assert await status_of(there) == 200
            assert (await here.post("/api/sign-in", json=ANNA)).status_code == 401
        case "idle" | "over":
            gone = {"last_seen_at": utc_now() - IDLE_END} if way == "idle" else {"ends_at": utc_now()}
            age = update(AccountSession).values(gone)
            await server.sprout.database.write_tx(lambda tx: tx.connection.execute(age).close())
        case "disabled":
            await olga.patch(f"/api/people/{user_id}", json={"disabled": True})
        case "role":
            await olga.patch(f"/api/people/{user_id}", json={"role": "teacher"})
    assert await status_of(stolen) == 401


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "http://127.0.0.1:1"}, False),
        ({"Origin": "http://localhost:3000"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Origin": "HERE"}, True),
    ],
    ids=str,
)
async def test_Z5_a_session_changes_something_for_its_own_page_alone(
    server: SignInServer, headers: dict[str, str], taken: bool
) -> None:
    browser = await server.sign_in("anna")
    del browser.headers["Origin"]
    sent = {name: server.origin if value == "HERE" else value for name, value in headers.items()}
    answer = await browser.post("/api/branches", json={"title": "Light"}, headers=sent)
    assert answer.status_code == (201 if taken else 403)
    if not taken:
        assert answer.json()["code"] == "other_site"
    assert len((await browser.get("/api/branches")).json()) == taken


async def test_a_server_behind_tls_names_its_cookie_so_that_no_other_host_sets_it(server: SignInServer) -> None:
    response = Response()
    session_cookie(secure=True).keep(response, "secret")
    assert response.headers["set-cookie"] == (
        "__Host-sprout=secret; HttpOnly; Max-Age=7776000; Path=/; SameSite=lax; Secure"
    )


async def test_a_change_of_the_password_needs_the_old_one_and_a_good_new_one(server: SignInServer) -> None:
    anna = await server.sign_in("anna")
    wrong = await anna.post("/api/account/password", json={"oldPassword": "no", "newPassword": "another horse battery"})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_credentials")
    weak = await anna.post("/api/account/password", json={"oldPassword": PASSWORD, "newPassword": "password123"})
    assert (weak.status_code, weak.json()["code"]) == (400, "password_common")
    assert await status_of(anna) == 200


async def test_the_code_of_the_set_up_makes_one_owner(server: SignInServer) -> None:
    await server.accounts.passwords.issue_code(
        digest_of("the-code"), user_id=None, expires_at=utc_now() + timedelta(hours=1), origin=TERMINAL
    )
    browser = await server.browser()
    asked = {"code": "the-code", "name": "Otto", "password": PASSWORD}
    assert (await browser.post("/api/sign-in/set-up", json={**asked, "code": "another"})).status_code == 410
    made = await asyncio.gather(*(browser.post("/api/sign-in/set-up", json=asked) for _ in range(3)))
    assert sorted(one.status_code for one in made) == [201, 410, 410]
    signed_in = await server.sign_in("otto")
    assert (await signed_in.get("/api/account")).json()["role"] == "owner"


async def test_the_log_has_what_happened_and_no_secret(server: SignInServer) -> None:
    anna, olga = await server.sign_in("anna"), await server.sign_in("olga")
    await anna.post("/api/sign-in", json={"name": "anna", "password": "wrong horse battery"})
    await anna.post("/api/sign-out")
    log = await olga.get("/api/security-log?limit=4")
    kinds = [one["kind"] for one in log.json()]
    assert kinds == ["session_ended", "sign_in_failed", "signed_in", "signed_in"]
    assert {one["address"] for one in log.json()} == {"127.0.0.1"}
    table = await olga.get("/api/security-log.csv")
    assert table.headers["content-type"].startswith("text/csv")
    for secret in (PASSWORD, "wrong horse", *anna.cookies.values(), *olga.cookies.values()):
        assert secret not in log.text + table.text
    assert (await anna.get("/api/security-log")).status_code == 401
