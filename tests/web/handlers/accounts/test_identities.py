"""Signing in at an OpenID provider: linked by hand, and everything that a wrong or hostile answer can be."""

import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from sqlmodel import col, update
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse

from harness.database.empty_sqlite import create_empty_database
from harness.servers.signed_in import SignInServer, serving_sign_in, unlimited
from harness.sign_in.openid_provider import (
    CLIENT_ID,
    Faults,
    OpenIdProvider,
    new_key,
    oidc_settings,
    serving_provider,
)
from harness.sign_in.soft_authenticator import base64url
from sprout.accounts.principal import FRESH_FOR
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from sprout.openid.id_tokens import LEEWAY_S
from sprout.openid.provider import OpenIdProvider as Client
from sprout.openid.provider import Registration
from sprout.store.schema.account_tables import AccountSession
from sprout.store.schema.sign_in_tables import SignInAttempt

ENDS = {"home": "/", "settings": "/settings"}


@pytest.fixture(scope="module")
async def both(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[SignInServer, OpenIdProvider]]:
    folder = tmp_path_factory.mktemp("oidc")
    create_empty_database(folder)
    async with (
        serving_provider() as provider,
        serving_sign_in(folder, methods="password,oidc", oidc=oidc_settings(provider), take_token=unlimited) as server,
    ):
        yield server, provider


@pytest.fixture
def server(both: tuple[SignInServer, OpenIdProvider]) -> SignInServer:
    return both[0]


@pytest.fixture
def provider(both: tuple[SignInServer, OpenIdProvider]) -> OpenIdProvider:
    """The provider, without faults, with somebody new."""
    both[1].faults = Faults()
    both[1].subject = new_secret()
    return both[1]


@pytest.fixture
async def anna(server: SignInServer, provider: OpenIdProvider) -> httpx2.AsyncClient:
    """A browser of a learner who is linked to whoever is signed in at the provider."""
    browser = await a_learner(server)
    assert await link(browser) == ENDS["settings"]
    return browser


async def a_learner(server: SignInServer) -> httpx2.AsyncClient:
    name = f"anna{utc_now().timestamp():.6f}"
    await server.add_person(name)
    return await server.sign_in(name)


async def way_back(browser: httpx2.AsyncClient, path: str = "/api/sign-in/oidc", **body: Any) -> str:
    """The address to which the provider sends a browser back."""
    url = (await browser.post(path, json=body)).raise_for_status().json()["url"]
    return str((await browser.get(url)).headers["location"])


async def come_back(browser: httpx2.AsyncClient, address: str) -> str:
    """Where the server sends the browser then."""
    answer = await browser.get(address)
    assert answer.status_code == 303
    return str(answer.headers["location"])


async def link(browser: httpx2.AsyncClient) -> str:
    return await come_back(browser, await way_back(browser, "/api/account/identities"))


async def visit(browser: httpx2.AsyncClient) -> str:
    return await come_back(browser, await way_back(browser))


async def is_signed_in(browser: httpx2.AsyncClient) -> bool:
    return (await browser.get("/api/account")).status_code == 200


async def test_one_who_has_linked_signs_in_there(server: SignInServer, anna: httpx2.AsyncClient) -> None:
    browser = await server.browser()
    assert (await browser.get("/api/sign-in")).json()["provider"] == "Lindenschule"
    assert await visit(browser) == ENDS["home"]
    mine, theirs = [(await one.get("/api/account")).json() for one in (anna, browser)]
    assert mine["userId"] == theirs["userId"]
    assert browser.cookies["sprout"] != anna.cookies["sprout"]
    assert "sprout-attempt" not in browser.cookies
    (linked,) = (await anna.get("/api/account/identities")).json()
    assert linked["name"] == "anna@school.example"
    assert linked["lastUsedAt"] is not None


async def test_the_request_has_a_state_a_nonce_and_a_challenge_and_tells_none_of_their_secrets(
    server: SignInServer, provider: OpenIdProvider
) -> None:
    browser = await server.browser()
    url = (await browser.post("/api/sign-in/oidc", json={})).json()["url"]
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert asked.keys() == {
        "response_type",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "nonce",
        "code_challenge",
        "code_challenge_method",
    }
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["redirect_uri"] == f"{server.origin}/api/sign-in/oidc/callback"
    assert browser.cookies["sprout-attempt"] not in url
    again = (await browser.post("/api/sign-in/oidc", json={})).json()["url"]
    for name in ("state", "nonce", "code_challenge"):
        assert parse_qs(urlsplit(again).query)[name] != [asked[name]]


