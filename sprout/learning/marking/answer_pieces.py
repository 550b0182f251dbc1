"""Pieces of an answer in which numbers are looked for: its numbers, its signs, and the words that say what they are."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files

from sprout.learning.marking.months import months
from sprout.learning.marking.number_words import with_digits
from sprout.learning.marking.quantities import PlacedQuantity, Quantity, iter_quantities
from sprout.learning.marking.units import normalize_spelling, parse_unit
from sprout.learning.text.confusables import plain

_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s?\{\s?(-?[\d.,]+)\s?\}\s?\{\s?([\d.,]+)\s?\}")
_LATEX = re.compile(r"\\(?:text|mathrm|mathbf|boxed)\s?\{([^{}]*)\}")
_LATEX_SIGN = re.compile(r"\\(?:times|cdot)\b")
_LATEX_LAYOUT = re.compile(r"\\[,;:! ]|\\(?:left|right|quad|approx)\b|\$(?!\d)|(?<=[\d}])\$")
_DATE = re.compile(r"\b\d{1,2}[./-] ?\d{1,2}[./-] ?(\d{4})\b")
_DAY = re.compile(
    r"\b(?:0?[1-9]|[12]\d|3[01])(?:\.|st|nd|rd|th)? (?=(?:of |de )?([^\W\d_]{3,12})\b(?! be\b))", re.IGNORECASE
)
_TIMES = re.compile(r"(?<=\d)(?<!\b0)x(?=\d)", re.IGNORECASE)  # 3x18, but not 0x18
_COUNTED = re.compile(r"(?<=\d) ([^\W\d_]{3,})(?= ?[*×·] ?\d)")
_BELOW_ZERO = re.compile(
    r"(?<![-\d.,])(\d[\d.,]*[^\d,;.!?]{0,12}?) (?:below zero|below 0|unter null|sous zéro|bajo cero|sotto zero"
    r"|abaixo de zero|onder nul|below freezing)\b",
    re.IGNORECASE,
)
_PLUS_MINUS = re.compile(r"(?:±|\\pm|\+/-)\s?(\d[\d.,/]*)")
_ENUMERATION = re.compile(r"(?:^|(?<=\n))\s{0,4}\(?\d{1,2}[.)](?=\s)")
_GAP = re.compile(
    r"(?P<equals>=+>?|[-–]>|[≈→⇒≙≃]|~)|(?P<operator>[*·×÷+^/-]| : |^:$)|(?P<negation>[≠<>≤≥])"
    r"|(?P<comma>,|(?<!\s):(?=\s))|(?P<end>[.!?;\n。！？…]+)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)"
)
_AT_LEAST = ("au", "al", "lo", "pelo")  # before "moins" and the like, which are no minus then
_TIMES_WORDS = ("times", "mal", "fois", "vezes", "keer", "maal", "razy")
_MINUS_WORDS = ("minus", "moins", "menos", "meno", "negative", "negativ", "min")


class Kind(StrEnum):
    """Kind of a piece; those from RESULT to COPULA are the words of `answer_words.toml`."""

    NUMBER = "number"
    WORKED = "worked"  # a number that is no result
    EQUALS = "equals"
    OPERATOR = "operator"
    COMMA = "comma"
    END = "end"
    OPEN = "open"
    CLOSE = "close"
    RESULT = "result"
    STEP = "step"
    REASON = "reason"
    ASIDE = "aside"
    CORRECTION = "correction"
    CHOICE = "choice"
    CONDITION = "condition"
    NEGATION = "negation"
    BOUND = "bound"
    LIMIT = "limit"
    SHARE = "share"
    STATEMENT = "statement"
    COPULA = "copula"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Piece:
    """A number with its sign, a sign, or one or more words."""

    kind: Kind
    quantity: Quantity | None = None
    text: str = ""


# Marking reads one answer and its question a dozen times.
_cached = lru_cache(maxsize=64)


@_cached
def plain_text(answer: str) -> str:
    """The answer with its numbers in digits and one spelling of each sign, without LaTeX, days of the month, the
    numbers of its lines and what a factor counts: "3000 nurses * 0.02"."""
    text = _TIMES.sub(" x ", answer).replace("{,}", ",").replace(">=", "≥").replace("<=", "≤").replace("->", "→")
    text = _PLUS_MINUS.sub(r"\1 or -\1", _LATEX_FRACTION.sub(r"\1/\2", text))
    if "\\" in text:
        text = text.replace("$", " ")
    text = _LATEX_LAYOUT.sub(" ", _LATEX_SIGN.sub("*", _LATEX.sub(r" \1 ", text)))
    if len(_ENUMERATION.findall(text)) > 1:
        text = _ENUMERATION.sub(" ", text)
    lines = [normalize_spelling(line) for line in text.splitlines()]
    read = with_digits("\n".join(line for line in lines if line))
    read = _COUNTED.sub(lambda found: found[0] if parse_unit(found[1]) else "", read)
    return _BELOW_ZERO.sub(r"-\1", _without_days(_DATE.sub(r"\1", read)))


def _without_days(text: str) -> str:
    return _DAY.sub(lambda found: "" if plain(found[1]) in months() else found[0], text)


@_cached
def answer_pieces(answer: str, *, unit: str | None = None) -> tuple[Piece, ...]:
    """The pieces of an answer in their order; `unit` is the question's."""
    text = plain_text(answer)
    pieces: list[Piece] = []
    at = 0
    for placed in iter_quantities(text, unit=unit):
        gap = text[at : placed.start]
        pieces += _gap_pieces(gap)
        pieces.append(_number(pieces, placed, touching=gap[-1:] in ("-", "+") or gap.endswith("- ")))
        at = placed.end
    return (*_by_neighbours(_phrases([*pieces, *_gap_pieces(text[at:])])),)


