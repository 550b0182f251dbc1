"""Styles and numbering of a Word file: what a paragraph or run is, in any language of the program."""

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lxml import etree

from sprout.documents.formats.fonts import is_monospace

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_HEADING_LEVEL = 9
MAX_STYLE_CHAIN = 20
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title"})

ListPosition = tuple[str, int]
"""The number of a list, and how deep in it."""


class ParagraphRole(StrEnum):
    """Kinds of paragraphs of a style, other than headings and text."""

    CODE = "code"
    CAPTION = "caption"
    CONTENTS = "contents"
    QUOTE = "quote"
    CONTINUATION = "continuation"
    TERM = "term"
    DEFINITION = "definition"


_ROLES = (  # built-in styles are named in English in every file
    (ParagraphRole.CONTENTS, re.compile(r"(?:toc|contents) (?:\d|heading)|table of figures|index \d|index heading")),
    (ParagraphRole.CAPTION, re.compile(r"(?:image |table |figure )?caption|beschriftung|légende|leyenda")),
    (
        ParagraphRole.CODE,
        re.compile(
            r"(?:source|program)?[ -]?code(?:[ -]?(?:block|example|listing|text|line|snippet|box))?|source|listing|"
            r"(?:html )?preformatted(?: text)?|macro(?: text)?|verbatim|quell(?:code|text)|programm(?:code|text)|código"
        ),
    ),
    (ParagraphRole.QUOTE, re.compile(r"(?:intense |block )?(?:quote|quotation)s?|block text|zitat|citation|cita")),
    (ParagraphRole.CONTINUATION, re.compile(r"list (?:continue|paragraph)(?: \d)?")),
    (ParagraphRole.TERM, re.compile(r"definition term")),
    (ParagraphRole.DEFINITION, re.compile(r"definition")),
)
_CODE_CHARACTERS = re.compile(
    r"(?:verbatim|source code|source text|inline code|code|html (?:code|sample|typewriter|keyboard))(?: ?char)?"
)


_VAL, _BOLD, _ITALIC, _FONTS = (f"{W}{name}" for name in ("val", "b", "i", "rFonts"))
_OFF = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True)
class RunFormat:
    """Character formatting: True and False where it is set, None where it is inherited."""

    strong: bool | None = None
    emphasis: bool | None = None
    code: bool | None = None

    def over(self, base: "RunFormat") -> "RunFormat":
        """This format on top of another."""
        return RunFormat(
            base.strong if self.strong is None else self.strong,
            base.emphasis if self.emphasis is None else self.emphasis,
            base.code if self.code is None else self.code,
        )


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """Effect of a style on its paragraphs.

    Args:
        level: 1 to 9 for a heading, 0 for the title of the whole, None for other text.
    """

    level: int | None = None
    list_position: "ListPosition | None" = None
    role: ParagraphRole | None = None
    monospace: bool = False


def property_value(properties: Any, path: str) -> str | None:
    """The value of a property, where it is set."""
    found = properties.find(path) if properties is not None else None
    return found.get(f"{W}val") if found is not None else None


