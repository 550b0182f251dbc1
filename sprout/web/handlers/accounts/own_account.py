"""The caller's own account: who they are, their password, sessions and tokens."""

from datetime import timedelta

from starlette.responses import Response

from sprout.accounts.principal import SCOPES_OF, Scope, require_fresh_sign_in
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.tokens import NewToken, NewTokenRow
from sprout.clock import utc_now
from sprout.errors import MissingRight, NotFound
from sprout.web.handlers.accounts.sign_in import account_of_session, browser_of, origin_of, signed_in_response
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.account_requests import AccountChange, PasswordChange, TokenRequest
from sprout.web.schemas.account_responses import Caller
from sprout.web.schemas.requests import NoFields


async def get_caller(call: Call[AccountRepositories]) -> Response:
    """Who calls, and with which rights."""
    caller = call.caller
    try:
        account = await call.dependencies.accounts.account(caller.user_id)
    except NotFound:
        account = None
    return json_response(
        Caller(user_id=caller.user_id, role=caller.role, scopes=sorted(caller.scopes), account=account)
    )


async def change_account(call: Call[AccountRepositories, NoFields, AccountChange]) -> Response:
    """The account, changed."""
    changed = await call.dependencies.accounts.change(
        call.user_id, display_name=call.body.display_name, origin=origin_of(call)
    )
    return json_response(changed)


async def change_password(call: Call[AccountRepositories, NoFields, PasswordChange]) -> Response:
    """The account, and the cookie of a new session; all others have ended."""
    asked, needs = call.body, call.dependencies
    secret = await needs.password_sign_in.change_password(
        call.caller, asked.old_password, asked.new_password, browser_of(call)
    )
    return signed_in_response(call, secret, await account_of_session(call, secret))


async def list_sessions(call: Call[AccountRepositories]) -> Response:
    """The caller's sessions, the newest use first."""
    return json_list_response(await call.dependencies.sessions.sessions(call.caller))


async def end_session(call: Call[AccountRepositories]) -> Response:
    """204 once the session has ended."""
    await call.dependencies.sessions.end(call.id, user_id=call.user_id, origin=origin_of(call))
    return no_content()


async def end_all_sessions(call: Call[AccountRepositories]) -> Response:
    """204 once every session has ended, this one too."""
    await call.dependencies.accounts.account(call.user_id)
    await call.dependencies.sessions.end_all(call.user_id, origin=origin_of(call))
    response = no_content()
    call.dependencies.cookie.forget(response)
    return response


async def list_tokens(call: Call[AccountRepositories]) -> Response:
    """The caller's tokens that have not expired, the newest first."""
    return json_list_response(await call.dependencies.tokens.tokens(call.user_id))


async def create_token(call: Call[AccountRepositories, NoFields, TokenRequest]) -> Response:
    """201 with the token, which is shown this once. Its scopes must be among the caller's, who has just signed in."""
    require_fresh_sign_in(call.caller, utc_now())
    asked = call.body
    scopes = frozenset(Scope(name) for name in asked.scopes)
    if not scopes <= SCOPES_OF[call.caller.role]:
        raise MissingRight
    secret = new_secret()
    new = NewToken(asked.name, scopes, utc_now() + timedelta(days=asked.days))
    row = await call.dependencies.tokens.create(digest_of(secret), new, user_id=call.user_id, origin=origin_of(call))
    return json_response(NewTokenRow(**row.model_dump(by_alias=False), token=secret), 201)


async def revoke_token(call: Call[AccountRepositories]) -> Response:
    """204 once the token is void."""
    await call.dependencies.tokens.revoke(call.id, user_id=call.user_id, origin=origin_of(call))
    return no_content()
