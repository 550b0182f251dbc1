"""/docs: the OpenAPI document as one plain page, without a script."""

import secrets
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from starlette.responses import Response

Json = dict[str, Any]
POLICY = "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def docs_page(document: Json) -> Response:
    """The document as a page with its own nonce for its one style sheet."""
    nonce = secrets.token_urlsafe(18)
    html = Template(files("sprout.web").joinpath("docs.html").read_text(encoding="utf-8")).substitute(
        nonce=nonce, version=escape(document["info"]["version"]), contents=_contents(document), groups=_groups(document)
    )
    headers = {"Content-Security-Policy": POLICY.format(nonce=nonce), "Cache-Control": "no-store"}
    return Response(html, media_type="text/html", headers=headers)


def _operations(document: Json, group: str) -> list[tuple[str, str, Json]]:
    return [
        (method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if group in operation["tags"]
    ]


def _contents(document: Json) -> str:
    names = [escape(tag["name"]) for tag in document["tags"]]
    return "".join(f'<li><a href="#{name.lower()}">{name}</a></li>' for name in names)


def _groups(document: Json) -> str:
    return "".join(_group(document, tag["name"]) for tag in document["tags"])


def _group(document: Json, group: str) -> str:
    operations = "".join(_operation(document, *operation) for operation in _operations(document, group))
    return f'<section id="{escape(group.lower())}"><h2>{escape(group)}</h2>{operations}</section>'


def _operation(document: Json, method: str, path: str, operation: Json) -> str:
    heading = (
        f'<h3 id="{operation["operationId"]}"><b class="{method}">{method.upper()}</b> <code>{escape(path)}</code></h3>'
    )
    summary = f"<p>{escape(operation['summary'])}.</p>"
    takes = _parameters(operation) + _body_fields(document, operation)
    answers = "".join(_answer(status, answer) for status, answer in operation["responses"].items())
    return f"<article>{heading}{summary}{_table('Takes', takes)}{_table('Answers', answers)}</article>"


def _table(caption: str, rows: str) -> str:
    return f"<table><caption>{caption}</caption><tbody>{rows}</tbody></table>" if rows else ""


def _parameters(operation: Json) -> str:
    return "".join(
        _field(parameter["name"], f"in the {parameter['in']}", parameter["required"], parameter["schema"])
        for parameter in operation.get("parameters", [])
    )


def _body_fields(document: Json, operation: Json) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    rows = []
    for media, described in content.items():
        schema = _resolved(document, described["schema"])
        where = "in the form" if media.startswith("multipart") else "in the JSON body"
        for name, field in schema.get("properties", {}).items():
            rows.append(_field(name, where, name in schema.get("required", []), field))
    return "".join(rows)


def _field(name: str, where: str, required: bool, schema: Json) -> str:
    need = "required" if required else "optional"
    return f"<tr><th><code>{escape(name)}</code></th><td>{escape(_type(schema))}, {where}, {need}</td></tr>"


def _answer(status: str, answer: Json) -> str:
    shapes = [_type(content["schema"]) for content in answer.get("content", {}).values()]
    media = " or ".join(answer.get("content", {}))
    shape = f" <small>{escape(' or '.join(shapes))}, {escape(media)}</small>" if shapes else ""
    return f"<tr><th>{status}</th><td>{escape(answer['description'])}{shape}</td></tr>"


def _resolved(document: Json, schema: Json) -> Json:
    name = schema.get("$ref", "").rpartition("/")[2]
    resolved: Json = document["components"]["schemas"][name] if name else schema
    return resolved


def _type(schema: Json) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(kind) for kind in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return str(schema.get("type", "anything"))
