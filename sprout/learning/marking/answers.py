"""Answers before grading: blank ones, truncation, and text that addresses the grader."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from sprout.learning.text.grader_directed import find_grader_directed
from sprout.learning.text.normalization import folded

MAX_GRADED = 8_000  # characters: four pages, more than any question asks for
MAX_NON_ANSWER = 100  # characters

ADDRESSES_GRADER = "addresses_grader"
SHARES_NOTHING = "shares_nothing"

_DRAWN = re.compile(r"\[drawing:([\w-]+)\]\s*")
_SENTENCE_END = re.compile(r"[.!?…](?=\s)|[。!?।]|\n")
_CLAUSE_END = re.compile(r"[,.!?;…]+")
_DIGITS_OR_WORD = re.compile(r"\d+|[^\W\d_]{4,}")
_NON_ANSWERS = """
    idk|dk|dunno|i dont know|i do not know|dont know|do not know|i dunno|no idea|no clue|not sure|im not sure
    i have no idea|i dont know sorry|sorry i dont know|n a|ich weiß nicht|ich weiß es nicht|weiß nicht|weiß ich nicht
    keine ahnung|kein plan|je ne sais pas|je sais pas|jsp|aucune idée|no sé|no lo sé|no se|ni idea|non lo so|non so
    boh|não sei|sei lá|ik weet het niet|weet ik niet|geen idee|nie wiem|не знаю|bilmiyorum|لا أعرف
    不知道|我不知道|わからない|わかりません|分からない|分かりません|모르겠어요|몰라요|몰라|मुझे नहीं पता|पता नहीं
    """.replace("\n", "|").split("|")


@dataclass(frozen=True, slots=True)
class GradedText:
    """The part of an answer that is graded: its beginning, and whether the rest was cut off."""

    text: str
    cut: bool = False


def split_drawing(answer: str) -> tuple[str | None, str]:
    """The id of the answer's drawing, if it has one, and the words beside it."""
    drawn = _DRAWN.match(answer)
    return (None, answer) if drawn is None else (drawn[1], answer[drawn.end() :])


def truncate_answer(answer: str, *, limit: int = MAX_GRADED) -> GradedText:
    """The answer, cut at the end of a sentence where it is longer than `limit` characters; else at a space, or hard,
    rather than lose more than half of them."""
    if len(answer) <= limit:
        return GradedText(answer)
    head = answer[:limit]
    ends = [found.end() for found in _SENTENCE_END.finditer(answer, 0, limit + 1) if found.end() <= limit]
    end = ends[-1] if ends and ends[-1] > limit // 2 else head.rfind(" ")
    return GradedText(head[:end] if end > limit // 2 else head, cut=True)


def says_nothing(answer: str) -> bool:
    """Whether the answer is empty, punctuation only, or only "I don't know" in one of the languages that we know it in.

    A guess after it ("idk, something with conduction?") says something.
    """
    if not any(_is_meaningful(character) for character in answer[:MAX_GRADED]):
        return True
    if len(answer) > MAX_NON_ANSWER:
        return False
    clauses = [bare for clause in _CLAUSE_END.split(answer) if (bare := _bare(clause))]
    return _bare(answer) in _BARE_NON_ANSWERS or all(clause in _BARE_NON_ANSWERS for clause in clauses)


def grader_directed_spans(answer: str) -> list[tuple[int, int]]:
    """Spans, as (start, end), in which the answer addresses its grader, gives orders or imitates a verdict.

    Such text is part of the answer and does not lower its mark. But words in it are no evidence, and a mark that came
    with it is checked twice. Disguised text has the span (0, 0). Only the first `MAX_GRADED` characters are read.
    """
    return [*find_grader_directed(answer[:MAX_GRADED])]


def shares_nothing(answer: str, known: Iterable[str]) -> bool:
    """Whether no number and no word of four letters in the answer stands in the texts that belong to its question.

    True of many honest answers, in another language above all: it is a reason to look again, never to mark down.
    """
    said = set(_DIGITS_OR_WORD.findall(folded(answer[:MAX_GRADED])))
    return not any(said & set(_DIGITS_OR_WORD.findall(folded(text))) for text in known)


def _is_meaningful(character: str) -> bool:
    """Not punctuation, space or a control character: a letter, a digit, or a sign such as < or →."""
    return unicodedata.category(character)[0] not in "PZC"


def _bare(text: str) -> str:
    """The text folded, without apostrophes and punctuation."""
    plain = folded(text.replace("'", "").replace("’", ""))
    return " ".join("".join(character if _is_meaningful(character) else " " for character in plain).split())


_BARE_NON_ANSWERS = frozenset(_bare(phrase) for phrase in _NON_ANSWERS if phrase.strip())
