"""SDK errors as model failures, classified by the error body's type first, in words that a person can act on."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import anthropic
import httpx2

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.llm.overflow import named_window, says_too_long

Kind = ModelFailureKind

BY_TYPE = {
    "rate_limit_error": Kind.RATE_LIMITED,
    "overloaded_error": Kind.OVERLOADED,
    "api_error": Kind.SERVER_ERROR,
    "timeout_error": Kind.SERVER_ERROR,
    "authentication_error": Kind.BAD_KEY,
    "billing_error": Kind.NO_CREDIT,
    "permission_error": Kind.NO_PERMISSION,
    "not_found_error": Kind.UNKNOWN_MODEL,
    "request_too_large": Kind.REQUEST_TOO_LARGE,
    "invalid_request_error": Kind.BAD_REQUEST,
}
BY_STATUS = {
    401: Kind.BAD_KEY,
    402: Kind.NO_CREDIT,
    403: Kind.NO_PERMISSION,
    404: Kind.UNKNOWN_MODEL,
    413: Kind.REQUEST_TOO_LARGE,
    429: Kind.RATE_LIMITED,
    529: Kind.OVERLOADED,
}
MAY_BE_TOO_LONG = frozenset({Kind.BAD_REQUEST, Kind.REQUEST_TOO_LARGE, Kind.SERVER_ERROR})
MESSAGES = {
    Kind.RATE_LIMITED: "The model's provider limits how often it may be asked.",
    Kind.OVERLOADED: "The model is overloaded.",
    Kind.SERVER_ERROR: "The model's server had a failure of its own.",
    Kind.UNREACHABLE: "The model's server cannot be reached. Check the network and ANTHROPIC_BASE_URL.",
    Kind.READING: "The model's server has taken the request and is still reading it: it sent nothing in time. On a slow"
    " machine raise SPROUT_LOOP__LOCAL_FIRST_BYTE_S, or choose a smaller model.",
    Kind.CUT: "The connection to the model broke off.",
    Kind.STALLED: "The model stopped sending.",
    Kind.PROMPT_TOO_LONG: "The conversation is too long for the model.",
    Kind.REQUEST_TOO_LARGE: "The request is too large for the model's server.",
    Kind.BAD_REQUEST: "The model's server did not accept the request. If this is not Claude, the server may not support"
    " what Sprout asks for; `sprout doctor` shows what it can do.",
    Kind.BAD_KEY: "The model's server refused the key. Set ANTHROPIC_API_KEY to a valid key and start Sprout again.",
    Kind.NO_PERMISSION: "The key is not allowed to use this model. Choose another with SPROUT_MODEL, or another key.",
    Kind.NO_CREDIT: "The account of this key has no credit left. Add credit with the provider, then try again.",
    Kind.UNKNOWN_MODEL: "The model {model!r} does not exist on this server. Set SPROUT_MODEL to one that does.",
}


def model_failure_of(error: Exception, *, model: str, streaming: bool) -> ModelFailure:
    """The failure that an exception of the SDK or of its transport stands for.

    Args:
        streaming: whether the reply had begun; a lost connection then means that it was cut.
    """
    kind = _kind(error, streaming)
    return _failure(kind, model, f"{type(error).__name__}: {error}", _retry_after_s(error))


class StreamError(Exception):
    """An error that came as an event of a stream which had begun well."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("message", "")))
        self.type = str(body.get("type", ""))


def stream_failure(error: StreamError, *, model: str) -> ModelFailure:
    """The failure that an error event stands for."""
    detail = f"{error.type}: {error}"
    return _failure(_unless_too_long(BY_TYPE.get(error.type, Kind.SERVER_ERROR), detail), model, detail)


def _failure(kind: ModelFailureKind, model: str, detail: str, retry_after_s: float | None = None) -> ModelFailure:
    if kind is Kind.UNKNOWN_MODEL:
        return ModelFailure(Kind.UNKNOWN_MODEL, MESSAGES[kind], detail=detail, model=model)
    window = named_window(detail) if kind is Kind.PROMPT_TOO_LONG else None
    return ModelFailure(kind, MESSAGES[kind], retry_after_s=retry_after_s, window=window, detail=detail)


def _unless_too_long(kind: ModelFailureKind, detail: str) -> ModelFailureKind:
    """The kind, or that of an overflow: only the words tell it from another bad request."""
    return Kind.PROMPT_TOO_LONG if kind in MAY_BE_TOO_LONG and says_too_long(detail) else kind


def _kind(error: Exception, streaming: bool) -> ModelFailureKind:
    if isinstance(error, anthropic.APIStatusError):
        return _kind_of_status(error)
    if isinstance(error, (anthropic.APITimeoutError, httpx2.TimeoutException)):
        if streaming:
            return Kind.STALLED
        return Kind.READING if _was_connected(error) else Kind.UNREACHABLE
    if isinstance(error, (anthropic.APIConnectionError, httpx2.TransportError)):
        return Kind.CUT if streaming else Kind.UNREACHABLE
    return Kind.CUT


def _was_connected(error: Exception) -> bool:
    """Whether a request that nothing came back for had reached its server."""
    cause = error.__cause__ if isinstance(error, anthropic.APITimeoutError) else error
    return isinstance(cause, httpx2.ReadTimeout)


def _kind_of_status(error: anthropic.APIStatusError) -> ModelFailureKind:
    kind = BY_TYPE.get(str(error.type)) or BY_STATUS.get(error.status_code)
    if kind is None:
        kind = Kind.BAD_REQUEST if 400 <= error.status_code < 500 else Kind.SERVER_ERROR
    return _unless_too_long(kind, str(error))


def _retry_after_s(error: Exception) -> float | None:
    """Seconds that the provider asks to wait, from milliseconds, seconds or a date; None without a readable one."""
    if not isinstance(error, anthropic.APIStatusError):
        return None
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if "retry-after" not in headers:
            return None
        if headers["retry-after"].strip().replace(".", "", 1).isdigit():
            return float(headers["retry-after"])
        return max(0.0, (parsedate_to_datetime(headers["retry-after"]) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
