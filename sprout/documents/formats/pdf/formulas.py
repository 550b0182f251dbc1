"""Fractions and roots of a printed page, put together from their bars: "(x + 1)/2", "√(x + 1)"."""

import re
from collections.abc import Iterable, Sequence

from sprout.documents.formats.pdf.drawings import Area
from sprout.documents.formats.pdf.lines import find_rows
from sprout.documents.formats.pdf.tex_fonts import ROOT
from sprout.documents.formats.pdf.words import Font, Word

MOST_BARS = 400  # beyond them a page is a drawing
MOST_CHARACTERS, MOST_NAMES = 80, 2  # above a bar or below it; a name is a word of four letters
REACH = 1.42  # of the size: from a bar to what it belongs to; the next line of the text is farther
OVER, UNDER = (-1.15, 0.1), (0.4, REACH)
LEAST_GAP = 0.15  # of what stands over a bar; what is underlined stands closer
IN_ROOT = (0.2, REACH)
OVERHANG, DESCENT = 0.25, 0.25
TOUCHES = 0.22
LONGER = 1.5  # of the size, by which a bar may be longer than what it divides
BESIDE = 1.2
AXIS = (0.1, 0.5)  # of the size: how high a bar stands over the line of its formula
USUAL_AXIS = 0.28
ROW_OF_A_TABLE = 60.0  # points, within which the rules of a table have one length
_ATOM = re.compile(r"-?(?:\d+(?:[.,]\d+)?|[^\W\d_]{1,4}[′₀-₉⁰-⁹]*)|\([^()]*\)")
_NAME = re.compile(r"[^\W\d_]{4}")
_MATH = Font(math=True)


def with_formulas(words: Sequence[Word], bars: Sequence[Area]) -> list[Word]:
    """The words of a page, with each fraction and each root as one word on the line of its formula."""
    found = list(words)
    if len(bars) > MOST_BARS:
        return found
    for bar in sorted(bars, key=lambda bar: bar.width):  # what is inside comes first
        if _is_rule(bar, bars):
            continue
        read = _root(found, bar) or _fraction(found, bar)
        if read:
            parts, whole = read
            taken = set(map(id, parts))
            found = [*(word for word in found if id(word) not in taken), whole]
    return found


def _is_rule(bar: Area, bars: Iterable[Area]) -> bool:
    """Whether another one of the same length stands right over or under it, as in a table."""
    return any(
        abs(bar.x0 - other.x0) < 1 and abs(bar.x1 - other.x1) < 1 and 1 < abs(bar.top - other.top) < ROW_OF_A_TABLE
        for other in bars
    )


def _root(words: Sequence[Word], bar: Area) -> tuple[list[Word], Word] | None:
    signs = (word for word in words if word.text == ROOT and abs(word.x1 - bar.x0) <= OVERHANG * word.size)
    sign = next((word for word in signs if abs(word.base - bar.top) < REACH * word.size), None)
    inside = _side([word for word in words if word is not sign], bar, IN_ROOT)
    if sign is None or not inside:
        return None
    main = max(inside, key=lambda word: word.size)
    return [sign, *inside], _whole([sign, *inside], f"{ROOT}{_grouped(inside)}", main.base, main.size)


def _fraction(words: Sequence[Word], bar: Area) -> tuple[list[Word], Word] | None:
    above, below = _side(words, bar, OVER), _side(words, bar, UNDER)
    parts = [*above, *below]
    if not above or not below or any(map(_is_prose, (above, below))) or _is_underlined(above, bar):
        return None
    size = max(word.size for word in parts)
    width = max(max(word.x1 for word in side) - min(word.x0 for word in side) for side in (above, below))
    taken = set(map(id, parts))
    others = [word for word in words if id(word) not in taken]
    if bar.width > width + LONGER * size or any(_underlined_with(word, above, bar) for word in others):
        return None
    base, size = _line_of(others, bar) or (bar.top + USUAL_AXIS * size, size)
    text = f"{_grouped(above)}/{_grouped(below)}"
    return parts, _whole(parts, f"({text})" if _is_factor(others, bar, base) else text, base, size)


def _side(words: Sequence[Word], bar: Area, reach: tuple[float, float]) -> list[Word]:
    """The words between the ends of a bar within a distance, in the largest of their sizes; negative is over it."""
    within = [word for word in words if _is_between_ends(word, bar)]
    sizes = [word.size for word in within if _is_at(word, bar, reach, word.size)]
    return [word for word in within if _is_at(word, bar, reach, max(sizes))] if sizes else []


def _is_between_ends(word: Word, bar: Area) -> bool:
    slack = OVERHANG * word.size
    inside = bar.x0 - slack <= word.x0 and word.x1 <= bar.x1 + slack
    return inside and bar.x0 < (word.x0 + word.x1) / 2 < bar.x1


def _is_at(word: Word, bar: Area, reach: tuple[float, float], size: float) -> bool:
    base = word.base
    if word.font is _MATH:  # of its own parts that nearest to the bar
        base = word.bottom - DESCENT * size if reach is OVER else word.top + (1 - DESCENT) * size
    return reach[0] * size <= base - bar.top <= reach[1] * size


def _is_underlined(above: Sequence[Word], bar: Area) -> bool:
    main = max(above, key=lambda word: word.size)
    return bar.top - main.base < LEAST_GAP * main.size


def _underlined_with(word: Word, above: Sequence[Word], bar: Area) -> bool:
    """Whether a word goes on with the line over the bar: that underlines a part of it."""
    close = min(abs(word.x1 - bar.x0), abs(word.x0 - bar.x1)) < BESIDE * word.size
    return close and any(abs(word.base - other.base) < 0.1 * word.size for other in above)


def _is_factor(words: Iterable[Word], bar: Area, base: float) -> bool:
    """Whether a letter or a number touches the fraction, so that its end has to be seen."""
    return any(
        abs(word.base - base) < 0.1 * word.size
        and (
            (0 <= bar.x0 - word.x1 < TOUCHES * word.size and (word.text[-1].isalnum() or word.text[-1] == ")"))
            or (0 <= word.x0 - bar.x1 < TOUCHES * word.size and (word.text[0].isalnum() or word.text[0] == "("))
        )
        for word in words
    )


def _line_of(words: Iterable[Word], bar: Area) -> tuple[float, float] | None:
    """The line and the size of what stands right beside a bar."""
    low, high = AXIS
    beside = [
        (distance, word.base, word.size)
        for word in words
        if low * word.size <= word.base - bar.top <= high * word.size
        and (distance := max(bar.x0 - word.x1, word.x0 - bar.x1)) < BESIDE * word.size
    ]
    return min(beside)[1:] if beside else None


def _grouped(words: Sequence[Word]) -> str:
    text = " ".join(line.text for row in find_rows(words) for line in row)
    return text if _ATOM.fullmatch(text) else f"({text})"


def _is_prose(words: Sequence[Word]) -> bool:
    names = sum(_NAME.search(word.text) is not None for word in words if not word.font.math)
    return names > MOST_NAMES or sum(len(word.text) for word in words) > MOST_CHARACTERS


def _whole(parts: Sequence[Word], text: str, base: float, size: float) -> Word:
    x0, x1 = min(word.x0 for word in parts), max(word.x1 for word in parts)
    top, bottom = min(word.top for word in parts), max(word.bottom for word in parts)
    return Word(text, x0, x1, top, bottom, base, size, _MATH)
