"""Identities at an OpenID provider: signing in there, linking one to an account and unlinking it."""

from typing import Any

from starlette.responses import RedirectResponse, Response

from sprout.accounts.identity_sign_in import IdentitySignIn, ProviderAnswer, ProviderVisit
from sprout.accounts.principal import require_fresh_sign_in
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.web.handlers.accounts.sign_in import browser_of, origin_of
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.account_responses import ProviderAddress
from sprout.web.schemas.passkey_requests import ProviderCallback, ProviderVisitRequest
from sprout.web.schemas.requests import NoFields

CALLBACK_PATH = "/api/sign-in/oidc/callback"
HOME, SIGN_IN, SETTINGS = "/", "/sign-in", "/settings"


async def visit_provider(call: Call[AccountRepositories, NoFields, ProviderVisitRequest]) -> Response:
    """The address where one signs in; the way back must be taken by this browser, in ten minutes, once."""
    return _sent(call, await _at_provider(call).visit(browser_of(call), call.body.code))


async def visit_provider_to_link(call: Call[AccountRepositories]) -> Response:
    """The address where the caller signs in, to be linked to their account then."""
    return _sent(call, await _at_provider(call).visit_to_link(call.caller, browser_of(call)))


async def come_back(call: Call[AccountRepositories, ProviderCallback]) -> Response:
    """303 to a page of this server: with the cookie of a new session, or with the code of an error behind the `#`."""
    asked = call.query
    answer = ProviderAnswer(asked.state, None if asked.error is not None else asked.code, asked.iss)
    end = await _at_provider(call).end_visit(answer, browser_of(call))
    if end.error is not None:
        page = f"{SETTINGS if end.was_linking else SIGN_IN}#{end.error.code}"
    else:
        page = SETTINGS if end.was_linking else HOME
    response = RedirectResponse(page, 303)
    call.dependencies.attempt_cookie.forget(response)
    if end.session_secret is not None:
        call.dependencies.cookie.keep(response, end.session_secret)
    return response


async def list_identities(call: Call[AccountRepositories]) -> Response:
    """The identities that are linked to the caller's account."""
    return json_list_response(await call.dependencies.identities.identities(call.user_id))


async def unlink_identity(call: Call[AccountRepositories]) -> Response:
    """204 once nobody signs in with the identity any more."""
    require_fresh_sign_in(call.caller, utc_now())
    await call.dependencies.identities.unlink(call.id, user_id=call.user_id, origin=origin_of(call))
    return no_content()


def _sent(call: Call[AccountRepositories, Any, Any], visit: ProviderVisit) -> Response:
    response = json_response(ProviderAddress(url=visit.url))
    call.dependencies.attempt_cookie.keep(response, visit.attempt_secret)
    return response


def _at_provider(call: Call[AccountRepositories, Any, Any]) -> IdentitySignIn:
    """Raises NotFound where nobody signs in so."""
    if (found := call.dependencies.identity_sign_in) is None:
        raise NotFound("way to sign in", "oidc")
    return found