async def test_nobody_gets_an_account_by_signing_in_there(server: SignInServer, provider: OpenIdProvider) -> None:
    before = len(await server.accounts.accounts.accounts())
    browser = await server.browser()
    assert await visit(browser) == "/sign-in#oidc_not_linked"
    assert not await is_signed_in(browser)
    assert len(await server.accounts.accounts.accounts()) == before
    (event, *_) = await server.accounts.security_log.events(limit=1)
    assert (event.kind, event.user_id, event.detail) == ("sign_in_failed", None, "not linked")


async def test_a_disabled_account_is_answered_as_one_that_is_not_linked(
    server: SignInServer, anna: httpx2.AsyncClient
) -> None:
    user_id = (await anna.get("/api/account")).json()["userId"]
    await server.accounts.accounts.change(user_id, disabled=True, origin=TERMINAL)
    assert await visit(await server.browser()) == "/sign-in#oidc_not_linked"


def _others_key(provider: OpenIdProvider) -> Callable[[dict[str, Any]], str]:
    return lambda claims: jwt.encode({"alg": "RS256", "kid": provider.key.kid}, claims, new_key())


def _unsigned(provider: OpenIdProvider) -> Callable[[dict[str, Any]], str]:
    def encode(claims: dict[str, Any]) -> str:
        parts = [base64url(json.dumps(one).encode()) for one in ({"alg": "none", "typ": "JWT"}, claims)]
        return ".".join([*parts, ""])

    return encode


def _public_key_as_secret(provider: OpenIdProvider) -> Callable[[dict[str, Any]], str]:
    secret = OctKey.import_key(provider.key.as_pem(private=False).replace(b"-----", b"+++++"))
    header = {"alg": "HS256", "kid": provider.key.kid}
    return lambda claims: jwt.encode(header, claims, secret, algorithms=["HS256"])


def _cut(provider: OpenIdProvider) -> Callable[[dict[str, Any]], str]:
    return lambda claims: provider.signed(claims).rpartition(".")[0] + "."


@pytest.mark.parametrize("encode", [_others_key, _unsigned, _public_key_as_secret, _cut, lambda _: lambda _: "a.b.c"])
async def test_a_token_that_the_provider_has_not_signed_is_refused(
    server: SignInServer, provider: OpenIdProvider, anna: httpx2.AsyncClient, encode: Any
) -> None:
    provider.faults.encode = encode(provider)
    browser = await server.browser()
    assert await visit(browser) == "/sign-in#oidc_refused"
    assert not await is_signed_in(browser)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another-client"},
        {"aud": ["another-client"]},
        {"aud": [CLIENT_ID, "another-client"]},
        {"aud": [CLIENT_ID, "another-client"], "azp": "another-client"},
        {"azp": "another-client"},
        {"nonce": "of another visit"},
        {"nonce": None},
        {"exp": 0},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": -LEEWAY_S - 5},
        {"iat": LEEWAY_S + 600},
        {"iat": None},
        {"nbf": LEEWAY_S + 600},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"at_hash": "of another token"},
    ],
    ids=str,
)
async def test_a_token_for_others_or_another_time_is_refused(
    server: SignInServer, provider: OpenIdProvider, anna: httpx2.AsyncClient, claims: dict[str, Any]
) -> None:
    provider.faults.claims = _from_now(claims)
    browser = await server.browser()
    assert await visit(browser) == "/sign-in#oidc_refused"
    assert not await is_signed_in(browser)


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": -LEEWAY_S + 20},
        {"iat": LEEWAY_S - 20},
        {"nbf": LEEWAY_S - 20},
        {"aud": [CLIENT_ID]},
        {"aud": [CLIENT_ID, "another-client"], "azp": CLIENT_ID},
        {"email": "somebody@else.example", "preferred_username": None},
    ],
    ids=str,
)
async def test_a_clock_that_is_a_little_off_and_other_lists_of_readers_are_fine(
    server: SignInServer, provider: OpenIdProvider, anna: httpx2.AsyncClient, claims: dict[str, Any]
) -> None:
    provider.faults.claims = _from_now(claims)
    assert await visit(await server.browser()) == ENDS["home"]


def _from_now(claims: dict[str, Any]) -> dict[str, Any]:
    """The claims with times counted from now; 0 stays 0."""
    times = {name for name in ("exp", "iat", "nbf") if isinstance(claims.get(name), int) and claims[name]}
    return {name: int(time.time()) + value if name in times else value for name, value in claims.items()}


