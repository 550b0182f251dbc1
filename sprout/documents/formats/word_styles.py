"""Styles and numbering of a Word file: heading levels and list markers, in any language of the program."""

import re
from collections import defaultdict
from typing import Any

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_HEADING_LEVEL = 9
MAX_STYLE_CHAIN = 20
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title"})

ListPosition = tuple[str, int]
"""The number of a list, and how deep in it."""


def property_value(properties: Any, path: str) -> str | None:
    """The value of a property, where it is set."""
    found = properties.find(path) if properties is not None else None
    return found.get(f"{W}val") if found is not None else None


def _parse_int(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 7 else None


class Styles:
    """Paragraph styles by id; each may be based on another."""

    def __init__(self, styles: Any) -> None:
        self._styles: dict[str, Any] = {}
        for style in styles.iter(f"{W}style"):
            self._styles.setdefault(style.get(f"{W}styleId") or "", style)

    def heading_level(self, style_id: str | None, properties: Any) -> int | None:
        """1 to 9 for a heading, 0 for the title of the whole, None for other text.

        A paragraph's own outline level goes before that of its style, and before that of what the style is based on. A
        built-in style is named in English in every file, whatever the program shows.
        """
        own = _parse_int(property_value(properties, f"{W}outlineLvl"))
        if own is not None:
            return own + 1 if own < MAX_HEADING_LEVEL else None
        for style in self._style_chain(style_id):
            level = _parse_int(property_value(style.find(f"{W}pPr"), f"{W}outlineLvl"))
            if level is not None:
                return level + 1 if level < MAX_HEADING_LEVEL else None
            name = (property_value(style, f"{W}name") or "").strip()
            if named := _HEADING_NAME.fullmatch(name):
                return int(named[1])
            if name.casefold() in _TITLE_NAMES:
                return 0
        return None

    def list_position(self, style_id: str | None) -> ListPosition | None:
        """The list that the style puts its paragraphs into."""
        for style in self._style_chain(style_id):
            if found := list_position(style.find(f"{W}pPr")):
                return found
        return None

    def _style_chain(self, style_id: str | None) -> list[Any]:
        found: list[Any] = []
        while style_id in self._styles and len(found) < MAX_STYLE_CHAIN:
            style = self._styles[style_id]
            found.append(style)
            style_id = property_value(style, f"{W}basedOn")
        return found


def list_position(properties: Any) -> ListPosition | None:
    """The list that a paragraph is in by itself."""
    number = property_value(properties, f"{W}numPr/{W}numId")
    if number is None or number == "0":
        return None
    return number, _parse_int(property_value(properties, f"{W}numPr/{W}ilvl")) or 0


class Numbering:
    """Formats of the lists, with a counter for each numbered one."""

    def __init__(self, numbering: bytes) -> None:
        self._formats: dict[tuple[str, int], str] = {}
        self._counts: defaultdict[tuple[str, int], int] = defaultdict(int)
        if numbering:
            self._read(etree.fromstring(numbering, etree.XMLParser(resolve_entities=False, no_network=True)))

    def _read(self, root: Any) -> None:
        abstract = {one.get(f"{W}abstractNumId"): one for one in root.iter(f"{W}abstractNum")}
        for number in root.iter(f"{W}num"):
            kind = abstract.get(property_value(number, f"{W}abstractNumId"))
            for level in kind.iter(f"{W}lvl") if kind is not None else ():
                depth = _parse_int(level.get(f"{W}ilvl")) or 0
                self._formats[number.get(f"{W}numId"), depth] = property_value(level, f"{W}numFmt") or ""

    def next_marker(self, number: str, depth: int) -> str:
        """The marker of the next item: a dash, or its number."""
        if self._formats.get((number, depth), "bullet") in ("bullet", "none", ""):
            return "-"
        self._counts[number, depth] += 1
        for at in [at for at in self._counts if at[0] == number and at[1] > depth]:
            del self._counts[at]
        return f"{self._counts[number, depth]}."
