"""Markdown as the content of QTI items: elements in QTI's namespace, formulas as TeX between the usual brackets."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from sprout.learning.structure.math_rules import add_math_rules

QTI = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEPT_ATTRIBUTES = frozenset({"href"})


def element(parent: ET.Element | None, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    """A new element of QTI below the parent; underscores in attributes stand for hyphens."""
    named = {key.replace("_", "-"): xml_text(value) for key, value in attributes.items()}
    tag = f"{{{QTI}}}{name}"
    made = ET.Element(tag, named) if parent is None else ET.SubElement(parent, tag, named)
    made.text = None if text is None else xml_text(text)
    return made


def add_markdown(parent: ET.Element, text: str) -> None:
    """Put the text's blocks below the parent; nothing in the text becomes markup but Markdown's own."""
    root = ET.fromstring(f"<div>{_parser().render(xml_text(text))}</div>")  # noqa: S314 rendered here
    for found in root.iter():
        found.tag = f"{{{QTI}}}{found.tag}"
        for name in set(found.attrib) - _KEPT_ATTRIBUTES:
            del found.attrib[name]
    parent.extend(list(root))


def xml_text(text: str) -> str:
    """The text without what no XML document can hold."""
    return _NO_XML.sub("", text)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable("table")
    add_math_rules(parser)
    parser.add_render_rule("formula", _formula)
    parser.add_render_rule("image", _description)
    return parser


def _description(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A picture is its description: where it is kept, no other program can look."""
    return escapeHtml(tokens[at].content)


def _formula(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    tex = escapeHtml(token.content)
    return f"<p>\\[{tex}\\]</p>\n" if token.block else f"\\({tex}\\)"
