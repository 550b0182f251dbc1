"""Roles that headings name: "Exercises", "Literaturverzeichnis", "Résumé"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sprout.learning.structure.titles import without_numbering
from sprout.learning.structure.words import alternatives, phrases, role_words
from sprout.learning.text.normalization import folded


class Role(StrEnum):
    """Role of a part of a document; objectives and summaries are to be read, but are no concepts."""

    CONTENT = "content"
    FURNITURE = "furniture"
    EXERCISES = "exercises"
    QUIZ = "quiz"
    ANSWERS = "answers"
    GLOSSARY = "glossary"
    OBJECTIVES = "objectives"
    SUMMARY = "summary"
    CAPTION = "caption"
    BOX = "box"


@dataclass(frozen=True, slots=True)
class NamedRole:
    """Role by a heading's words.

    Args:
        reason: in words for a learner: "table of contents".
        weak: the words have other meanings too, so that the text under them has to agree.
    """

    role: Role
    reason: str
    weak: bool = False


_REASONS = {"contents": "table of contents", "box": "box beside the text"}
_PARTS = re.compile(
    r"\s*(?:/|&|\+|,|\b(?:and|und|et|y|e|en|i|и|to|of|zu|zur|du|des|del|do|al)\b|\b(?:de )?l['’]|\bdell['’])\s*"
)
_NUMBER = re.compile(
    r"[\s:.#№(\[–—-]*(?:(?<![^\W\d_])n[ro.°º]{0,2}\s*)?(?:\d{1,3}(?:\.\d{1,3}){0,3}\s?[a-z]?|(?<=\s)(?:[ivx]{1,5}[a-z]?|[a-h](?:\.\d{1,2})?))"
    r"(?:\s?[-–]\s?\d[\d.]*| (?:à|a|to|bis|e|y|et|und|and) \d[\d.]*)?[)\]]?(?=$|[:.–—]|\s*[-–—:(\[])"
)
_ORDERED = re.compile(r"^(?:[\d ]+|[a-h][.)] )")
_LABEL = re.compile(r"[^\W\d_][^\d:.\n]{2,30}?(?:\s|n[.°º]{1,2})\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?\s?[).:–—]")
_BEFORE_DETAIL = re.compile(r"^([^:(–—]{2,60}?)\s*(?:[:(–—]|\s-\s)")
_ON_SUBJECT = re.compile(
    r"^((?:exercises|exercices|übungen|ejercicios|esercizi|exercícios|quiz)(?= (?:on|about|zu[mr]?|sobre|sur|su) .)|"
    r"(?:question[aá]rio|cuestionario)(?= (?:de|di|sobre|su) .))"
)
_OF_THIS = re.compile(
    r"^([^\W\d_]+(?: [^\W\d_]+)?) (?:of|for|de|di|zu) "
    r"(?:this|these|cette|cet|ce|ces|diese[mnrs]?|est[ea]s?|quest[oaie]) ."
)
_TESTED = re.compile(r"\\?<(?:question|variant|вопрос)", re.IGNORECASE)  # of a bank of questions for a testing program
_THANKS = re.compile(
    r"(?:thank you|thanks|(?:vielen )?dank|danke|merci|gracias|grazie|obrigad[oa])(?: \w+)* "
    r"(?:for|fürs?|pour|por|per|pela|pelo) .*"
)
_FOR_A_DAY = re.compile(
    r"(?:due|for) (?:on |next |this )?(?:mon|tues?|wed(?:nes)?|thu(?:r|rs)?|fri|satur|sun)(?:day)?\b.*"
)
_SUMMED_UP = re.compile(r"(?:[^\s:]+ ){1,3}(?:summary|recap)|(?:quick |short )?recap(?: \w+){1,4}")  # "Tom's summary"
_BOOKS = re.compile(
    r"(?:bibliograf[ií]a|bibliograph(?:y|ie)|bibliografie|literaturverzeichnis)"
    r"(?: (?!of|de|di|von|du|del|della|da|do)[^\W\d_]+){1,2}"
)  # "Bibliografía orientadora"
LONGEST_NAME = 80
_TESTING = frozenset({Role.EXERCISES, Role.QUIZ, Role.ANSWERS})


def named_role(title: str) -> NamedRole | None:
    """The role that a heading names, None for a heading of content."""
    if _TESTED.match(title):
        return NamedRole(Role.QUIZ, "quiz")
    bare = folded(without_numbering(title) or title).replace("’", "'").strip(" :.,;!*#–—-")
    bare = _ORDERED.sub("", bare) or bare  # a bare number or letter may be one of a row
    if not bare or len(bare) > LONGEST_NAME:
        return None
    if _THANKS.fullmatch(bare) or _FOR_A_DAY.fullmatch(bare):
        return NamedRole(Role.FURNITURE, "organisation")
    named = _by_name(bare) or _by_numbered_name(bare) or _by_detailed_name(bare) or _by_parts(bare)
    named = named or _by_two_words(bare)
    if named is None and _BOOKS.fullmatch(bare):
        return NamedRole(Role.FURNITURE, "references")
    return named or (NamedRole(Role.SUMMARY, "summary") if _SUMMED_UP.fullmatch(bare) else None)


def label_of(text: str) -> str:
    """The beginning of a paragraph that may name its kind: "Exercises" of "Exercises: p. 9", "Exercise 4)"."""
    opening = _LABEL.match(text)
    return opening[0] if opening else text.partition(":")[0]


def _by_name(bare: str) -> NamedRole | None:
    return _names().get(bare)


def _by_numbered_name(bare: str) -> NamedRole | None:
    """Role of "Exercise 3.2", "Exercise 4)" and "Exercise 3.2: limits"; the number makes weak words strong."""
    for number in _NUMBER.finditer(bare):
        if named := _names().get(bare[: number.start()]):
            return NamedRole(named.role, named.reason)
    return None


def _by_detailed_name(bare: str) -> NamedRole | None:
    """Role of "Exercises (optional)", "Exercises for chapter 3", "Exercises on cells" and "Aims of this course"."""
    patterns = (_BEFORE_DETAIL, _ON_SUBJECT, _OF_THIS, _for_chapter())
    detail = next((found for pattern in patterns if (found := pattern.match(bare))), None)
    named = _names().get(detail[1]) if detail else None
    return None if named and named.weak and ":" in bare else named


def _by_parts(bare: str) -> NamedRole | None:
    """Role of "References and further reading" and "Solution to exercise 3": the first's, where each part names one."""
    parts = _PARTS.split(bare)
    named = [_by_name(part) or _by_numbered_name(part) for part in parts] if 1 < len(parts) <= 4 else []
    return named[0] if named and all(named) else None


