"""Passkeys: signing in with one, adding and removing them, and whether the password takes one too."""

from typing import Any

from starlette.responses import Response

from sprout.accounts.passkey_sign_in import PasskeySignIn
from sprout.accounts.principal import require_fresh_sign_in
from sprout.accounts.sign_in import PasskeyRequest
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.web.handlers.accounts.sign_in import (
    account_of_session,
    browser_of,
    origin_of,
    passkey_options_response,
    signed_in_response,
)
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.passkey_requests import (
    LinkCode,
    NewPasskeyRequest,
    PasskeyFromLink,
    PasskeySignInRequest,
    SecondFactorChange,
)
from sprout.web.schemas.requests import NoFields


async def get_sign_in_options(call: Call[AccountRepositories]) -> Response:
    """Options of `navigator.credentials.get`; the answer must come from this browser, in ten minutes, once."""
    return _asked(call, await _by_passkey(call).request(browser_of(call)))


async def sign_in(call: Call[AccountRepositories, NoFields, PasskeySignInRequest]) -> Response:
    """The account, and the cookie of a new session; an unknown passkey is refused as a wrong proof is."""
    secret = await _by_passkey(call).sign_in(call.body.proof(), browser_of(call))
    return signed_in_response(call, secret, await account_of_session(call, secret))


async def get_options_by_link(call: Call[AccountRepositories, NoFields, LinkCode]) -> Response:
    """Options of `navigator.credentials.create` for the person whom a link is for."""
    return _asked(call, await _by_passkey(call).request_by_code(call.body.code, browser_of(call)))


async def add_by_link(call: Call[AccountRepositories, NoFields, PasskeyFromLink]) -> Response:
    """The account that the link is for, which is signed in; its earlier sessions have ended."""
    asked = call.body
    secret = await _by_passkey(call).add_by_code(asked.code, asked.creation(), asked.name, browser_of(call))
    return signed_in_response(call, secret, await account_of_session(call, secret))


async def list_passkeys(call: Call[AccountRepositories]) -> Response:
    """The caller's passkeys, in the order of creation."""
    return json_list_response(await call.dependencies.passkeys.passkeys(call.user_id))


async def get_creation_options(call: Call[AccountRepositories]) -> Response:
    """Options of `navigator.credentials.create` for the caller."""
    return _asked(call, await _by_passkey(call).request_new(call.caller, browser_of(call)))


async def add_passkey(call: Call[AccountRepositories, NoFields, NewPasskeyRequest]) -> Response:
    """201 with the passkey."""
    asked = call.body
    added = await _by_passkey(call).add(asked.creation(), asked.name, call.caller, browser_of(call))
    return json_response(added, 201)


async def remove_passkey(call: Call[AccountRepositories]) -> Response:
    """204 once nobody signs in with the passkey any more."""
    require_fresh_sign_in(call.caller, utc_now())
    await call.dependencies.passkeys.remove(call.id, user_id=call.user_id, origin=origin_of(call))
    return no_content()


async def change_second_factor(call: Call[AccountRepositories, NoFields, SecondFactorChange]) -> Response:
    """The account, changed."""
    changed = await _by_passkey(call).ask_after_password(call.body.after_password, call.caller, browser_of(call))
    return json_response(changed)


def _asked(call: Call[AccountRepositories, Any, Any], asked: PasskeyRequest) -> Response:
    return passkey_options_response(call, asked, 200)


def _by_passkey(call: Call[AccountRepositories, Any, Any]) -> PasskeySignIn:
    """Raises NotFound where nobody signs in so."""
    if (found := call.dependencies.passkey_sign_in) is None:
        raise NotFound("way to sign in", "passkey")
    return found
