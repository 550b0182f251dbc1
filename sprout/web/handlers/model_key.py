"""Model key: entered and removed by the one who runs the server, and never shown."""

from starlette.responses import Response

from sprout.accounts.principal import require_fresh_sign_in
from sprout.accounts.security_log import SecurityEventKind
from sprout.clock import utc_now
from sprout.web.handlers.accounts.sign_in import origin_of
from sprout.web.http.dependencies import LoggedModelKey
from sprout.web.http.endpoint import Call, no_content
from sprout.web.schemas.requests import ModelKeyChange, NoFields


async def keep_key(call: Call[LoggedModelKey, NoFields, ModelKeyChange]) -> Response:
    """204 once the key is kept."""
    require_fresh_sign_in(call.caller, utc_now())
    await call.dependencies.store.keep(call.body.key)
    await call.dependencies.security_log.record(SecurityEventKind.MODEL_KEY_SET, None, origin=origin_of(call))
    return no_content()


async def remove_key(call: Call[LoggedModelKey]) -> Response:
    """204 once no key is kept."""
    require_fresh_sign_in(call.caller, utc_now())
    if await call.dependencies.store.forget():
        await call.dependencies.security_log.record(SecurityEventKind.MODEL_KEY_REMOVED, None, origin=origin_of(call))
    return no_content()
