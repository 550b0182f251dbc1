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
_OUT_OF = ("out", "of")  # the question's words, repeated: "out of 90"
# Of these it speaks who goes on to what is left of a whole, or to what both come to.
_REST = frozenset(
    "other others rest remaining remain remains left both together andere anderen übrig beide autres reste"
    " otros resto".split()
)
_SLACK = 1e-9


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
        are_shares = unit != "%" and all(value.unit == "%" or self._is_whole_of(value) for value in values)
        return goes_on and self._is_kept and (are_shares if values else len(rest) < len(self.rest))

    def _is_whole_of(self, share: Quantity) -> bool:
        """Whether the value is a share of this number: 60/90 of 90."""
        part = share.value * self.quantity.value
        return 0 < share.value < 1 and abs(part - round(part)) <= _SLACK * self.quantity.value

    def is_beside_others(self, prompt: str, unit: str | None) -> bool:
        """Whether a sentence says of each other number what it is, and that is what is left of a whole, or in words
        that the question has not: "92 %, 8 % are missed", "80 %; false alarms would be 5 %"."""
        known = stems([prompt])
        wholes = {100.0, *(one.quantity.value for one in iter_quantities(prompt, unit=unit))}
        if self._is_kept and self._rest_clauses(known, wholes):
            return True
        clauses = [clause for clause in _clauses(self.rest, _PAUSES) if _values_of(clause)]
        return (
            self._is_kept
            and self.is_paused_after
            and bool(clauses)
            and all(self._is_labelled(clause, known, wholes) for clause in clauses)
        )

    def leaves_unasked_rest(self, prompt: str, unit: str | None) -> bool:
        """Whether the other numbers are said of the rest, in no word of what the question asks: "15, so the other 85 %
        were against" where it asks who was for it."""
        wholes = {100.0, *(one.quantity.value for one in iter_quantities(prompt, unit=unit))}
        asking = _asking_sentence(prompt)
        if any(piece.text in _REST for piece in answer_pieces(asking)):
            return False
        asked = stems([asking])
        clauses = self._rest_clauses(stems([prompt]), wholes) if self._is_kept else []
        return bool(clauses) and all(_words_of(clause).isdisjoint(asked) for clause in clauses)

    def _rest_clauses(self, known: frozenset[str], wholes: set[float]) -> list[list[Piece]]:
        """The clauses with the other numbers, where the number's own clause says no more than the question does, and
        all others are of the rest; none otherwise."""
        ends = (*_PAUSES, *_CONCLUDES)
        at = next((at for at, piece in enumerate(self.rest) if piece.kind in ends), len(self.rest))
        own, counted = self.rest[:at], [clause for clause in _clauses(self.rest[at:], ends) if _values_of(clause)]
        is_own = not _values_of(own) and _words_of(own) <= known
        return counted if is_own and all(self._is_of_rest(clause, wholes) for clause in counted) else []

    def _is_of_rest(self, clause: Sequence[Piece], wholes: set[float]) -> bool:
        """Whether the clause speaks of what this number leaves of a whole, or of what both come to: "so the other 15 %
        were against", "both make 100"."""
        values = _values_of(clause)
        comes_to = len(values) == 1 and not wholes.isdisjoint((values[0], self.quantity.value + values[0]))
        return comes_to and any(piece.text in _REST for piece in clause)

    @property
    def _is_kept(self) -> bool:
        return all(piece.kind not in _LEAVES for piece in self.rest)

    def _is_labelled(self, clause: Sequence[Piece], known: frozenset[str], wholes: set[float]) -> bool:
        values, label = _values_of(clause), _words_of(clause)
        is_concluded = any(piece.kind in _CONCLUDES for piece in clause)
        is_left_over = len(values) == 1 and self.quantity.value + values[0] in wholes
        is_sentence = any(piece.kind in _INTRODUCES for piece in clause)
        return bool(label) and is_sentence and not is_concluded and (is_left_over or label.isdisjoint(known))


def first_number(answer: str, *, unit: str | None = None) -> FirstNumber | None:
    """The number that the answer begins with, or that a few words before it state; None without one."""
    pieces = answer_pieces(answer, unit=unit)
    at = next((at for at, piece in enumerate(pieces) if not _introduces(piece)), len(pieces))
    quantity = pieces[at].quantity if at < len(pieces) else None
    return None if quantity is None else FirstNumber(quantity, pieces[at + 1 :])


def denies_what_is_asked(answer: str, prompt: str, *, unit: str | None = None) -> bool:
    """Whether the answer's last number is said of those that are not what the question asks for: "8 % are not paid
    late"."""
    question = _asking_sentence(prompt)
    if any(piece.kind is Kind.NEGATION for piece in answer_pieces(question)):
        return False
    pieces = answer_pieces(answer, unit=unit)
    last = max((at for at, piece in enumerate(pieces) if piece.quantity is not None), default=len(pieces))
    clause = next(_clauses(pieces[last + 1 :], _PAUSES), [])
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


def _asking_sentence(prompt: str) -> str:
    return prompt.rstrip(" ?").rpartition(". ")[2]


def _introduces(piece: Piece) -> bool:
    return piece.kind in _INTRODUCES or (piece.kind is Kind.SHARE and piece.text in _OUT_OF)


def _clauses(pieces: Sequence[Piece], ends: Sequence[Kind]) -> Iterator[list[Piece]]:
    clause: list[Piece] = []
    for piece in pieces:
        if piece.kind in ends:
            yield from [clause] if clause else []
            clause = []
        else:
            clause.append(piece)
    yield from [clause] if clause else []


def _values_of(clause: Sequence[Piece]) -> list[float]:
    return [piece.quantity.value for piece in clause if piece.quantity is not None]


def _words_of(clause: Sequence[Piece]) -> frozenset[str]:
    """The content words of the clause, as stems."""
    return stems([" ".join(piece.text for piece in clause if piece.kind is Kind.WORD)])
