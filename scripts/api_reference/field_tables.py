"""Tables of fields from JSON Schema: types, limits, defaults."""

import json
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
ANYTHING = "JsonValue"


def type_text(schema: Json, *, shapes: str = "shapes.md") -> str:
    """The type with its limits, as Markdown; a shape is a link to its description."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return "any JSON" if name == ANYTHING else f"[{name}]({shapes}#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(type_text(kind, shapes=shapes) for kind in schema["anyOf"])
    if "oneOf" in schema:
        return " or ".join(type_text(kind, shapes=shapes) for kind in schema["oneOf"])
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return ", ".join(map(_code, schema["enum"]))
    match schema.get("type"):
        case "array":
            items = schema.get("items", {})
            size = _between(schema.get("minItems"), schema.get("maxItems"), "items")
            return f"list of {type_text(items, shapes=shapes) if items else 'anything'}{size}"
        case "string":
            pattern = f" like `{schema['pattern']}`" if "pattern" in schema else ""
            return f"text{pattern}{_between(schema.get('minLength'), schema.get('maxLength'), 'characters')}"
        case "integer" | "number" as kind:
            named = "whole number" if kind == "integer" else "number"
            return f"{named}{_between(schema.get('minimum'), schema.get('maximum'), '')}"
        case "boolean":
            return "`true` or `false`"
        case "null":
            return "`null`"
        case "object":
            return "object"
    return "any JSON"


def _between(least: int | float | None, most: int | float | None, unit: str) -> str:
    unit = f" {unit}" if unit else ""
    match least, most:
        case None, None:
            return ""
        case None, _:
            return f", at most {most:,}{unit}"
        case _, None:
            return f", at least {least:,}{unit}"
    return f", {least:,} to {most:,}{unit}"


def default_of(schema: Json, *, required: bool) -> str:
    """Default of an omitted field, as printed."""
    if required:
        return "required"
    default = schema.get("default")
    return "optional" if default is None else f"default {_code(default)}"


def field_table(schema: Json, *, shapes: str = "shapes.md") -> list[str]:
    """The fields of an object as a table."""
    required = schema.get("required", [])
    return table(
        ("field", "type", "", "what it is"),
        [
            (
                f"`{name}`",
                type_text(field, shapes=shapes),
                default_of(field, required=name in required),
                description_of(field),
            )
            for name, field in schema.get("properties", {}).items()
        ],
    )


def response_fields(schema: Json, *, shapes: str = "shapes.md") -> list[str]:
    """Fields of a response or an event: all are present."""
    rows = [
        (f"`{name}`", type_text(field, shapes=shapes), description_of(field))
        for name, field in schema["properties"].items()
    ]
    return table(("field", "type", "what it is"), rows)


def description_of(schema: Json) -> str:
    """The description of a field, on one line."""
    return " ".join(str(schema.get("description", "")).split())


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A Markdown table, without the columns that have nothing in any row."""
    full = [place for place in range(len(head)) if any(row[place] for row in rows)]
    lines = [head, tuple("---" for _ in head), *rows]
    return [f"| {' | '.join(line[place].replace('|', chr(92) + '|') for place in full)} |" for line in lines]


def _code(value: object) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return f"`{text}`"
