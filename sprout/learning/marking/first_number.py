"""First number: one that an answer begins with as a clause of its own, and what the rest of the answer says of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.marking.answer_pieces import Kind, Piece, answer_pieces
from sprout.learning.marking.quantities import Quantity, iter_quantities
from sprout.learning.text.stems import stems

_INTRODUCES = (Kind.STATEMENT, Kind.COPULA)
_PAUSES = (Kind.COMMA, Kind.END)
_CONCLUDES = (Kind.RESULT, Kind.STEP)
_LEAVES = (Kind.CORRECTION, Kind.CHOICE, Kind.CONDITION, Kind.EQUALS)
_ODDS_SIGNS = (":", "to", "zu", "contre", "à", "a")


@dataclass(frozen=True, slots=True)
class FirstNumber:
    """The first number of an answer, and the pieces behind it."""

    quantity: Quantity
    rest: Sequence[Piece]

    @property
    def is_paused_after(self) -> bool:
        """Whether a comma or the end of a sentence follows it."""
        return bool(self.rest) and self.rest[0].kind in _PAUSES and "?" not in self.rest[0].text

    def leads_to_other_kind(self, unit: str | None) -> bool:
        """Whether the rest only says what follows from it in another kind than the question's: "9, so 90 %", "12, which
        makes the odds 2 to 1"."""
        goes_on = self.is_paused_after or (bool(self.rest) and self.rest[0].kind in _CONCLUDES)
        rest = [*_without_odds(self.rest)]
        values = [piece.quantity for piece in rest if piece.quantity is not None]
        are_shares = unit != "%" and all(value.unit == "%" for value in values)
        return goes_on and self._is_kept and (are_shares if values else len(rest) < len(self.rest))

    def is_beside_others(self, prompt: str, unit: str | None) -> bool:
        """Whether a sentence says of each other number what it is, and that is what is left of a whole, or in words
        that the question has not: "92 %, 8 % are missed", "80 %; false alarms would be 5 %"."""
        known = stems([prompt])
        wholes = {100.0, *(one.quantity.value for one in iter_quantities(prompt, unit=unit))}
        clauses = [clause for clause in _clauses(self.rest) if any(piece.quantity is not None for piece in clause)]
        return (
            self._is_kept
            and self.is_paused_after
            and bool(clauses)
            and all(self._is_labelled(clause, known, wholes) for clause in clauses)
        )

    @property
    def _is_kept(self) -> bool:
        return all(piece.kind not in _LEAVES for piece in self.rest)

    def _is_labelled(self, clause: Sequence[Piece], known: frozenset[str], wholes: set[float]) -> bool:
        values = [piece.quantity.value for piece in clause if piece.quantity is not None]
        label = stems([" ".join(piece.text for piece in clause if piece.kind is Kind.WORD)])
        is_concluded = any(piece.kind in _CONCLUDES for piece in clause)
        is_left_over = len(values) == 1 and self.quantity.value + values[0] in wholes
        is_sentence = any(piece.kind in _INTRODUCES for piece in clause)
        return bool(label) and is_sentence and not is_concluded and (is_left_over or label.isdisjoint(known))


def first_number(answer: str, *, unit: str | None = None) -> FirstNumber | None:
    """The number that the answer begins with, or that a few words before it state; None without one."""
    pieces = answer_pieces(answer, unit=unit)
    at = next((at for at, piece in enumerate(pieces) if piece.kind not in _INTRODUCES), len(pieces))
    quantity = pieces[at].quantity if at < len(pieces) else None
    return None if quantity is None else FirstNumber(quantity, pieces[at + 1 :])


def denies_what_is_asked(answer: str, prompt: str, *, unit: str | None = None) -> bool:
    """Whether the answer's last number is said of those that are not what the question asks for: "8 % are not paid
    late"."""
    question = prompt.rstrip(" ?").rpartition(". ")[2]
    if any(piece.kind is Kind.NEGATION for piece in answer_pieces(question)):
        return False
    pieces = answer_pieces(answer, unit=unit)
    last = max((at for at, piece in enumerate(pieces) if piece.quantity is not None), default=len(pieces))
    clause = next(_clauses(pieces[last + 1 :]), [])
    at = next((at for at, piece in enumerate(clause) if piece.kind is Kind.NEGATION), len(clause))
    denied = stems([" ".join(piece.text for piece in clause[at + 1 :])])
    return bool(denied) and denied <= stems([question])


def _without_odds(pieces: Sequence[Piece]) -> Iterator[Piece]:
    at = 0
    while at < len(pieces):
        three = pieces[at : at + 3]
        is_odds = (
            len(three) == 3 and three[1].text in _ODDS_SIGNS and all(one.quantity is not None for one in three[::2])
        )
        if not is_odds:
            yield pieces[at]
        at += 3 if is_odds else 1


def _clauses(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    clause: list[Piece] = []
    for piece in pieces:
        if piece.kind in _PAUSES:
            yield from [clause] if clause else []
            clause = []
        else:
            clause.append(piece)
    yield from [clause] if clause else []