def _by_two_words(bare: str) -> NamedRole | None:
    """Role of "Solutions quiz on cells", whose first word and the next one or two name exercises or answers; one that
    has other meanings needs one beside it that has none."""
    opening, *others = bare.split()
    first, beside = _by_name(opening), _by_name(" ".join(others[:2])) or _by_name(" ".join(others[:1]))
    if first is None or beside is None or not {first.role, beside.role} <= _TESTING or (first.weak and beside.weak):
        return None
    return NamedRole(first.role, first.reason)


@cache
def _names() -> Mapping[str, NamedRole]:
    """Folded heading → its role."""
    names: dict[str, NamedRole] = {}
    for name, table in role_words()["headings"].items():
        role, reason = Role(table.get("role", name)), _REASONS.get(name, name)
        for weak in (True, False):
            for phrase in phrases(table.get("weak" if weak else "words", ())):
                names.setdefault(phrase.strip(" :.!*#–—-"), NamedRole(role, reason, weak))
    return names


@cache
def _for_chapter() -> re.Pattern[str]:
    chapters = alternatives(role_words()["numbering"]["chapters"])
    return re.compile(rf"^(.{{3,40}}?)\s+(?:\w{{1,4}}\s+){{0,2}}{chapters}(?!\w)", re.IGNORECASE)
