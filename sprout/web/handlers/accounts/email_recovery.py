"""E-mail addresses of accounts, and the links for a new password that are sent to them."""

from typing import Any

from starlette.responses import Response

from sprout.accounts.email_recovery import EmailRecovery
from sprout.errors import NotFound
from sprout.web.handlers.accounts.sign_in import browser_of
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_response, no_content
from sprout.web.schemas.account_requests import EmailChange, EmailConfirmation, RecoveryRequest
from sprout.web.schemas.requests import NoFields


async def request_link(call: Call[AccountRepositories, NoFields, RecoveryRequest]) -> Response:
    """204, whoever is named. An account of this name or address gets a link if it has a confirmed address."""
    await _by_mail(call).request_link(call.body.name, call.body.language, browser_of(call))
    return no_content()


async def confirm_address(call: Call[AccountRepositories, NoFields, EmailConfirmation]) -> Response:
    """204 once the address counts; links that were sent to the one before are void."""
    await _by_mail(call).confirm_address(call.body.code, browser_of(call))
    return no_content()


async def get_address(call: Call[AccountRepositories]) -> Response:
    """The caller's own address. Nobody else is shown it."""
    return json_response(await _by_mail(call).addresses.of(call.user_id))


async def set_address(call: Call[AccountRepositories, NoFields, EmailChange]) -> Response:
    """202 with the address, which counts once its link has been opened; until then one from before does."""
    row = await _by_mail(call).set_address(call.body.email, call.body.language, call.caller, browser_of(call))
    return json_response(row, 202)


async def remove_address(call: Call[AccountRepositories]) -> Response:
    """204 once nothing is sent to the address any more."""
    await _by_mail(call).remove_address(call.caller, browser_of(call))
    return no_content()


def _by_mail(call: Call[AccountRepositories, Any, Any]) -> EmailRecovery:
    """Raises NotFound where the server sends no mail."""
    if (found := call.dependencies.email_recovery) is None:
        raise NotFound("mail server", "SMTP")
    return found
