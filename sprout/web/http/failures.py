"""Error responses: one table of failures and statuses, one JSON shape, and no internals in any text."""

import errno
import logging
import math
from datetime import datetime

from pydantic import JsonValue
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sprout.accounts.accounts import CodeInvalid
from sprout.accounts.attempts import AttemptInvalid
from sprout.accounts.classes import ClassCodeInvalid
from sprout.accounts.identities import ProviderUnavailable
from sprout.accounts.mail_queue import MailQueueFull
from sprout.errors import (
    BadInput,
    Conflict,
    CorruptRow,
    DatabaseBusy,
    DatabaseUnavailable,
    InvalidGraphEdit,
    InvalidQuestion,
    MissingRight,
    ModelFailure,
    NoChangeNeeded,
    NotFound,
    NotSignedIn,
    ServiceNotReady,
    SetupError,
    SproutError,
    StorageFull,
    StorageUnavailable,
    TooLarge,
    ToolFailure,
    TooManyRequests,
    UnreadableDocument,
    UnsupportedType,
)
from sprout.events import wire_time
from sprout.learning.graph.changes import UndoRefused
from sprout.learning.paths.topic_coverage import UnknownTopic
from sprout.runs.budget.refusal import BudgetSpent
from sprout.runs.live_runs import ShuttingDown
from sprout.runs.run_store import KeyReused, LaneBusy
from sprout.runs.state import RunError
from sprout.web.http.lingering_close import LingeringResponse
from sprout.web.http.parsing import BodyStalled, WrongType
from sprout.web.schemas.responses import CourseRow

log = logging.getLogger(__name__)

NOT_READY_RETRY_S = 2


class RunFailed(SproutError):
    """The run that a request waited for has failed, with this error."""

    code = "run_failed"

    def __init__(self, error: RunError | None) -> None:
        super().__init__("The run has failed: start it again." if error is None else error.message)
        if error is not None:
            self.code, self.params = error.code, error.params


class NotReady(SproutError):
    """What was asked for is still being made after the time that a request waits."""

    code = "not_ready"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.retry_after_s = NOT_READY_RETRY_S


STATUS: dict[type[SproutError], int] = {
    BadInput: 400,
    TooLarge: 413,
    UnsupportedType: 415,
    WrongType: 422,
    BodyStalled: 408,
    NotSignedIn: 401,
    MissingRight: 403,
    NotFound: 404,
    CodeInvalid: 410,
    ClassCodeInvalid: 410,
    AttemptInvalid: 410,
    ProviderUnavailable: 503,
    MailQueueFull: 503,
    Conflict: 409,
    NoChangeNeeded: 409,
    KeyReused: 422,
    InvalidGraphEdit: 409,
    InvalidQuestion: 422,
    ModelFailure: 503,
    ToolFailure: 503,
    SetupError: 503,
    ServiceNotReady: 503,
    TooManyRequests: 429,
    BudgetSpent: 429,
    DatabaseBusy: 503,
    DatabaseUnavailable: 503,
    CorruptRow: 503,
    StorageUnavailable: 503,
    StorageFull: 507,
    UnreadableDocument: 422,
    UnknownTopic: 422,
    ShuttingDown: 503,
    RunFailed: 503,
    NotReady: 503,
    SproutError: 500,
}
NOT_FOUND_MESSAGE = "There is nothing at this address."
INTERNAL_ERROR_MESSAGE = (
    "Something went wrong in Sprout. Try again; if it happens again, the server's log has the details."
)
NOT_CONFIGURED_MESSAGE = "Sprout isn't fully configured. The server's log says what is missing."
OUT_OF_MEMORY_MESSAGE = "The server is out of memory. Try again in a moment."
OUT_OF_MEMORY_RETRY_S = 5
RETRY_AFTER_MAX_S = 3600


def error_response(
    status: int, text: str, code: str, headers: dict[str, str] | None = None, **more: JsonValue
) -> JSONResponse:
    """The shape of every error: `{"error": text, "code": code}`, with further fields for programs."""
    return JSONResponse({"error": text, "code": code, **more}, status_code=status, headers=headers)


