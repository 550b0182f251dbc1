"""Signs of TeX's fonts, of which a file without a table of letters gives the place in the font instead.

Only places are read whose sign has no name that PDF programs know, and which no letter of such a font can mean: a prime
stands at the place of "0", a sum at that of "X". Fonts of text have ligatures at the places of control characters.
Source: the encodings OT1 and T1, OML, OMS and OMX, and AMS-Fonts.
"""

import re
from collections.abc import Mapping

SLASH = "\u0338"  # over the sign after it: "not"
ROOT = "√"

_LIGATURES = {
    **dict(enumerate(("ff", "fi", "fl", "ffi", "ffl"), 11)),
    **dict(enumerate(("ff", "fi", "fl", "ffi", "ffl"), 27)),
}
_SYMBOLS = {"0": "′", "6": SLASH, "h": "⟨", "i": "⟩", "b": "⌊", "c": "⌋", "d": "⌈", "e": "⌉", "k": "‖", "p": ROOT}
_LETTERS = {"`": "ℓ", "?": "⋆"}
_LARGE = {
    "p": ROOT, "q": ROOT, "r": ROOT, "s": ROOT, "P": "∑", "X": "∑", "Q": "∏", "Y": "∏", "R": "∫", "Z": "∫",
    "S": "⋃", "[": "⋃", "T": "⋂", "\\": "⋂", "z": "", "{": "", "|": "", "}": "",
}  # fmt: skip
_AMS_A = {"6": "≤", ">": "≥", "5": "≦", "=": "≧", ".": "≲", "&": "≳", ")": "∴", "*": "∵"}
_SIGNS: Mapping[str, Mapping[str, str]] = {"OMS": _SYMBOLS, "OML": _LETTERS, "OMX": _LARGE, "MSA": _AMS_A}
_FONTS = {
    "OMS": re.compile(r"^(?:cmb?sy|lmmathsy|txsy|pxsy|mtsy)(?!a)|-symbol-\d", re.IGNORECASE),
    "OML": re.compile(r"^(?:cmmi|lmmathi|txmi|pxmi|mtmi)|-mathitalic-\d", re.IGNORECASE),
    "OMX": re.compile(r"^(?:cmex|lmmathex|txex|pxex|mtex)|-extension-\d", re.IGNORECASE),
    "MSA": re.compile(r"^(?:msam|txsya|pxsya)", re.IGNORECASE),
}


def encoding_of(font: str) -> str:
    """The encoding of the font of this name; empty for most fonts."""
    return next((name for name, pattern in _FONTS.items() if pattern.search(font)), "")


def printed_signs(text: str, encoding: str) -> str:
    """The text with the signs that are printed in the place of what a program reads."""
    if not encoding:
        return text.translate(_LIGATURES)
    arrows = text.replace("7→", "↦") if encoding == "OMS" else text
    return "".join(_SIGNS[encoding].get(character, character) for character in arrows)
