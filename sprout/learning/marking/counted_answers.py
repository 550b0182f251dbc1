"""Counted answers: "none of them", "two: 10 and 20", "60 because …" as the number that they state."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.marking.answer_pieces import Kind, Piece, answer_pieces
from sprout.learning.marking.number_words import ONLY, count_of, with_digits
from sprout.learning.marking.ordinals import ordinals
from sprout.learning.marking.quantities import Quantity
from sprout.learning.text.confusables import plain

HOW_MANY = re.compile(
    r"\b(?:how many|wie ?viele?|combien|cuánt[oa]s|quant[ei]|quant[oa]s|hoeveel|ile|kaç|сколько)\b", re.IGNORECASE
)
_NAMING = (Kind.NUMBER, Kind.WORD, Kind.COMMA, Kind.END, Kind.NEGATION, Kind.CLOSE)
_ONLY_THAT = re.compile(rf"\W*{ONLY} (?:the|der|die|das|le|la|el|il|o|a|de|het) (\w+)(?: one)?\b", re.IGNORECASE)
_COUNT_AND_NAMES = re.compile(
    rf"\W*(?:{ONLY} )?(\w{{1,6}})(?: of (?:them|these|those))? ?([:,(–—])\s*(.+)", re.DOTALL | re.IGNORECASE
)
_FIRST_BECAUSE = re.compile(
    r"(\W*\d[\d.,]*(?: ?[^\W\d_%]{1,12}| ?%)?)[,;:]? "
    r"(?:because|be[acu]{1,3}se|becasue|becaus|becouse|becose|bc|cuz|cos|cause|since|weil|denn|parce que|porque|perché"
    r") ",
    re.IGNORECASE,
)
_COUNT_AND_EACH = re.compile(
    r"\W*(\w{1,6}) ?[,:;–—-] ?(?:one|eine[nrs]?|une?|un[oa]) (?:for|of|is|with|per|each|für|pour|para|por)\b",
    re.IGNORECASE,
)
_JUST = re.compile(ONLY, re.IGNORECASE)
_EVEN_CHANCE = re.compile(r"\b(?:fifty|50) ?[-:/ ] ?(?:fifty|50)\b|\bhalbe[- ]halbe\b", re.IGNORECASE)
_OUT_OF_HOW_MANY = re.compile(r"\bout of how many\b|\bvon wie vielen\b", re.IGNORECASE)
_OF_WHOLE = re.compile(
    r"\W*(\w+) (?:out of|of|von|de|des|di|van) (?:the |den |der |les |los |las |all )?(\w+)\b(?! ?[%=])", re.IGNORECASE
)
_OUT_OF = re.compile(r"[^\d=]*?(\d{1,9}) ?/ ?(\d{1,9})[^\d=]*")
_PLACE = re.compile(
    r"(?:\A|\b(?:so|then|its|it['’]s|it is|be|comes|that['’]?s) )(?:the )?(\d{1,4})(?:st|nd|rd|th)(?: one)?\W*\Z",
    re.IGNORECASE,
)
_PLACED_ONE = re.compile(
    r"\W*(?:(?:so|then|its|it['’]s|it is|maybe|i think|i guess|i say) )*(?:the )?(\w+) one\W*", re.IGNORECASE
)
_WHICH = re.compile(
    r"(?:\A|[.?!:,]\s+)(?:\w+ )?(?:which|welche\w*|quel\w*|cuál\w*|quale|quali|qual|quais|welke|który|która|które)\b",
    re.IGNORECASE,
)
_ZERO = re.compile(
    r"\A\W*(?:zero|null|zéro|cero)\b(?! (?:clue|ideas?|ahnung|idee|plan|bock|lust|interest)\b)", re.IGNORECASE
)
_NO_ONE = re.compile(
    r"\W*(?:none|nobody|no one|not (?:a single )?one|keine[rs]?|niemand|aucune?|personne|ningun[oa]?|nadie|nessun[oa]?"
    r"|nenhuma?|ninguém|niemand|geen|żaden|żadna|никто)\b"
    r"(?: of (?:them|these|those)\b| von ihnen\b| d['’]entre (?:eux|elles)\b| de ell[oa]s\b)?"
    r"(?=\W*$|[,.;:!(–—-]| (?:because|since|if|as|when|weil|wenn|denn|da|parce|car|si|porque|pues|perché|se)\b)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"(?:\A|(?<=\s))(\d{1,2})[.)]\s+(?=[^\W\d])")
_RESULT_FIRST = re.compile(
    r"\s*(\d[\d.,]*) ?= ?([(\d][\d.,() ]*(?:(?:[-+*/x×·:]|% ?(?:of|von|de|di|van) )[\d.,() ]+)+)(?: ?[^\W\d_]{1,12})?"
    r"[\s.!]*"
)
_ITEM_END = re.compile(r",(?!\d)|[;&]|\b(?:and|und|et|y|e|en|i|и)\b", re.IGNORECASE)
_AND = re.compile(r"[,;&.]*|and|und|et|y|e|en|i|и", re.IGNORECASE)
_TELLS_APART = (Kind.RESULT, Kind.OPERATOR, Kind.CHOICE, Kind.SHARE)


def with_count(answer: str, prompt: str) -> str:
    """The answer with 0 for "zero" at its begin, 50/50 for "fifty-fifty", 60 for "60 because …" and for "60 = 15 + 45",
    6 for "so it's the 6th". "The second one" says nothing where the question is not which one it is.

    Where the question is how many there are, with 0 for "none of them", 1 for "only the second one" and 2 for "two: 10
    and 20" and "two, one for each".
    """
    answer = _EVEN_CHANCE.sub("50/50", _ZERO.sub("0", _without_numbering(answer)))
    if (one := _PLACED_ONE.fullmatch(answer)) and plain(one[1]) in ordinals() and not _WHICH.search(prompt):
        return ""
    if place := _PLACE.search(with_digits(answer)):
        return place[1]
    if first := _FIRST_BECAUSE.match(answer):
        return first[1]
    if first := _RESULT_FIRST.fullmatch(answer):
        return f"{first[2]} = {first[1]}"
    if not HOW_MANY.search(prompt):
        return answer
    of_whole = _OF_WHOLE.match(answer)
    if of_whole and not any(map(str.isdigit, answer[of_whole.end() :])):
        number = count_of(of_whole[2] if _OUT_OF_HOW_MANY.search(prompt) else of_whole[1])
        answer = answer if number is None else f"{number}{answer[of_whole.end() :]}"
    if (nothing := _NO_ONE.match(answer)) and not any(map(str.isdigit, answer)):
        return f"0{answer[nothing.end() :]}"
    if (each := _COUNT_AND_EACH.match(answer)) and (number := count_of(each[1])) is not None:
        return f"{number}"
    only, counted = _ONLY_THAT.match(answer), _COUNT_AND_NAMES.fullmatch(answer)
    if only and plain(only[1]) in ordinals():
        return f"1{answer[only.end() :]}"
    return counted[1] if counted and _names_as_many(*counted.groups()) else answer


def with_counted_part(result: Quantity, answer: str, prompt: str, given: frozenset[float]) -> Quantity:
    """The result, which may be 32 as well where the question is how many of its 80 there are and the answer 32/80."""
    found = _OUT_OF.fullmatch(answer) if HOW_MANY.search(prompt) else None
    if found is None or float(found[2]) not in given or int(found[1]) > int(found[2]):
        return result
    return replace(result, alternatives=(*result.alternatives, float(found[1])))


def names_what_is_counted(answer: str, prompt: str) -> bool:
    """Whether the answer to how many of some numbers there are is which they are, and nothing else: "50 and 499"."""
    pieces = answer_pieces(answer)
    values = [abs(piece.quantity.value) for piece in pieces if piece.quantity is not None]
    joined = all(
        piece.quantity is not None or _AND.fullmatch(piece.text.strip()) or _JUST.fullmatch(piece.text.strip())
        for piece in pieces
    )
    listed = {abs(piece.quantity.value) for piece in answer_pieces(prompt) if piece.quantity is not None}
    return bool(HOW_MANY.search(prompt)) and len(values) > 1 and joined and set(values) <= listed


def names_several(answer: str, prompt: str) -> bool:
    """Whether the answer ends with numbers side by side, none of them called its result: "a gives 2 and b gives 11",
    "u has 3, v has 2"."""
    pieces = answer_pieces(answer)
    places = [at for at, piece in enumerate(pieces) if piece.quantity is not None]
    if len(places) < 2 or any(piece.kind in _TELLS_APART or piece.text == "=" for piece in pieces):
        return False
    if sum(piece.kind is Kind.STEP for piece in pieces) not in (0, len(places)):
        return False  # one of them is what the others come to
    listed = {abs(piece.quantity.value) for piece in answer_pieces(prompt) if piece.quantity is not None}
    is_last = all(piece.kind in (Kind.END, Kind.CLOSE) for piece in pieces[places[-1] + 1 :])
    joint = [piece.text.strip() for piece in pieces[places[-2] + 1 : places[-1]]]
    last = pieces[places[-1]].quantity
    is_own = last is not None and abs(last.value) not in listed
    is_joined = is_own and any(text and _AND.fullmatch(text) for text in joint)
    return is_last and (is_joined or _says_same_of_two(pieces))


def _says_same_of_two(pieces: Sequence[Piece]) -> bool:
    """Whether the last two clauses are the same words but for one and the number: "u has 3, v has 2"."""
    clauses = list[list[Piece]]([[]])
    for piece in pieces:
        if piece.kind in (Kind.COMMA, Kind.END) or (piece.text and _AND.fullmatch(piece.text)):
            clauses.append([])
        else:
            clauses[-1].append(piece)
    one, other = [*([[]] * 2), *filter(None, clauses)][-2:]
    rows = [[piece.text for piece in clause] for clause in (one, other)]
    differing = [pair for pair in zip(*rows, strict=False) if len({*pair}) > 1]
    return (
        len(one) == len(other) > 2
        and len(differing) == 1
        and all(sum(piece.quantity is not None for piece in clause) == 1 for clause in (one, other))
    )


def _without_numbering(answer: str) -> str:
    """The answer without the numbers before its lines or items: "1. false 2. true so 1"."""
    numbering = [int(found[1]) for found in _NUMBERING.finditer(answer)]
    return (
        _NUMBERING.sub(" ", answer) if numbering == [*range(1, len(numbering) + 1)] and len(numbering) > 1 else answer
    )


def _names_as_many(count: str, mark: str, names: str) -> bool:
    """Whether as many items are named behind a count as it says; "2, 4 and 6" may be a list of its own."""
    pieces = answer_pieces(names)
    numbers = [piece for piece in pieces if piece.quantity is not None]
    if mark == "(" and not count.isdecimal() and count_of(count):
        return True
    if mark != "," and len([item for item in _ITEM_END.split(names) if item.strip()]) == count_of(count) != 1:
        return True
    return (
        all(piece.kind in _NAMING for piece in pieces)
        and len(numbers) == count_of(count)
        and not (mark == "," and count.isdecimal())
    )
