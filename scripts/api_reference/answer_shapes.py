"""Answers made short enough to print, and the question whether two answers have the same shape."""

import json
import re
from collections.abc import Iterator
from typing import Any

LONGEST_TEXT = 90
LONGEST_LINE = 110
LINES_SHOWN = 8
KEYS_SHOWN = 3
FRAMES_SHOWN = 3
SCHEMAS = {"get_openapi_json", "get_api_schema_events", "get_api_schema_graph"}
CUT = "…"
MORE = f": {CUT}"
TEXTS = ("text/", "application/yaml")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def printable_answer(operation: str, media: str, body: bytes) -> str:
    """Response body as the reference prints it; empty for an empty or binary one."""
    if not body:
        return ""
    if media == "application/json":
        value = shorten(json.loads(body))
        return layout(_limit_keys(value) if operation in SCHEMAS else value)
    if media == "text/event-stream":
        return _limit_frames(body.decode())
    if media.startswith(TEXTS):
        lines = body.decode().strip().splitlines()
        return "\n".join([*map(_cut_line, lines[:LINES_SHOWN]), *([CUT] if len(lines) > LINES_SHOWN else [])])
    return ""


def shorten(value: Any) -> Any:
    """The value with one item of each list of objects, a few of other lists, and no long text."""
    if isinstance(value, dict):
        return {key: shorten(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shorten(item) for item in (value[:1] if value and isinstance(value[0], dict | list) else value[:3])]
    if isinstance(value, str) and len(value) > LONGEST_TEXT and not value.startswith(("{", "[")):
        return value[:LONGEST_TEXT].rstrip() + CUT
    return value


def _limit_keys(value: Any, depth: int = 0) -> Any:
    """Some of a schema: all at the top, a few below it, and nothing far down."""
    if not isinstance(value, dict):
        return value if depth < 4 else [] if isinstance(value, list) else value
    items = list(value.items())[: None if depth == 0 else KEYS_SHOWN if depth < 4 else 0]
    return {key: _limit_keys(item, depth + 1) for key, item in items}


def layout(value: Any, indent: str = "") -> str:
    """JSON on as few lines as it takes to be read."""
    text = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(text) <= LONGEST_LINE or not isinstance(value, dict | list) or not value:
        return text
    inner = indent + "  "
    if isinstance(value, list):
        items = [layout(item, inner) for item in value]
    else:
        items = [f"{json.dumps(key, ensure_ascii=False)}: {layout(item, inner)}" for key, item in value.items()]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return f"{opening}\n{inner}" + f",\n{inner}".join(_fill_lines(items, len(inner))) + f"\n{indent}{closing}"


def _fill_lines(items: list[str], indent: int) -> Iterator[str]:
    """The items, as many on a line as fit on it."""
    line = ""
    for item in items:
        if line and ("\n" in item or "\n" in line or indent + len(line) + len(item) + 3 > LONGEST_LINE):
            yield line
            line = ""
        line = f"{line}, {item}" if line else item
    if line:
        yield line


def frames(stream: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream: kind and data."""
    found = []
    for block in stream.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "event" in fields and "data" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def _limit_frames(stream: str) -> str:
    """The first frames and the last one of a stream; a comment stands for those between."""
    blocks = [block for block in stream.strip().split("\n\n") if block and not block.startswith(":")]
    events = [_shorten_frame(block) for block in blocks]
    if len(events) > FRAMES_SHOWN + 2:
        events = [*events[: FRAMES_SHOWN + 1], MORE, events[-1]]
    return "\n\n".join(events)


def _shorten_frame(block: str) -> str:
    lines = block.splitlines()
    return "\n".join(
        f"data: {json.dumps(shorten(json.loads(line[6:])), ensure_ascii=False, separators=(',', ':'))}"
        if line.startswith("data: ")
        else line
        for line in lines
    )


def _cut_line(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE].rstrip() + CUT


def differences(shown: Any, true: Any, where: str = "answer", *, part: bool = False) -> Iterator[str]:
    """Differences in shape between a printed value and a real one: names and types, not values.

    Null fits everything: whether a value may be null is the schema's to say.

    Args:
        part: whether the printed one may have fewer names.
    """
    if isinstance(shown, dict) and isinstance(true, dict):
        shown, true = _by_name(shown), _by_name(true)
        missing = set() if part else true.keys() - shown.keys()
        for name in sorted(missing | (shown.keys() - true.keys())):
            yield f"{where}.{name} is only in the {'true' if name in missing else 'printed'} one"
        for name in shown.keys() & true.keys():
            yield from differences(shown[name], true[name], f"{where}.{name}", part=part)
    elif isinstance(shown, list) and isinstance(true, list):
        if bool(shown) != bool(true) and not part:
            yield f"{where} is {'empty' if not shown else 'not empty'} only in the printed one"
        for place, item in enumerate(shown if true else []):
            found = [list(differences(item, other, f"{where}.{place}", part=part)) for other in true]
            yield from min(found, key=len)
    elif None not in (shown, true) and _kind(shown) != _kind(true):
        yield f"{where} is {_kind(shown)}, and is {_kind(true)} in the true one"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def stream_differences(shown: str, true: str) -> Iterator[str]:
    """Frames whose shape matches no real frame of their kind."""
    heard = frames(true)
    for kind, data in frames(shown):
        found = [list(differences(data, other, kind)) for other_kind, other in heard if other_kind == kind]
        yield from min(found, key=len) if found else [f"{kind} is not in the true stream"]


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    """The object with its items by their names; of items by their ids the last one, since ids are never the same."""
    return {"<id>" if _ID.fullmatch(name) else name: item for name, item in value.items()}
