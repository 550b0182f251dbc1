"""Signing in and out, and the links with which a person chooses how."""

from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sprout.accounts.accounts import CODE_LIFETIME, AccountRow
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import Origin
from sprout.accounts.sign_in import Browser, PasskeyRequest, PasswordSignIn
from sprout.clock import utc_now
from sprout.errors import NotFound, NotSignedIn
from sprout.events import Wire, wire_time
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_response, no_content
from sprout.web.schemas.account_requests import OwnerSetUp, PasswordFromLink, SignInRequest
from sprout.web.schemas.account_responses import PasskeyOptions, PasswordLink, SignInMethods
from sprout.web.schemas.passkey_requests import OwnerInvitation
from sprout.web.schemas.requests import NoFields


async def get_methods(call: Call[AccountRepositories]) -> Response:
    """The ways to sign in."""
    needs = call.dependencies
    set_up = bool(needs.methods) and not await needs.accounts.has_owner()
    return json_response(
        SignInMethods(
            methods=needs.methods,
            set_up=set_up,
            provider=needs.provider_name,
            recovery=needs.email_recovery is not None,
        )
    )


async def sign_in(call: Call[AccountRepositories, NoFields, SignInRequest]) -> Response:
    """The account, and the cookie of a new session; an unknown name is refused as a wrong password is. 202 with the
    options of a passkey for a person who has chosen to be asked for one too."""
    return await _signed_in(
        call, await _by_password(call).sign_in(call.body.name, call.body.password, browser_of(call))
    )


async def set_up_owner(call: Call[AccountRepositories, NoFields, OwnerSetUp]) -> Response:
    """The account of the first owner, who is signed in."""
    asked = call.body
    secret = await _by_password(call).set_up_owner(
        asked.code, asked.name, asked.display_name or "", asked.password, browser_of(call)
    )
    return signed_in_response(call, secret, await account_of_session(call, secret), 201)


async def invite_owner(call: Call[AccountRepositories, NoFields, OwnerInvitation]) -> Response:
    """201 with the one-time link with which the first owner chooses how to sign in."""
    needs, asked = call.dependencies, call.body
    if not needs.methods:
        raise NotFound("way to sign in", "any")
    account = await needs.password_sign_in.invite_owner(
        asked.code, asked.name, asked.display_name or "", browser_of(call)
    )
    return json_response(await new_link(call, account.user_id, Origin(address_of(call.request), account.user_id)), 201)


async def set_password(call: Call[AccountRepositories, NoFields, PasswordFromLink]) -> Response:
    """The account that the link is for, which is signed in; its earlier sessions have ended. 202 with the options of a
    passkey where the link came by mail and the person has chosen to be asked for one too."""
    return await _signed_in(
        call, await _by_password(call).set_password(call.body.code, call.body.password, browser_of(call))
    )


async def sign_out(call: Call[AccountRepositories]) -> Response:
    """204 once the session of the request has ended, here or from elsewhere in the same moment."""
    if (session_id := call.caller.session_id) is not None:
        with suppress(NotFound):
            await call.dependencies.sessions.end(session_id, user_id=call.user_id, origin=origin_of(call))
    response = no_content()
    call.dependencies.cookie.forget(response)
    return response


def browser_of(call: Call[AccountRepositories, Any, Any]) -> Browser:
    """The browser that sends a request."""
    request, needs = call.request, call.dependencies
    return Browser(
        address_of(request),
        request.headers.get("user-agent", ""),
        session_secret=needs.cookie.read(request),
        attempt_secret=needs.attempt_cookie.read(request),
    )


def origin_of(call: Call[Any, Any, Any]) -> Origin:
    """Where a change comes from, and who makes it."""
    return Origin(address_of(call.request), call.user_id)


def address_of(request: Request) -> str:
    """The address of the client."""
    return request.client.host if request.client else ""


async def account_of_session(call: Call[AccountRepositories, Any, Any], secret: str) -> AccountRow:
    """The account of a session that has begun. Raises NotSignedIn: it ended in the same moment, from elsewhere."""
    needs = call.dependencies
    principal = await needs.sessions.find(digest_of(secret))
    if principal is None:
        raise NotSignedIn
    return await needs.accounts.account(principal.user_id)


def signed_in_response(
    call: Call[AccountRepositories, Any, Any], secret: str, body: Wire, status: int = 200
) -> Response:
    """The response that gives a browser the cookie of its new session."""
    response = json_response(body, status)
    call.dependencies.cookie.keep(response, secret)
    if call.dependencies.attempt_cookie.read(call.request) is not None:
        call.dependencies.attempt_cookie.forget(response)
    return response


def passkey_options_response(call: Call[AccountRepositories, Any, Any], asked: PasskeyRequest, status: int) -> Response:
    """The response that asks a browser for a passkey, and gives it the cookie of the attempt."""
    response = json_response(PasskeyOptions(public_key=asked.options), status)
    call.dependencies.attempt_cookie.keep(response, asked.attempt_secret)
    return response


async def new_link(call: Call[AccountRepositories, Any, Any], user_id: str, origin: Origin) -> PasswordLink:
    """A new one-time link for a person; an earlier one is void."""
    code, expires_at = new_secret(), utc_now() + CODE_LIFETIME
    await call.dependencies.passwords.issue_code(digest_of(code), user_id=user_id, expires_at=expires_at, origin=origin)
    return PasswordLink(path=f"/password#{code}", expires_at=wire_time(expires_at))


async def _signed_in(call: Call[AccountRepositories, Any, Any], secret: str | PasskeyRequest) -> Response:
    """The account of a new session, or what is asked for besides the password."""
    if isinstance(secret, PasskeyRequest):
        return passkey_options_response(call, secret, 202)
    return signed_in_response(call, secret, await account_of_session(call, secret))


def _by_password(call: Call[AccountRepositories, Any, Any]) -> PasswordSignIn:
    """Raises NotFound where nobody signs in so."""
    if "password" not in call.dependencies.methods:
        raise NotFound("way to sign in", "password")
    return call.dependencies.password_sign_in