def status_for(error: SproutError) -> int:
    """The status of the error's nearest class in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


async def handle_expected(request: Request, error: Exception) -> Response:
    """The response to a SproutError."""
    assert isinstance(error, SproutError)
    status = status_for(error)
    if isinstance(error, SetupError):
        log.error(
            "http.not_configured", extra={"method": request.method, "path": request.scope["path"]}, exc_info=error
        )
        return error_response(status, NOT_CONFIGURED_MESSAGE, error.code)
    if status == 500:
        log.error("http.no_status", exc_info=error)
    if isinstance(error, TooLarge):
        return LingeringResponse({"error": str(error), "code": error.code, **_params(error)}, status)
    return error_response(status, str(error), error.code, _headers(error), **_params(error), **_extra_fields(error))


def _params(error: SproutError) -> dict[str, JsonValue]:
    return {"params": {**error.params}} if error.params else {}


def _extra_fields(error: SproutError) -> dict[str, JsonValue]:
    match error:
        case LaneBusy(run_id=run_id):
            return {"activeRunId": run_id}
        case BudgetSpent(free_at=datetime() as free_at):
            return {"freeAt": wire_time(free_at)}
        case UndoRefused(undo_first=str() as first):
            return {"undoFirst": first}
        case UnknownTopic(courses=courses):
            choose: list[JsonValue] = ["choose_course"] if courses else []
            offered: list[JsonValue] = [CourseRow.of(course).model_dump(by_alias=True) for course in courses]
            return {"ways": ["add_notes", *choose, "connect_model"], "courses": offered}
    return {}


def _headers(error: SproutError) -> dict[str, str]:
    headers = retry_after(error)
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, BodyStalled):
        headers["Connection"] = "close"  # the rest of the body may still come
    return headers


def retry_after(error: SproutError) -> dict[str, str]:
    """The Retry-After header, if the error has a time."""
    seconds = getattr(error, "retry_after_s", None)
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return {}
    return {"Retry-After": str(min(max(math.ceil(seconds), 1), RETRY_AFTER_MAX_S))}


async def handle_http_exception(request: Request, error: Exception) -> Response:
    """The response to Starlette's own errors: unknown address, wrong method, malformed form."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        allowed = ", ".join(sorted(headers.get("Allow", "").split(", ")))
        text = f"{request.method} isn't supported here; use {allowed}."
        return error_response(405, text, "method_not_allowed", {"Allow": allowed})
    if error.status_code == 404:
        return error_response(404, NOT_FOUND_MESSAGE, NotFound.code, headers)
    return error_response(error.status_code, error.detail, BadInput.code, headers)


async def handle_unexpected(request: Request, error: Exception) -> Response:
    """The response to a bug."""
    return error_response(500, INTERNAL_ERROR_MESSAGE, "internal")


class CatchAllErrors:
    """Middleware that turns unhandled errors into a 500 inside the others, so that it has their headers too."""

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
            log.debug("http.client_disconnected")
        except Exception as error:
            if started or scope["type"] != "http":
                raise
            await unexpected_response(error, scope)(scope, receive, send)


def unexpected_response(error: Exception, scope: Scope) -> Response:
    """The response to a bug or a lack of memory, which is logged."""
    fields = {"method": scope["method"], "path": scope["path"]}
    if _is_out_of_memory(error):
        log.error("http.out_of_memory", extra=fields, exc_info=error)
        return error_response(503, OUT_OF_MEMORY_MESSAGE, "out_of_memory", {"Retry-After": str(OUT_OF_MEMORY_RETRY_S)})
    log.error("http.unhandled_error", extra=fields, exc_info=error)
    return error_response(500, INTERNAL_ERROR_MESSAGE, "internal")


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether the error or one of its causes is a lack of memory.

    A thread that cannot be started usually has no memory for its stack.
    """
    no_thread = isinstance(error, RuntimeError) and str(error).startswith("can't start new thread")
    no_memory = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if no_thread or no_memory or isinstance(error, MemoryError):
        return True
    before = error.__cause__ or error.__context__
    together = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return (before is not None and _is_out_of_memory(before)) or any(map(_is_out_of_memory, together))
