"""Reference page at /docs: the OpenAPI document as HTML without scripts.

Not Swagger UI or Redoc: both are scripts, and this page's CSP allows none.
"""

import re
import secrets
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from starlette.responses import Response

from sprout.web.reference.access_texts import access_text
from sprout.web.reference.error_texts import ERROR_TEXTS

Json = dict[str, Any]
POLICY = "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
NONCE = "{{nonce}}"
ANYTHING = "JsonValue"
LIMITS = {"minLength maxLength": " characters", "minimum maximum": "", "minItems maxItems": " items"}


def docs_page(html: str) -> Response:
    """The page with a fresh nonce for its style sheet."""
    nonce = secrets.token_urlsafe(18)
    headers = {"Content-Security-Policy": POLICY.format(nonce=nonce), "Cache-Control": "no-store"}
    return Response(html.replace(NONCE, nonce), media_type="text/html", headers=headers)


def docs_html(document: Json) -> str:
    """The document as a page, in which NONCE stands where the nonce goes."""
    return Template(files("sprout.web.reference").joinpath("docs.html").read_text(encoding="utf-8")).substitute(
        nonce=NONCE,
        version=escape(document["info"]["version"]),
        contents=_contents(document),
        groups="".join(_group(document, tag["name"]) for tag in document["tags"]),
        shapes=_shapes(document),
    )


def _operations(document: Json, group: str) -> list[tuple[str, str, Json]]:
    return [
        (method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if group in operation["tags"]
    ]


def _contents(document: Json) -> str:
    names = [tag["name"] for tag in document["tags"]]
    return "".join(f'<li><a href="#{escape(name.lower())}">{escape(name)}</a></li>' for name in [*names, "Shapes"])


def _group(document: Json, group: str) -> str:
    operations = "".join(_operation(document, *operation) for operation in _operations(document, group))
    return f'<section id="{escape(group.lower())}"><h2>{escape(group)}</h2>{operations}</section>'


def _operation(document: Json, method: str, path: str, operation: Json) -> str:
    name = operation["operationId"]
    heading = (
        f'<h3 id="{name}"><a href="#{name}"><b>{method.upper()}</b> <code>{escape(path)}</code></a></h3>'
        f"<p>{escape(operation['summary'])}.</p>"
        f'<p class="about">{_prose(f"Who may call: {access_text(operation)}.")}</p>'
    )
    if about := operation.get("description", ""):
        heading += f'<p class="about">{_prose(about)}</p>'
    return f"<article>{heading}{_request_table(document, operation)}{_response_table(operation)}</article>"


def _request_table(document: Json, operation: Json) -> str:
    rows = [
        _field_row(one["name"], one["schema"] | _description(one), f"in the {one['in']}", required=one["required"])
        for one in operation.get("parameters", [])
    ]
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolved(document, content["schema"])
        where = "in the form" if media.startswith("multipart") else "in the JSON body"
        needed = schema.get("required", [])
        rows += [
            _field_row(name, field, where, required=name in needed) for name, field in schema["properties"].items()
        ]
    return _table("Takes", rows)


def _description(described: Json) -> Json:
    return {"description": described["description"]} if "description" in described else {}


def _response_table(operation: Json) -> str:
    """Responses; errors that are the same everywhere are folded."""
    answers = [_response_row(status, one) for status, one in operation["responses"].items() if status < "400"]
    refusals = {status: one for status, one in operation["responses"].items() if status >= "400"}
    own = [
        _response_row(status, one) for status, one in refusals.items() if one["description"] not in ERROR_TEXTS.values()
    ]
    shared = [
        _response_row(status, one) for status, one in refusals.items() if one["description"] in ERROR_TEXTS.values()
    ]
    names = ", ".join(status for status, one in refusals.items() if one["description"] in ERROR_TEXTS.values())
    folded = f"<details><summary>Common errors: {names}</summary>{_table('', shared)}</details>"
    return _table("Answers", [*answers, *own]) + folded


def _shapes(document: Json) -> str:
    """Every named schema: an object with its fields, or an enumeration."""
    shapes = sorted(document["components"]["schemas"].items())
    found = "".join(_shape(name, schema) for name, schema in shapes if name != ANYTHING)
    return f'<section id="shapes"><h2>Shapes</h2>{found}</section>'


def _shape(name: str, schema: Json) -> str:
    about = f'<p class="about">{_prose(schema["description"])}</p>' if "description" in schema else ""
    fields = [_field_row(key, field, "") for key, field in schema.get("properties", {}).items()]
    return f'<article id="{name}"><h3>{name}</h3>{about}{_table("", fields) or f"<p>{_type(schema)}</p>"}</article>'


def _table(caption: str, rows: list[str]) -> str:
    named = f"<caption>{caption}</caption>" if caption else ""
    return f"<table>{named}<tbody>{''.join(rows)}</tbody></table>" if rows else ""


def _field_row(name: str, schema: Json, where: str, *, required: bool | None = None) -> str:
    facts = [_type(schema), *_limits(schema), escape(where)]
    if required is not None:
        facts.append("required" if required else "optional")
    if schema.get("default") not in (None, ""):
        facts.append(f"by default <code>{escape(str(schema['default']).lower())}</code>")
    about = f"<br>{_prose(schema['description'])}" if "description" in schema else ""
    kinds = f"<small>{', '.join(fact for fact in facts if fact)}</small>"
    return f"<tr><th><code>{escape(name)}</code></th><td>{kinds}{about}</td></tr>"


def _response_row(status: str, answer: Json) -> str:
    content = answer.get("content", {}) if status < "400" else {}
    shapes = [
        ("" if one["schema"] == {"type": "string"} else f"{_type(one['schema'])}, ") + escape(media)
        for media, one in content.items()
    ]
    shape = f"<br><small>{' or '.join(shapes)}</small>" if shapes else ""
    return f"<tr><th>{status}</th><td>{_prose(answer['description'])}{shape}</td></tr>"


def _prose(text: str) -> str:
    """A docstring as HTML, with code between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(" ".join(text.split()), quote=False))


def _resolved(document: Json, schema: Json) -> Json:
    name = schema.get("$ref", "").rpartition("/")[2]
    resolved: Json = document["components"]["schemas"][name] if name else schema
    return resolved


def _limits(schema: Json) -> list[str]:
    """The limits of a field, also of a nullable one."""
    kinds = [schema, *(kind for kind in schema.get("anyOf", []) if kind != {"type": "null"})]
    found = []
    for kind in kinds:
        for names, unit in LIMITS.items():
            low, high = (kind.get(name) for name in names.split())
            if high is not None:
                found.append(f"at most {high:,}{unit}" if low is None else f"{low:,} to {high:,}{unit}")
            elif low is not None:
                found.append(f"at least {low:,}{unit}")
    return found


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = escape(str(schema["$ref"]).rpartition("/")[2])
        return "any JSON" if name == ANYTHING else f'<a href="#{name}">{name}</a>'
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    if "enum" in schema:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(kind) for kind in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    kind = str(schema.get("type", "any"))
    return escape({"string": "text", "boolean": "true or false"}.get(kind, kind))