def parse_int(text: str | None) -> int | None:
    """A number of at most six digits."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 7 else None


def run_format(properties: Any) -> RunFormat:
    """The format that the properties of a run set by themselves."""
    strong = emphasis = code = None
    for child in properties if properties is not None else ():
        if child.tag == _BOLD:
            strong = child.get(_VAL, "1") not in _OFF
        elif child.tag == _ITALIC:
            emphasis = child.get(_VAL, "1") not in _OFF
        elif child.tag == _FONTS and (name := child.get(f"{W}ascii") or child.get(f"{W}hAnsi")):
            code = is_monospace(name)
    return RunFormat(strong, emphasis, code)


class Styles:
    """Styles by id; each may be based on another."""

    def __init__(self, styles: Any) -> None:
        self._styles: dict[str, Any] = {}
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._runs: dict[str, RunFormat] = {}
        for style in styles.iter(f"{W}style"):
            self._styles.setdefault(style.get(f"{W}styleId") or "", style)
        defaults = styles.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        normal = next((one for one in self._styles.values() if _name(one) == "normal"), None)
        body = normal.find(f"{W}rPr") if normal is not None else None
        self.body_is_monospace = bool(run_format(body).over(run_format(defaults)).code)

    def paragraph(self, style_id: str | None) -> ParagraphStyle:
        """The effect of the style on its paragraphs."""
        if style_id not in self._paragraphs:
            self._paragraphs[style_id] = self._read_paragraph_style(style_id)
        return self._paragraphs[style_id]

    def run(self, style_id: str) -> RunFormat:
        """The format that a character style sets."""
        if style_id not in self._runs:
            found = RunFormat()
            for style in self._style_chain(style_id):
                found = found.over(run_format(style.find(f"{W}rPr")))
                if _CODE_CHARACTERS.fullmatch(_name(style)):
                    found = RunFormat(code=True).over(found)
            self._runs[style_id] = found
        return self._runs[style_id]

    def heading_level(self, style_id: str | None, properties: Any) -> int | None:
        """1 to 9 for a heading, 0 for the title of the whole, None for other text.

        A paragraph's own outline level goes before that of its style, and before that of what the style is based on.
        """
        own = parse_int(property_value(properties, f"{W}outlineLvl"))
        if own is not None:
            return own + 1 if own < MAX_HEADING_LEVEL else None
        return self.paragraph(style_id).level

    def sets_first_row_apart(self, style_id: str | None) -> bool:
        """Whether a table style prints the first row in bold."""
        first_row = f"{W}tblStylePr[@{W}type='firstRow']/{W}rPr"
        return any(run_format(style.find(first_row)).strong for style in self._style_chain(style_id))

    def _read_paragraph_style(self, style_id: str | None) -> ParagraphStyle:
        chain = self._style_chain(style_id)
        fonts = RunFormat()
        for style in chain:
            fonts = fonts.over(run_format(style.find(f"{W}rPr")))
        return ParagraphStyle(
            self._style_level(chain),
            next((found for style in chain if (found := list_position(style.find(f"{W}pPr")))), None),
            next((role for style in chain for role, name in _ROLES if name.fullmatch(_name(style))), None),
            bool(fonts.code),
        )

    def _style_level(self, chain: list[Any]) -> int | None:
        """The level of the first style in a chain that has one; a built-in style is named in English in every file."""
        for style in chain:
            level = parse_int(property_value(style.find(f"{W}pPr"), f"{W}outlineLvl"))
            if level is not None:
                return level + 1 if level < MAX_HEADING_LEVEL else None
            if named := _HEADING_NAME.fullmatch(_name(style)):
                return int(named[1])
            if _name(style) in _TITLE_NAMES:
                return 0
        return None

    def _style_chain(self, style_id: str | None) -> list[Any]:
        found: list[Any] = []
        while style_id in self._styles and len(found) < MAX_STYLE_CHAIN:
            style = self._styles[style_id]
            found.append(style)
            style_id = property_value(style, f"{W}basedOn")
        return found


def _name(style: Any) -> str:
    return (property_value(style, f"{W}name") or "").strip().casefold()


def list_position(properties: Any) -> ListPosition | None:
    """The list that a paragraph is in by itself."""
    number = property_value(properties, f"{W}numPr/{W}numId")
    if number is None or number == "0":
        return None
    return number, parse_int(property_value(properties, f"{W}numPr/{W}ilvl")) or 0


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
                depth = parse_int(level.get(f"{W}ilvl")) or 0
                format_ = property_value(level, f"{W}numFmt") or ""
                text = property_value(level, f"{W}lvlText")
                blank = format_ == "bullet" and text is not None and not text.strip()
                self._formats[number.get(f"{W}numId"), depth] = "" if blank else format_ or "bullet"

    def has_marker(self, number: str, depth: int) -> bool:
        """Whether the paragraphs at this depth of the list are items, not the further paragraphs of one."""
        return self._formats.get((number, depth), "bullet") != ""

    def next_marker(self, number: str, depth: int) -> str:
        """The marker of the next item: a dash, or its number."""
        if self._formats.get((number, depth), "bullet") in ("bullet", "none", ""):
            return "-"
        self._counts[number, depth] += 1
        for at in [at for at in self._counts if at[0] == number and at[1] > depth]:
            del self._counts[at]
        return f"{self._counts[number, depth]}."
