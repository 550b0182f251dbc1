"""Numbers set aside: those of an answer that are no result, since they are taken back, worked with or only bound it."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from sprout.learning.marking.answer_pieces import Kind, Piece
from sprout.learning.marking.quantities import Quantity
from sprout.learning.marking.units import parse_unit

_TO = (":", "to", "zu", "à", "a")  # odds
_JOINTS = ("and", "but")
_BETWEEN = ("between", "zwischen", "entre", "fra", "tra", "tussen", "między")
_MOST_WORDS = 4  # between a number and "out of": "20 of the younger cooks out of 200"


def after_correction(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces behind the last correction that stands between numbers."""
    for at in range(len(pieces) - 1, 0, -1):
        if pieces[at].kind is Kind.CORRECTION and has_number(pieces[:at]) and has_number(pieces[at:]):
            return [*pieces[at + 1 :]]
    return [*pieces]


def without_asides(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces but those in brackets behind a number; what is calculated with is none."""
    kept: list[Piece] = []
    depth = 0
    for piece in pieces:
        works = kept and kept[-1].kind is Kind.OPERATOR and not depth
        if piece.kind is Kind.OPEN and (depth or has_number(kept)) and not works:
            kept += [] if depth else [replace(piece, kind=Kind.COMMA)]
            depth += 1
        elif piece.kind is Kind.CLOSE and depth:
            depth -= 1
        elif not depth:
            kept.append(piece)
    return kept


def without_reasons(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces but the reasons that follow a number, up to the end of their sentences or a word such as "so"."""
    kept: list[Piece] = []
    skipping = False
    for piece in pieces:
        if piece.kind is Kind.REASON and has_number(kept):
            skipping = True
            kept.append(replace(piece, kind=Kind.END))
        elif skipping and piece.kind in (Kind.END, Kind.RESULT):
            skipping = False
        if not skipping:
            kept.append(piece)
    return kept


def parted_remarks(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Pieces without what is only said beside a number ("60, I also got 87 %"), and that, up to the end of its sentence
    or to a word such as "so"."""
    kept: list[Piece] = []
    beside: list[Piece] = []
    is_beside = False
    for piece in pieces:
        if piece.kind is Kind.ASIDE and has_number(kept):
            is_beside = kept[-1].kind in (Kind.COMMA, Kind.END) or piece.text in _JOINTS
        elif piece.kind in (Kind.END, Kind.RESULT, Kind.STEP) and piece.text not in _JOINTS:
            is_beside = False
        (beside if is_beside else kept).append(piece)
    return kept, beside


def without_shares(pieces: Sequence[Piece], unit: str | None) -> list[Piece]:
    """Pieces with "6 of 100" as one number that may also be their ratio, or is their percentage where that is asked
    for, and "6 % of 700" as what is worked with."""
    in_percent = unit is not None and parse_unit(unit) == parse_unit("%")
    kept = _without_things(pieces)
    for at in range(len(kept) - 2):
        first, between, second = kept[at : at + 3]
        if first.quantity is None or second.quantity is None or first.kind is Kind.WORKED:
            continue
        part, whole = first.quantity, second.quantity
        if between.kind is Kind.OPERATOR and between.text in _TO and whole.value in (1.0, 100.0):
            kept[at], kept[at + 1] = replace(first, quantity=_with_ratio(part, whole)), replace(between, kind=Kind.WORD)
        elif between.kind is not Kind.SHARE:
            continue
        elif in_percent and part.unit is None and 1 <= part.value <= whole.value:
            kept[at] = replace(first, quantity=Quantity(100 * part.value / whole.value, "%"))
        elif part.unit != "%" and 1 <= part.value < whole.value:
            kept[at] = replace(first, quantity=_with_ratio(part, whole))
        elif not (in_percent and at > 0 and kept[at - 1].kind is Kind.CHOICE):  # "5 % or 6 % of 360" leaves it open
            kept[at] = replace(first, kind=Kind.WORKED)
        kept[at + 2] = replace(second, kind=Kind.WORKED)
    return kept


def without_easy_shares(pieces: Sequence[Piece], given: Container[float]) -> list[Piece]:
    """Pieces with "10 % is 4" as what is worked with, unless the question gives that percentage."""
    kept = [*pieces]
    for at, (share, copula, part) in enumerate(zip(pieces, pieces[1:], pieces[2:], strict=False)):
        percentage = share.quantity.value if share.quantity is not None and share.quantity.unit == "%" else None
        if percentage is None or percentage in given or copula.kind is not Kind.COPULA:
            continue
        if part.quantity is not None and part.quantity.unit is None:
            kept[at], kept[at + 2] = replace(share, kind=Kind.WORKED), replace(part, kind=Kind.WORKED)
    return kept


def _without_things(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with "20 cooks out of 200" as "20 out of 200"."""
    kept: list[Piece] = []
    for piece in pieces:
        if piece.kind is Kind.SHARE and piece.text.startswith("out"):
            words = next((many for many in range(1, _MOST_WORDS + 1) if has_number(kept[-many - 1 : -many])), 0)
            if all(one.kind is Kind.WORD for one in kept[len(kept) - words :]):
                del kept[len(kept) - words :]
        kept.append(piece)
    return kept


def _with_ratio(part: Quantity, whole: Quantity) -> Quantity:
    """The part, which may also be meant as the ratio, and in "1 in 200" as the whole."""
    ratio = (part.value / whole.value,) if whole.value else ()
    return replace(part, alternatives=(*part.alternatives, *ratio, *((whole.value,) if part.value == 1 else ())))


def without_bounds(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with the numbers that only bound the result as worked with."""
    return [
        replace(piece, kind=Kind.WORKED) if piece.kind is Kind.NUMBER and is_bounded(pieces, at) else piece
        for at, piece in enumerate(_without_range(pieces))
    ]


def _without_range(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with both ends of a range as worked with where another number lies in it: "between 10 and 20, so 15"."""
    kept = [*pieces]
    for at, (between, low, joint, high) in enumerate(zip(pieces, pieces[1:], pieces[2:], pieces[3:], strict=False)):
        if between.text not in _BETWEEN or low.quantity is None or high.quantity is None or has_number([joint]):
            continue
        others = [one.quantity.value for one in (*pieces[:at], *pieces[at + 4 :]) if one.quantity is not None]
        if any(low.quantity.value < one < high.quantity.value for one in others):
            ends = (replace(low, kind=Kind.WORKED), joint, replace(high, kind=Kind.WORKED))
            kept[at : at + 4] = [replace(between, kind=Kind.WORD), *ends]
    return kept


def is_bounded(pieces: Sequence[Piece], at: int) -> bool:
    """Whether words such as "more than" stand before the number, or such as "at least" beside it."""
    if at and pieces[at - 1].kind in (Kind.BOUND, Kind.LIMIT):
        return True
    limited = len(pieces) > at + 1 and pieces[at + 1].kind is Kind.LIMIT
    return limited and not has_number(pieces[at + 2 : at + 3])


def without_worked(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with the numbers beside an operator, before an equals sign or behind a "not" as worked with."""
    bare = [at for at, piece in enumerate(pieces) if piece.kind not in (Kind.OPEN, Kind.CLOSE)]
    kept = [*pieces]
    for before, at, after in zip(bare, bare[1:], bare[2:], strict=False):
        sides = [side for side in (before, after) if pieces[side].quantity is not None]
        if pieces[at].kind is Kind.OPERATOR and len(sides) == 2:
            for side in sides:
                kept[side] = replace(pieces[side], kind=Kind.WORKED)
    for before, at in pairwise(bare):
        opened = any(piece.kind is Kind.OPEN for piece in pieces[before:at])
        if (
            pieces[at].kind is Kind.EQUALS
            and not opened
            and pieces[before].quantity is not None
            and has_number(pieces[at:])
        ):
            kept[before] = replace(kept[before], kind=Kind.WORKED)
        if pieces[before].kind is Kind.NEGATION and pieces[at].quantity is not None:
            kept[at] = replace(kept[at], kind=Kind.WORKED)
    return kept


def has_number(pieces: Iterable[Piece]) -> bool:
    return any(piece.quantity is not None for piece in pieces)
