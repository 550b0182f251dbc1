"""Markup in question files: HTML as Markdown or as plain text, without scripts, hidden parts and media."""

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from lxml import etree

from sprout.documents.formats.html.page_formulas import TEX_IN_TEXT, formula_spans
from sprout.documents.formats.html.page_inline import PageMarks, visible_text
from sprout.documents.formats.html.page_notes import find_notes
from sprout.documents.formats.html.page_walker import PageWalker
from sprout.documents.formats.markdown_writer import MarkdownWriter
from sprout.documents.limits import ReadingLimits
from sprout.errors import UnreadableDocument
from sprout.learning.text.normalization import tidy

# Of HTML; one that only begins an element is what the text speaks of, as in "what does <main> hold?"
_MARKUP = re.compile(
    r"</[a-z][a-z0-9]*\s*>|<(?:br|hr|img|p|audio|video|iframe)\b[^<>]*>|&(?:#\d+|#x[0-9a-f]+|[a-z]{2,20});",
    re.IGNORECASE,
)
_LIMITS = ReadingLimits(characters=200_000)
_MEDIA = ("img", "audio", "video", "object", "embed", "iframe", "svg", "canvas")


class BrokenMarkup(Exception):
    """Markup that cannot be read to its end, such as elements within elements without end."""


@dataclass(frozen=True, slots=True)
class Markup:
    """The visible text of some HTML, and whether pictures, sounds or films in it are missing from the text."""

    text: str
    has_media: bool = False


def as_html(text: str) -> str:
    """Plain text as HTML, with its lines; text with markup in it is HTML already, unless it is nothing but that."""
    if _MARKUP.search(text) and _shows_anything(text):
        return text
    return escape(text, quote=False).replace("\n", "<br>")


def to_markdown(html: str) -> Markup:
    """The HTML as Markdown. Raises BrokenMarkup."""
    root = _parse(html)
    if root is None:
        return Markup("")
    out = MarkdownWriter(_LIMITS)
    walker = PageWalker(out, PageMarks(find_notes(root), TEX_IN_TEXT))
    try:
        walker.walk(root)
        walker.end_block()
        text = out.finish().text
    except UnreadableDocument as failure:
        if failure.code != "empty":
            raise BrokenMarkup from None
        text = ""
    return Markup(text, _has_media(root))


def to_plain(html: str) -> Markup:
    """The HTML as plain text, for what is compared or shown without markup. Raises BrokenMarkup."""
    root = _parse(html)
    if root is None:
        return Markup("")
    try:
        return Markup(tidy(re.sub(r"[^\S\n]+", " ", visible_text(root))), _has_media(root))
    except UnreadableDocument:
        raise BrokenMarkup from None


def _shows_anything(html: str) -> bool:
    try:
        found = to_plain(html)
    except BrokenMarkup:
        return True  # so that it is reported
    return found.has_media or bool(found.text)


def _parse(html: str) -> Any:
    """The root element; None where there is nothing."""
    if not html.strip():
        return None
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(f"<body>{html}</body>".encode("utf-8", "replace"), parser)
    if any(error.level_name == "FATAL" for error in parser.error_log):  # the rest would be missing
        raise BrokenMarkup
    return root


def _has_media(root: Any) -> bool:
    return any(formula_spans(found, TEX_IN_TEXT) is None for found in root.iter(*_MEDIA))