def _by_neighbours(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces with what only the neighbours tell: a hyphen is a dash, "over" a bound and "entre" a choice, but
    between numbers; "as" a reason there, and behind a comma. "Times" behind a number is left out where the clause ends:
    it says what is counted."""
    for at, piece in enumerate(pieces):
        ends = at + 1 == len(pieces) or pieces[at + 1].kind in (Kind.COMMA, Kind.END)
        if piece.text in _TIMES_WORDS and ends and at and pieces[at - 1].quantity is not None:
            continue
        sides = (*pieces[max(0, at - 1) : at], *pieces[at + 1 : at + 2])
        between = len(sides) == 2 and all(side.quantity is not None for side in sides)
        if piece.text == "-" and not between:
            yield replace(piece, kind=Kind.COMMA)
        elif piece.text == "as" and (between or (at and pieces[at - 1].kind is Kind.COMMA)):
            yield replace(piece, kind=Kind.REASON)
        elif piece.text == "over" and not between:
            yield replace(piece, kind=Kind.BOUND)
        elif piece.text == "entre" and between:
            yield replace(piece, kind=Kind.OPERATOR)
        elif piece.kind is Kind.CHOICE and len(piece.text) == 1 and not between:
            yield replace(piece, kind=Kind.WORD)
        else:
            yield piece


def _number(pieces: list[Piece], placed: PlacedQuantity, *, touching: bool) -> Piece:
    """The number with its sign, which is taken from the pieces: a minus is one unless another number is before it."""
    quantity = placed.quantity
    if pieces and ((pieces[-1].text in ("-", "+") and touching) or pieces[-1].text in _MINUS_WORDS):
        before = pieces[-2] if len(pieces) > 1 else None
        is_bound = before is not None and before.text in _AT_LEAST
        if before is None or (before.quantity is None and before.kind is not Kind.CLOSE and not is_bound):
            sign = pieces.pop()
            if sign.text != "+":
                quantity = replace(
                    quantity, value=-quantity.value, alternatives=tuple(-value for value in quantity.alternatives)
                )
    return Piece(Kind.NUMBER, quantity)


def _gap_pieces(gap: str) -> Iterator[Piece]:
    """The signs and words between two numbers, words not yet told apart."""
    for found in _GAP.finditer(gap):
        kind = found.lastgroup or "word"
        yield Piece(Kind(kind), text=found[0].strip().lower().replace("’", "'"))


def _phrases(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the words that mean something as one piece each, the longest phrase first."""
    joined: list[Piece] = []
    at = 0
    while at < len(pieces):
        found = next(
            (
                (kind, many)
                for many in range(min(_longest_phrase(), len(pieces) - at), 0, -1)
                if (kind := _meanings().get(tuple(piece.text for piece in pieces[at : at + many]))) is not None
            ),
            None,
        )
        if found is None:
            joined.append(pieces[at])
            at += 1
        else:
            joined.append(Piece(found[0], text=pieces[at].text))
            at += found[1]
    return joined


@cache
def _meanings() -> dict[tuple[str, ...], Kind]:
    """Phrase as its words → what it says of the numbers beside it."""
    table = tomllib.loads(files("sprout.learning.marking").joinpath("answer_words.toml").read_text(encoding="utf-8"))
    return {
        tuple(phrase.split()): Kind(kind)
        for kind, phrases in table.items()
        for phrase in phrases.replace("\n", "|").split("|")
        if phrase.strip()
    }


@cache
def _longest_phrase() -> int:
    return max(map(len, _meanings()))
