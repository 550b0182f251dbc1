"""Strict parsing of requests: ids, bodies, JSON, queries, times."""

import asyncio
import json
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request
from starlette.types import Message, Receive

from sprout.errors import BadInput, NotFound, SproutError, TooLarge

ID_MAX_CHARACTERS = 100
QUERY_VALUE_MAX_CHARACTERS = 2000
INTEGER_MAX_DIGITS = 18
JSON_MAX_DEPTH = 50
UTF_8_CHARSETS = frozenset({"", "utf-8", "utf8"})

M = TypeVar("M", bound=BaseModel)


class WrongType(BadInput):
    """A field of the wrong type or with an invalid value."""

    code = "wrong_type"


class BodyStalled(SproutError):
    """The client stopped sending in the middle of its request."""

    code = "body_stalled"


def validate_id(text: str, *, what: str = "object") -> str:
    """The id. Raises NotFound if it can never be one: too long, or with control characters."""
    if not text or len(text) > ID_MAX_CHARACTERS or not text.isprintable():
        raise NotFound(what, "".join(c if c.isprintable() else "?" for c in text[:ID_MAX_CHARACTERS]))
    return text


def limit_body(receive: Receive, *, max_bytes: int, idle_s: float) -> Receive:
    """`receive` with limits. Raises TooLarge past `max_bytes`, BodyStalled after a wait of `idle_s`."""
    total = 0

    async def counted() -> Message:
        nonlocal total
        try:
            async with asyncio.timeout(idle_s):
                message = await receive()
        except TimeoutError:
            raise BodyStalled(
                "The rest of the request did not arrive within {seconds:.0f} seconds.", seconds=idle_s
            ) from None
        total += len(message.get("body", b""))
        if total > max_bytes:
            raise too_large(max_bytes)
        return message

    return counted


def check_content_length(request: Request, *, max_bytes: int) -> None:
    """Raises TooLarge for a declared length past the limit, before a byte is read."""
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and (len(declared) > INTEGER_MAX_DIGITS or int(declared) > max_bytes):
        raise too_large(max_bytes)


def too_large(max_bytes: int) -> TooLarge:
    """The error for a body past the limit."""
    return TooLarge("The request is too large: at most {most:,} bytes.", code="body_too_large", most=max_bytes)


async def read_json_object(
    request: Request, *, max_bytes: int, idle_s: float, max_depth: int = JSON_MAX_DEPTH
) -> dict[str, object]:
    """The body as a JSON object. Raises BadInput, TooLarge, BodyStalled."""
    check_content_length(request, max_bytes=max_bytes)
    check_json_content_type(request.headers.get("content-type", ""))
    body = await Request(request.scope, limit_body(request.receive, max_bytes=max_bytes, idle_s=idle_s)).body()
    value = parse_json(body, max_depth=max_depth)
    if not isinstance(value, dict):
        raise BadInput('The body must be a JSON object, like {"title": "…"}.')
    return value


def parse_content_type(content_type: str) -> tuple[str, str]:
    """The media type and the charset in a Content-Type header, in lower case; "" if missing."""
    media, _, parameters = content_type.lower().partition(";")
    charset = re.search(r"charset\s*=\s*\"?([^\s\";]*)", parameters)
    return media.strip(), charset[1] if charset else ""


def check_json_content_type(content_type: str) -> None:
    """Raises BadInput unless the media type is JSON and the charset UTF-8."""
    media, charset = parse_content_type(content_type)
    if media != "application/json" and not (media.startswith("application/") and media.endswith("+json")):
        raise BadInput("Send JSON, with the header Content-Type: application/json.")
    if charset not in UTF_8_CHARSETS:
        raise BadInput("Send the JSON as UTF-8.")


def parse_json(body: bytes, *, max_depth: int = JSON_MAX_DEPTH) -> object:
    """The value of UTF-8 JSON. Raises BadInput, also for what could not be stored or sent on."""
    if not body.strip():
        raise BadInput("The body is empty: send a JSON object.")
    try:
        value: object = json.loads(
            body.decode("utf-8"),
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_keys,
        )
    except UnicodeDecodeError:
        raise BadInput("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"The body is not JSON: line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise too_deep(max_depth) from None
    for text in _iter_strings(value, max_depth):
        _check_text(text)
    return value


def too_deep(max_depth: int) -> BadInput:
    """The error for JSON that is nested too deeply."""
    return BadInput(f"The JSON is nested too deeply: at most {max_depth} levels.")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses duplicate keys, of which parsers pick different values."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadInput("The JSON has a duplicate key in an object.")
    return found


def _parse_int(digits: str) -> int:
    if len(digits.lstrip("-")) > INTEGER_MAX_DIGITS:
        raise BadInput(f"A number in the JSON has more than {INTEGER_MAX_DIGITS} digits.")
    return int(digits)


def _parse_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise BadInput("A number in the JSON is too large.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise BadInput(f"{name} is not a number in JSON.")


def _iter_strings(value: object, max_depth: int) -> Iterator[str]:
    """Every string in a JSON value, keys included. Raises BadInput past the depth."""
    waiting = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict | list):
            if depth > max_depth:
                raise too_deep(max_depth)
            if isinstance(item, dict):
                yield from item
            waiting += [(child, depth + 1) for child in (item.values() if isinstance(item, dict) else item)]


def _check_text(text: str) -> None:
    if "\0" in text:
        raise BadInput("A text contains a NUL character.")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise BadInput("A text contains half of a surrogate pair.")


def parse_timestamp(text: str, *, field: str) -> datetime:
    """An ISO 8601 time, UTC by default. Raises BadInput."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{field}: not a time like 2026-01-31T09:00:00Z.", field=field) from None


def read_query(request: Request) -> dict[str, object]:
    """The query as a mapping, with the last value of each name. Raises BadInput."""
    for value in request.query_params.values():
        if len(value) > QUERY_VALUE_MAX_CHARACTERS or "\0" in value:
            raise BadInput("A value in the address is too long or contains a NUL character.")
    return dict(request.query_params)


def validate(model: type[M], values: dict[str, object]) -> M:
    """The values as their model. Raises BadInput for a missing or empty field, else WrongType."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _bad_input(error.errors(include_url=False)[0]) from None


_MESSAGES = {
    "missing": "is required",
    "string_too_short": "is required and must not be empty",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
}
_MISSING_ERRORS = {"missing", "string_too_short"}


def _bad_input(error: ErrorDetails) -> BadInput:
    field = ".".join(str(part) for part in error["loc"])
    kind = "missing" if error["input"] is None else error["type"]
    message = f"{field}: {_MESSAGES.get(kind, error['msg'][:1].lower() + error['msg'][1:])}"
    if kind == "string_too_long":
        return BadInput(message, field=field, code="text_too_long", most=error["ctx"]["max_length"])
    return (BadInput if kind in _MISSING_ERRORS else WrongType)(message, field=field)
