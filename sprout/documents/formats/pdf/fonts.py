"""Fonts of a PDF file: weight, slope and kind, from what the file says and from the usual names."""

import re

from sprout.documents.formats.pdf.tex_fonts import encoding_of
from sprout.documents.formats.pdf.words import Font

BOLD_WEIGHT = 650
FIXED_PITCH, ITALIC, FORCE_BOLD = 1, 1 << 6, 1 << 18
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_BOLD = re.compile(r"bold|black|heavy|[-_]medi\b|demi|cmbx|cmssbx|sfbx|sfsx|ecbx|ecsx|[-_ ]bd\b|-b$", re.IGNORECASE)
_ITALIC = re.compile(
    r"italic|oblique|slant|[-_]it\b|[-_]ital|cmti|cmsl|cmssi|sfti|sfsl|ecti|ecsl|kursiv|-i$|regu?ital", re.IGNORECASE
)
_MONO = re.compile(
    r"mono|courier|consol|menlo|typewriter|inconsol|cmtt|cmsltt|cmitt|sftt|ectt|tctt|txtt|lmtt|cmvtt|letter ?gothic"
    r"|fixed|nimbusmon|lucidasans-?type|monaco|source ?code|fira ?code|jetbrains|andale",
    re.IGNORECASE,
)
_SYMBOLS = re.compile(r"dingbat|wingding|webding|marlett|marvosym|^msam|^symbol", re.IGNORECASE)
_MATH = re.compile(
    r"^(cmmi|cmsy|cmex|cmbsy|cmmib|msam|msbm|eufm|eusm|rsfs|wasy|stmary|bbm|txsy|txmi|rtxmi|rtxsy|pxsy|pxmi|mtmi|mtsy"
    r"|lmmathi|lmmathsy|lmmathex|mathpi|symbol|standardsym|esint|yhmath|euex|zeur|zeus|fplmr|fplmb|pazomath)"
    r"|math",
    re.IGNORECASE,
)


def font_named(name: str, *, flags: int, weight: int, angle: int) -> Font:
    """The font of this name.

    Args:
        flags: of the font's descriptor (ISO 32000-2, table 121).
        weight: 400 is regular, 700 is bold; derived from the width of the stems where the file has no number.
        angle: of its italics, in degrees.
    """
    plain = _SUBSET.sub("", name)
    math = _MATH.search(plain) is not None
    mono = not math and (bool(flags & FIXED_PITCH) or _MONO.search(plain) is not None)
    return Font(
        bold=not math and (_BOLD.search(plain) is not None or bool(flags & FORCE_BOLD) or weight >= BOLD_WEIGHT),
        italic=not math and (_ITALIC.search(plain) is not None or bool(flags & ITALIC) or angle != 0),
        mono=mono,
        math=math,
        symbols=_SYMBOLS.search(plain) is not None,
        tex=encoding_of(plain),
    )
