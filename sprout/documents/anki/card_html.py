r"""HTML of Anki's cards, made of Markdown: formulas for Anki's MathJax, code as it is, everything else escaped.

Texts come from models, documents and learners. HTML in them is shown as source, images are their words, links lead to
the web, and what Anki would run itself is disarmed: `[latex]`, `[sound:…]`, MathJax commands that reach out of the
formula.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sprout.learning.sources import PassageRow
from sprout.learning.structure.math_rules import add_math_rules

_LINKED = frozenset({"http", "https", "mailto"})
_OF_ANKI = re.compile(r"\[(?=/?latex\]|/?\${1,2}\]|sound:|anki:)", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")  # of which one parts the fields of a note
_WORD_JOINER = "\u2060"  # invisible, and stays when the card is edited
_REACHES_OUT = re.compile(r"\\(?:href|url|style|class|cssId|require|unicode|includegraphics|html\w+|data)\b")


def card_html(text: str) -> str:
    """The HTML of a text of several lines."""
    return _disarmed(_PARSER.render(text).strip())


def line_html(text: str) -> str:
    """The HTML of a text without blocks: an option, a title."""
    return _disarmed(_PARSER.renderInline(text).strip())


def list_html(items: Sequence[str]) -> str:
    """The HTML of a list of texts without blocks; "" if there are none."""
    return "<ul>" + "".join(f"<li>{line_html(item)}</li>" for item in items) + "</ul>" if items else ""


def source_html(passage: PassageRow) -> str:
    """The HTML of a passage, folded under where it stands."""
    page = f"p. {passage.page}" if passage.page is not None else None
    place = " · ".join(part for part in (passage.document, page, passage.heading) if part)
    return f"<details><summary>{_disarmed(escape(place))}</summary>{card_html(passage.text)}</details>"


def _disarmed(html: str) -> str:
    return _OF_ANKI.sub("[" + _WORD_JOINER, _CONTROL.sub("", html))


def _render_formula(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    token = tokens[at]
    if _REACHES_OUT.search(token.content):
        return f"<code>{escape(token.content)}</code>"
    opening, closing = ("\\[", "\\]") if token.block or token.markup == "$$" else ("\\(", "\\)")
    return f"{opening}{escape(token.content, quote=False)}{closing}"


def _render_image(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return escape(tokens[at].content)


def _is_linked(address: str) -> bool:
    try:
        return urlsplit(address).scheme.lower() in _LINKED
    except ValueError:
        return False


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    add_math_rules(parser)
    parser.add_render_rule("formula", _render_formula)
    parser.add_render_rule("image", _render_image)
    parser.validateLink = _is_linked  # type: ignore[assignment, method-assign]
    return parser


_PARSER = _make_parser()
