"""The pages of the API reference, from the OpenAPI document, the examples and their recorded answers."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.api_reference.contract import OPERATIONS as CONTRACT
from scripts.api_reference.event_pages import events_page
from scripts.api_reference.examples import PREAMBLE, Example, Restart, examples_by_operation
from scripts.api_reference.field_tables import ANYTHING, description_of, field_table, response_fields, table, type_text
from scripts.api_reference.paths import INDEX, PAGES
from sprout.web.reference.access_texts import access_text
from sprout.web.reference.error_texts import ERROR_TEXTS

Json = dict[str, Any]
GENERATED_NOTE = (
    "<!-- Written by `make docs`: edit docs/api/examples.yaml or the descriptions in sprout/web instead. -->"
)
INTRODUCTION = Path(__file__).with_name("introduction.md")
FENCES = {"application/json": "json", "text/html": "html", "application/yaml": "yaml", "text/event-stream": "text"}


COMMON_ERRORS = {(f"`{status}`", meaning) for status, meaning in ERROR_TEXTS.items()}


@dataclass(frozen=True, slots=True)
class Operation:
    """An endpoint as the OpenAPI document describes it."""

    method: str
    path: str
    id: str
    group: str
    described: Json


def operations(document: Json) -> list[Operation]:
    """Every operation of the document, in its order."""
    return [
        Operation(method.upper(), path, described["operationId"], described["tags"][0], described)
        for path, methods in document["paths"].items()
        for method, described in methods.items()
    ]


def render_reference(
    document: Json, steps: Sequence[Example | Restart], recorded: Mapping[str, Mapping[str, str]]
) -> dict[Path, str]:
    """The text of every page, by the file that it belongs in."""
    shown = examples_by_operation(list(steps))
    all_of_them = operations(document)
    groups = list(dict.fromkeys(operation.group for operation in all_of_them))
    pages = {
        page_of(group): _group_page(
            document, group, [one for one in all_of_them if one.group == group], shown, recorded
        )
        for group in groups
    }
    pages[PAGES / "events.md"] = _join_sections([GENERATED_NOTE, *events_page()])
    pages[PAGES / "shapes.md"] = _shapes_page(document, all_of_them)
    pages[INDEX] = _index(groups, all_of_them)
    return pages


def page_of(group: str) -> Path:
    """The file of a group."""
    return PAGES / f"{group.lower()}.md"


def _join_sections(parts: Sequence[str]) -> str:
    return "\n".join(parts).rstrip("\n") + "\n"


def _index(groups: Sequence[str], all_of_them: Sequence[Operation]) -> str:
    errors = "\n".join(table(("status", "when"), [(f"`{status}`", meaning) for status, meaning in ERROR_TEXTS.items()]))
    introduction = INTRODUCTION.read_text(encoding="utf-8").rstrip("\n")
    lines = [GENERATED_NOTE, introduction.replace("PREAMBLE", PREAMBLE.rstrip("\n")).replace("ERRORS", errors)]
    for group in groups:
        file = page_of(group).relative_to(INDEX.parent).as_posix()
        rows = [
            (
                f"[`{one.method} {one.path}`]({file}#{one.id})",
                f"{one.described['summary']}",
                access_text(one.described),
                "yes" if one.id in CONTRACT else "",
            )
            for one in all_of_them
            if one.group == group
        ]
        lines += [
            "",
            f"### [{group}]({file})",
            "",
            *table(("endpoint", "what it is for", "who may call", "contract"), rows),
        ]
    return _join_sections(lines)


def _group_page(
    document: Json,
    group: str,
    members: Sequence[Operation],
    shown: Mapping[str, Sequence[Example]],
    recorded: Mapping[str, Mapping[str, str]],
) -> str:
    lines = [
        GENERATED_NOTE,
        f"# {group}",
        "",
        "[All endpoints](../api.md), with what `$api`, `$user`, `$json` and `get` are.",
    ]
    for operation in members:
        lines += ["", *_operation(document, operation, shown[operation.id], recorded)]
    return _join_sections(lines)


def _operation(
    document: Json, operation: Operation, shown: Sequence[Example], recorded: Mapping[str, Mapping[str, str]]
) -> list[str]:
    described = operation.described
    lines = [f'<a id="{operation.id}"></a>', "", f"## `{operation.method} {operation.path}`", ""]
    lines.append(f"{described['summary']}." + (" Part of the wire contract." if operation.id in CONTRACT else ""))
    if about := described.get("description", ""):
        lines += ["", _prose(about)]
    lines += ["", f"Who may call: {access_text(described)}."]
    if parameters := described.get("parameters", []):
        rows = [(f"`{one['name']}`", f"in the {one['in']}", *_parameter(one)) for one in parameters]
        lines += ["", *table(("parameter", "", "type", "", "what it is"), rows)]
    lines += _body(document, described)
    lines += ["", *table(("answer", "what it is", "shape"), _answers(described))]
    lines += ["", f"Beside these, as [everywhere](../api.md#errors): {_shared_errors(described)}."]
    for example in shown:
        lines += ["", *_example(example, recorded.get(example.key, {"media": "", "text": ""}))]
    return lines


def _parameter(parameter: Json) -> tuple[str, str, str]:
    schema = parameter["schema"]
    need = "required" if parameter["required"] else f"default `{schema['default']}`" if schema.get("default") else ""
    return type_text(schema), need, description_of(parameter)


def _body(document: Json, described: Json) -> list[str]:
    lines = []
    for media, content in described.get("requestBody", {}).get("content", {}).items():
        schema = resolve(document, content["schema"])
        lines += ["", f"Body, `{media}`:"]
        lines += [f"{_prose(description)}" for description in [schema.get("description", "")] if description]
        lines += ["", *field_table(schema)]
    return lines


def _answers(described: Json) -> list[tuple[str, str, str]]:
    rows = []
    for status, answer in described["responses"].items():
        shapes = [_shape(media, content["schema"]) for media, content in answer.get("content", {}).items()]
        rows.append((f"`{status}`", _prose(answer["description"]), "" if status >= "400" else " or ".join(shapes)))
    return [row for row in rows if row[:2] not in COMMON_ERRORS]


def _shape(media: str, schema: Json) -> str:
    if media == "text/event-stream":
        return "[events](events.md)"
    return f"`{media}`" if schema == {"type": "string"} else type_text(schema)


def _shared_errors(described: Json) -> str:
    return ", ".join(
        f"`{status}`"
        for status, answer in described["responses"].items()
        if (f"`{status}`", answer["description"]) in COMMON_ERRORS
    )


def _example(example: Example, answer: Mapping[str, str]) -> list[str]:
    lines = [example.introduction, ""] if example.introduction else []
    lines += ["```sh", example.curl, "```", ""]
    if not answer["text"]:
        return [*lines, f"Answers `{example.status}`" + (f", `{answer['media']}`." if answer["media"] else ".")]
    fence = FENCES.get(answer["media"], "text")
    return [*lines, f"Answers `{example.status}`:", "", f"```{fence}", answer["text"], "```"]


def _shapes_page(document: Json, all_of_them: Sequence[Operation]) -> str:
    """Every object that is answered or that a body is made of, in the order of their names."""
    bodies, answered = set[str](), set[str]()
    for one in all_of_them:
        bodies |= _referenced_schemas(one.described.get("requestBody", {}))
        answered |= _referenced_schemas(one.described["responses"])
    schemas = document["components"]["schemas"]
    shown = (_transitive_schemas(schemas, answered) | _transitive_schemas(schemas, bodies)) - bodies - {ANYTHING}
    lines = [
        GENERATED_NOTE,
        "# Shapes",
        "",
        "What is answered, object by object; every field is always there, `null` included.",
    ]
    for name in sorted(shown):
        schema = schemas[name]
        lines += ["", f"## {name}", ""]
        lines += [_prose(schema["description"]), ""] if schema.get("description") else []
        lines += response_fields(schema, shapes="") if "properties" in schema else [type_text(schema, shapes="")]
    return _join_sections(lines)


def _transitive_schemas(schemas: Json, names: set[str]) -> set[str]:
    """The names, and those of all that their schemas are made of."""
    found: set[str] = set()
    while new := names - found:
        found |= new
        names = set().union(*(_referenced_schemas(schemas[name]) for name in new))
    return found


def _referenced_schemas(value: Any) -> set[str]:
    """The schemas that a part of the document refers to."""
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(value)))


def _prose(text: str) -> str:
    """A docstring as a paragraph; its list of arguments as a list."""
    opening, _, arguments = text.partition("\nArgs:\n")
    paragraph = " ".join(opening.split())
    items = re.split(r"\n(?=\s*\w[\w, ]*: )", f"\n{arguments}")[1:] if arguments else []
    return "\n".join([paragraph, *([""] if items else []), *(f"- {' '.join(item.split())}" for item in items)])


def resolve(document: Json, schema: Json) -> Json:
    """The schema itself, where it is a reference."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: Json = document["components"]["schemas"][name] if name else schema
    return found
