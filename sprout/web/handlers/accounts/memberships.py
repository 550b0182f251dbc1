"""Joining and leaving classes, and coming back with a card."""

from typing import Any

from starlette.responses import Response

from sprout.accounts.class_sign_in import ClassSignIn
from sprout.errors import NotFound
from sprout.web.handlers.accounts.sign_in import account_of_session, browser_of, origin_of, signed_in_response
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.class_requests import CardSignIn, ClassCode, NewPupil, UpdateAcceptance
from sprout.web.schemas.class_responses import CardRow, JoinedPupil
from sprout.web.schemas.requests import NoFields


async def find_class(call: Call[AccountRepositories, NoFields, ClassCode]) -> Response:
    """The class that a code is for, and its teacher."""
    return json_response(await _by_class(call).find(call.body.code, browser_of(call)))


async def join_anew(call: Call[AccountRepositories, NoFields, NewPupil]) -> Response:
    """201 with a new account, which is signed in and in the class, and its card, shown this once."""
    secret, words = await _by_class(call).join_anew(call.body.code, call.body.nickname, browser_of(call))
    account = await account_of_session(call, secret)
    await call.dependencies.path_giver.give_now(user_id=account.user_id)
    return signed_in_response(call, secret, JoinedPupil(account=account, card=CardRow.of(words)), 201)


async def sign_in_by_card(call: Call[AccountRepositories, NoFields, CardSignIn]) -> Response:
    """The account of a card, and the cookie of a new session."""
    secret = await _by_class(call).sign_in(call.body.card, browser_of(call))
    return signed_in_response(call, secret, await account_of_session(call, secret))


async def list_joined(call: Call[AccountRepositories]) -> Response:
    """The classes that the caller has joined."""
    return json_list_response(await call.dependencies.memberships.joined(call.user_id))


async def join_class(call: Call[AccountRepositories, NoFields, ClassCode]) -> Response:
    """201 with the class that the caller has joined."""
    joined = await call.dependencies.class_sign_in.join(call.body.code, call.caller, browser_of(call))
    await call.dependencies.path_giver.give_now(user_id=call.user_id)
    return json_response(joined, 201)


async def list_copies(call: Call[AccountRepositories]) -> Response:
    """The caller's paths that teachers have given."""
    return json_list_response(await call.dependencies.given_paths.copies(call.user_id))


async def get_update(call: Call[AccountRepositories]) -> Response:
    """Changes of a teacher in the path that a branch is a copy of; null where there is nothing to take over."""
    update = await call.dependencies.path_updates.update(call.id, user_id=call.user_id)
    return Response("null", media_type="application/json") if update is None else json_response(update)


async def accept_update(call: Call[AccountRepositories, NoFields, UpdateAcceptance]) -> Response:
    """204 once the branch has what was offered; nothing that was there has gone."""
    await call.dependencies.path_updates.accept(call.id, call.body.version, user_id=call.user_id)
    return no_content()


async def leave_class(call: Call[AccountRepositories]) -> Response:
    """204 once the caller has left; what they have stays theirs."""
    await call.dependencies.memberships.leave(call.id, user_id=call.user_id, origin=origin_of(call))
    return no_content()


def _by_class(call: Call[AccountRepositories, Any, Any]) -> ClassSignIn:
    """Raises NotFound on a server for one learner, where nobody joins."""
    if not call.dependencies.methods:
        raise NotFound("way to sign in", "class")
    return call.dependencies.class_sign_in