async def test_a_way_back_is_taken_once_by_the_browser_that_went(
    server: SignInServer, anna: httpx2.AsyncClient
) -> None:
    browser, thief = await server.browser(), await server.browser()
    address = await way_back(browser)
    cookies = dict(browser.cookies)
    assert await come_back(thief, address) == "/sign-in#attempt_invalid"
    await way_back(thief)
    assert await come_back(thief, address) == "/sign-in#attempt_invalid"
    assert await come_back(browser, address) == ENDS["home"]
    browser.cookies.update(cookies)
    assert await come_back(browser, address) == "/sign-in#attempt_invalid"


async def test_a_way_back_is_taken_in_time(server: SignInServer, anna: httpx2.AsyncClient) -> None:
    browser = await server.browser()
    address = await way_back(browser)
    over = update(SignInAttempt).values(expires_at=utc_now() - timedelta(seconds=1))
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(over).close())
    assert await come_back(browser, address) == "/sign-in#attempt_invalid"


async def test_a_code_of_another_visit_or_used_twice_is_refused(server: SignInServer, anna: httpx2.AsyncClient) -> None:
    thief, victim = await server.browser(), await server.browser()
    stolen = parse_qs(urlsplit(await way_back(victim)).query)["code"][0]
    own = await way_back(thief)
    swapped = own.replace(parse_qs(urlsplit(own).query)["code"][0], stolen)
    assert await come_back(thief, swapped) == "/sign-in#oidc_refused"  # PKCE: the verifier is the victim's
    browser = await server.browser()
    used = parse_qs(urlsplit(await way_back(browser)).query)["code"][0]
    address = await way_back(browser)
    assert await come_back(browser, address) == ENDS["home"]
    again = await way_back(browser)
    replayed = again.replace(parse_qs(urlsplit(again).query)["code"][0], used)
    assert await come_back(browser, replayed) == "/sign-in#oidc_refused"


@pytest.mark.parametrize(
    ("more", "end"),
    [
        ("&error=access_denied", "/sign-in#oidc_cancelled"),
        ("&iss=https://evil.example", "/sign-in#oidc_refused"),
        ("&next=https://evil.example&redirect=//evil.example&return_to=/evil", "/"),
    ],
)
async def test_what_else_is_in_the_address_leads_nowhere(
    server: SignInServer, anna: httpx2.AsyncClient, more: str, end: str
) -> None:
    browser = await server.browser()
    address = await way_back(browser)
    if "&iss=" in more:
        address = address[: address.index("&iss=")]
    assert await come_back(browser, address + more) == end


@pytest.mark.parametrize("query", ["", "?state=a", "?state=a&code=b", "?code=b", "?error=x", "?state=%FF"])
async def test_an_address_that_nobody_was_sent_to_leads_to_the_sign_in(
    server: SignInServer, provider: OpenIdProvider, query: str
) -> None:
    browser = await server.browser()
    assert await come_back(browser, f"/api/sign-in/oidc/callback{query}") == "/sign-in#attempt_invalid"
    for unfit in ("x" * 300, "%00"):
        assert (await browser.get(f"/api/sign-in/oidc/callback?state={unfit}")).status_code == 400


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        (PlainTextResponse("no", 500), "oidc_unavailable"),
        (PlainTextResponse("no JSON"), "oidc_unavailable"),
        (PlainTextResponse("x" * 300_000), "oidc_unavailable"),
        (RedirectResponse("https://evil.example"), "oidc_unavailable"),
        (JSONResponse({"access_token": "a"}), "oidc_refused"),
        (JSONResponse({"id_token": 7}), "oidc_refused"),
        (JSONResponse([]), "oidc_refused"),
        (JSONResponse({"error": "invalid_client"}, 401), "oidc_refused"),
    ],
    ids=["500", "text", "too long", "elsewhere", "no token", "a number", "a list", "401"],
)
async def test_a_provider_that_is_broken_is_one_sentence(
    server: SignInServer, provider: OpenIdProvider, answer: Any, end: str
) -> None:
    provider.faults.answer = answer
    assert await visit(await server.browser()) == f"/sign-in#{end}"


