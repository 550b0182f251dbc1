"""Quoted numbers: in a question about texts and numbers of a program, quotation marks make a number a text."""

import re

_QUOTED = re.compile(r"""\s*["'“”„‘’«`]*["'“”„‘’«]\s*[-+]?\d[\d.,]*\s*["'“”‘’»]["'“”‘’»`]*\s*[.!?]*\s*""")
_SPEAKS_OF_TEXTS = re.compile(r"\b(?:texts?|strings?|str)\b", re.IGNORECASE)
_SPEAKS_OF_NUMBERS = re.compile(r"\b(?:numbers?|int|float)\b", re.IGNORECASE)


def may_be_text(answer: str, prompt: str) -> bool:
    """Whether the answer is a number in quotation marks, and the question is about a program's texts and numbers."""
    tells_apart = _SPEAKS_OF_TEXTS.search(prompt) is not None and _SPEAKS_OF_NUMBERS.search(prompt) is not None
    return tells_apart and "`" in prompt and _QUOTED.fullmatch(answer) is not None
