"""Cloze deletions of Anki: `{{c1::hidden::hint}}`, one within another too."""

import re
from dataclasses import dataclass, field

from sprout.documents.question_files.drafts import GAP

_MARK = re.compile(r"\{\{c(\d{1,4}(?:,\d{1,4}){0,20})::|\}\}")
_FORMULA = re.compile(r"\\\((?:[^\\]|\\[^)]){0,2000}\\\)|\\\[(?:[^\\]|\\[^\]]){0,2000}\\\]")
_GAP_IN_FORMULA = "\\underline{\\qquad}"


@dataclass(slots=True)
class _Open:
    """A deletion whose end is not reached; the text around all of them hides nothing."""

    numbers: frozenset[int] = frozenset()
    parts: list[str] = field(default_factory=list)


def cloze_numbers(html: str) -> list[int]:
    """The numbers of its deletions, each of which is a card."""
    return sorted({number for mark in _MARK.finditer(html) if mark[1] for number in _numbers(mark[1])})


def with_gap(html: str, number: int) -> tuple[str, list[str]]:
    """The text with a gap for the deletions of this number, and what they hide; the others are shown."""
    stack, hidden, at = [_Open()], list[str](), 0
    for mark in _MARK.finditer(html):
        stack[-1].parts.append(html[at : mark.start()])
        at = mark.end()
        if mark[1]:
            stack.append(_Open(_numbers(mark[1])))
        elif len(stack) > 1:
            closed = stack.pop()
            text, _, hint = "".join(closed.parts).partition("::")
            if number in closed.numbers:
                hidden.append(text)
                text = f"{GAP} ({hint})" if hint else GAP
            stack[-1].parts.append(text)
        else:
            stack[-1].parts.append(mark[0])
    stack[-1].parts.append(html[at:])
    whole = "".join(part for one in stack for part in one.parts)
    return _FORMULA.sub(lambda formula: formula[0].replace(GAP, _GAP_IN_FORMULA), whole), hidden


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split(",")))
