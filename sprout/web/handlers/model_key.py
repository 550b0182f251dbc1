"""Model key: entered and removed by the one who runs the server, and never shown."""

from starlette.responses import Response

from sprout.accounts.principal import require_fresh_sign_in
from sprout.clock import utc_now
from sprout.web.http.dependencies import ModelKeyStore
from sprout.web.http.endpoint import Call, no_content
from sprout.web.schemas.requests import ModelKeyChange, NoFields


async def keep_key(call: Call[ModelKeyStore, NoFields, ModelKeyChange]) -> Response:
    """204 once the key is kept."""
    require_fresh_sign_in(call.caller, utc_now())
    await call.dependencies.keep(call.body.key)
    return no_content()


async def remove_key(call: Call[ModelKeyStore]) -> Response:
    """204 once no key is kept."""
    require_fresh_sign_in(call.caller, utc_now())
    await call.dependencies.forget()
    return no_content()
