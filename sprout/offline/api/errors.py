"""The errors of the Messages API, in its own shape."""

import json
from collections.abc import Mapping

from starlette.responses import Response

from sprout.errors import SproutError

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class ApiError(SproutError):
    """A request that is answered with an error; `status` decides its type on the wire."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def invalid_request(message: str) -> ApiError:
    """A 400: the request breaks a rule of the API."""
    return ApiError(400, message)


def error_body(status: int, message: str, request_id: str) -> dict[str, object]:
    """The JSON of an error, in a response and in an `error` event alike."""
    return {"type": "error", "error": {"type": ERROR_TYPES[status], "message": message}, "request_id": request_id}


def error_response(error: ApiError, request_id: str) -> Response:
    """The error as the API sends it, with the header that says whether clients should retry."""
    retryable = error.status in (408, 409, 429) or error.status >= 500
    headers = {"request-id": request_id, "x-should-retry": "true" if retryable else "false"} | error.headers
    body = json.dumps(error_body(error.status, str(error), request_id), ensure_ascii=False).encode()
    return Response(body, error.status, headers, media_type="application/json")
