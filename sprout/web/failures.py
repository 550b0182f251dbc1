"""Which failure becomes which answer: one table, one shape, and nothing from inside in any text."""

import errno
import logging
import math

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sprout.errors import (
    BadInput,
    Conflict,
    DatabaseBusy,
    GraphRefused,
    ModelFailure,
    NotFound,
    QuestionRefused,
    RowDamaged,
    SetupError,
    SproutError,
    StorageAway,
    StorageFull,
    TooLarge,
    ToolFailure,
    TooMany,
    Unreadable,
    UnsupportedType,
)
from sprout.learning.graph.changes import UndoRefused
from sprout.runs.live import GoingAway
from sprout.runs.log import KeyReused, LaneBusy
from sprout.web.lingering import LINGER_BYTES, LingeringAnswer
from sprout.web.requests import INTEGER_MAX_DIGITS, BodyStalled, WrongType
from sprout.web.waiting import RunFailed

log = logging.getLogger(__name__)

STATUS: dict[type[SproutError], int] = {
    BadInput: 400,
    TooLarge: 413,
    UnsupportedType: 415,
    WrongType: 422,
    BodyStalled: 408,
    NotFound: 404,
    Conflict: 409,
    KeyReused: 422,
    GraphRefused: 409,
    QuestionRefused: 422,
    ModelFailure: 503,
    ToolFailure: 503,
    SetupError: 503,
    TooMany: 429,
    DatabaseBusy: 503,
    RowDamaged: 503,
    StorageAway: 503,
    StorageFull: 507,
    Unreadable: 422,
    GoingAway: 503,
    RunFailed: 503,
    SproutError: 500,
}
MISSING = "There is nothing at this address."
BROKEN = "Something went wrong inside Sprout. Try again; if it happens again, the server's log says what it was."
NOT_SET_UP = "Sprout is not set up completely. The server's log says what is missing."
NO_MEMORY = "The server has no memory left for this. Try again in a moment."
NO_MEMORY_RETRY_S = 5
RETRY_AFTER_MAX_S = 3600


def error_answer(status: int, text: str, headers: dict[str, str] | None = None, **more: str) -> JSONResponse:
    """The one shape of every error: `{"error": text}`, and what a program may want to know besides."""
    return JSONResponse({"error": text, **more}, status_code=status, headers=headers)


def status_of(error: SproutError) -> int:
    """The status of the nearest class of this error that the table knows."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


async def expected(request: Request, error: Exception) -> Response:
    """The answer to a SproutError."""
    assert isinstance(error, SproutError)
    status = status_of(error)
    if isinstance(error, SetupError):
        log.error("http.not_set_up", extra={"method": request.method, "path": request.scope["path"]}, exc_info=error)
        return error_answer(status, NOT_SET_UP)
    if status == 500:
        log.error("http.no_status", exc_info=error)
    if isinstance(error, TooLarge) and _may_go_on(request):
        return LingeringAnswer({"error": str(error)}, status)
    return error_answer(status, str(error), _headers(error), **_more(error))


def _more(error: SproutError) -> dict[str, str]:
    match error:
        case LaneBusy(run_id=run_id):
            return {"activeRunId": run_id}
        case UndoRefused(first=str() as first):
            return {"undoFirst": first}
    return {}


def _may_go_on(request: Request) -> bool:
    """Whether more may come than is worth reading; a body that is known to be shorter is let run out."""
    declared = request.headers.get("content-length", "")
    return not (declared.isascii() and declared.isdigit() and int(declared[:INTEGER_MAX_DIGITS]) <= LINGER_BYTES)


def _headers(error: SproutError) -> dict[str, str]:
    headers = retry_after(error)
    if isinstance(error, BodyStalled):
        headers["Connection"] = "close"  # nobody knows what more would come
    return headers


def retry_after(error: SproutError) -> dict[str, str]:
    """The header that says when to try again, where the error knows."""
    seconds = getattr(error, "retry_after_s", None)
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return {}
    return {"Retry-After": str(min(max(math.ceil(seconds), 1), RETRY_AFTER_MAX_S))}


async def refused_by_routing(request: Request, error: Exception) -> Response:
    """The answer to Starlette's own errors: no such address, no such method, a broken form."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        allowed = ", ".join(sorted(headers.get("Allow", "").split(", ")))
        return error_answer(405, f"{request.method} is not possible here, only {allowed}.", {"Allow": allowed})
    return error_answer(error.status_code, MISSING if error.status_code == 404 else error.detail, headers)


async def unexpected(request: Request, error: Exception) -> Response:
    """The answer to a bug."""
    return error_answer(500, BROKEN)


class LastResort:
    """Turns what nobody expected into a 500 inside the other middleware, so that it has their headers too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            log.debug("http.client_left")
        except Exception as error:
            if started or scope["type"] != "http":
                raise
            await _last_answer(error, scope)(scope, receive, send)


def _last_answer(error: Exception, scope: Scope) -> Response:
    asked = {"method": scope["method"], "path": scope["path"]}
    if _is_out_of_memory(error):
        log.error("http.no_memory", extra=asked, exc_info=error)
        return error_answer(503, NO_MEMORY, {"Retry-After": str(NO_MEMORY_RETRY_S)})
    log.error("http.broke", extra=asked, exc_info=error)
    return error_answer(500, BROKEN)


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether the process may have no more, as the error says or one that led to it.

    A thread that cannot be started has no room for its stack, as a rule.
    """
    no_thread = isinstance(error, RuntimeError) and str(error).startswith("can't start new thread")
    no_room = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if no_thread or no_room or isinstance(error, MemoryError):
        return True
    before = error.__cause__ or error.__context__
    together = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return (before is not None and _is_out_of_memory(before)) or any(map(_is_out_of_memory, together))