async def test_a_link_is_of_one_account_and_one_identity(
    server: SignInServer, provider: OpenIdProvider, anna: httpx2.AsyncClient
) -> None:
    bert = await a_learner(server)
    assert await link(bert) == "/settings#oidc_taken"
    assert (await bert.get("/api/account/identities")).json() == []
    provider.subject = "somebody-else"
    assert await link(anna) == "/settings#oidc_taken"
    (linked,) = (await anna.get("/api/account/identities")).json()
    assert (await bert.delete(f"/api/account/identities/{linked['id']}")).status_code == 404
    assert (await anna.delete(f"/api/account/identities/{linked['id']}")).status_code == 204
    assert await link(anna) == ENDS["settings"]


async def test_a_link_is_made_for_one_who_is_still_signed_in(server: SignInServer, provider: OpenIdProvider) -> None:
    browser = await a_learner(server)
    address = await way_back(browser, "/api/account/identities")
    other = await a_learner(server)
    browser.cookies.set("sprout", other.cookies["sprout"], domain="localhost.local")
    assert await come_back(browser, address) == "/settings#not_signed_in"
    assert (await other.get("/api/account/identities")).json() == []


async def test_an_identity_is_linked_and_unlinked_after_a_fresh_sign_in_alone(
    server: SignInServer, anna: httpx2.AsyncClient
) -> None:
    (linked,) = (await anna.get("/api/account/identities")).json()
    user_id = (await anna.get("/api/account")).json()["userId"]
    long_ago = update(AccountSession).values(created_at=utc_now() - FRESH_FOR - timedelta(seconds=1))
    of_anna = long_ago.where(col(AccountSession.user_id) == user_id)
    await server.sprout.database.write_tx(lambda tx: tx.connection.execute(of_anna).close())
    address = "/api/account/identities"
    for refused in (await anna.post(address, json={}), await anna.delete(f"{address}/{linked['id']}")):
        assert (refused.status_code, refused.json()["code"]) == (403, "sign_in_again")


async def test_a_one_time_link_links_and_signs_in_once(server: SignInServer, provider: OpenIdProvider) -> None:
    carl = await server.add_person(f"carl{utc_now().timestamp():.6f}")
    code = new_secret()
    await server.accounts.passwords.issue_code(
        digest_of(code), user_id=carl, expires_at=utc_now() + timedelta(hours=1), origin=TERMINAL
    )
    browser, late = await server.browser(), await server.browser()
    too_late = await way_back(late, code=code)
    assert await come_back(browser, await way_back(browser, code=code)) == ENDS["home"]
    assert (await browser.get("/api/account")).json()["userId"] == carl
    assert await come_back(late, too_late) == "/sign-in#code_invalid"
    assert (await late.post("/api/sign-in/oidc", json={"code": code})).status_code == 410
    assert await visit(await server.browser()) == ENDS["home"]


async def test_a_new_key_is_fetched_once_and_unknown_ones_do_not_flood_the_provider(
    provider: OpenIdProvider,
) -> None:
    registration = Registration(provider.issuer, CLIENT_ID, "provider-secret", "http://localhost/callback")

    async def redeem(client: Client) -> str:
        url = await client.authorization_url(state="s", nonce="n", verifier="v" * 43)
        async with httpx2.AsyncClient() as browser:
            code = parse_qs(urlsplit((await browser.get(url)).headers["location"]).query)["code"][0]
        try:
            return (await client.redeem(code, nonce="n", verifier="v" * 43)).subject
        except Exception as error:  # noqa: BLE001 - which one is what the test is about
            return type(error).__name__

    eager, patient = Client(registration, new_keys_every_s=0), Client(registration)
    assert [await redeem(one) for one in (eager, patient)] == [provider.subject] * 2
    provider.rotate()
    asked = provider.asked["keys"]
    assert [await redeem(eager) for _ in range(3)] == [provider.subject] * 3
    assert provider.asked["keys"] == asked + 1
    provider.published = []
    provider.key = new_key()
    asked = provider.asked["keys"]
    assert {await redeem(patient) for _ in range(5)} == {"IdentityRefused"}
    assert provider.asked["keys"] == asked
    assert await redeem(eager) == "IdentityRefused"
    assert provider.asked["keys"] == asked + 1
    provider.rotate()


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": "http://evil.example/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "file:///etc/passwd"},
        {"jwks_uri": 7},
    ],
    ids=str,
)
async def test_a_provider_that_says_something_else_of_itself_is_not_asked(
    provider: OpenIdProvider, metadata: dict[str, Any]
) -> None:
    provider.faults.metadata = metadata
    client = Client(Registration(provider.issuer, CLIENT_ID, "secret", "http://localhost/callback"))
    with pytest.raises(Exception, match="doesn't answer"):
        await client.authorization_url(state="s", nonce="n", verifier="v" * 43)
