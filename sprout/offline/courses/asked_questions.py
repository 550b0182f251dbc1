"""Asked questions of a course: what learners often ask about a part, found as question to question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import stem
from sprout.offline.courses.added_course import AddedCourses
from sprout.offline.courses.catalogue import MAX_CACHED, added_courses, lessons
from sprout.offline.courses.course_search import Tokens, count_met, has_term, needs_in, tokens_in
from sprout.offline.courses.lesson_format import Lesson

ALL_OF = 2  # needs of the asked question: of more than these one may be missing, in its own part
LEAST_ELSEWHERE = 2  # needs: one word that is no term picks no question of another part
SAME_QUESTION, SAME_WORDS, ALIKE, LEAST_ALIKE = 0.9, 0.75, 0.5, 0.34  # share of the words of both, little ones too
FEWEST_WORDS = 3  # of a clause
ALIKE_BY_ONE = 0.6  # where a single word is asked about

_CLAUSE_END = re.compile(r"[,;.?!]+(?:\s+|\Z)")
_NUMBER: Tokens = frozenset({"number"})  # any number
_FRACTION = re.compile(r"\d+\.\d+")
_APOSTROPHE = re.compile(r"(?<=\w)['’`´](?=\w)")
_KINDS = {  # the first that a question has
    "reason": re.compile(r"\b(?:why|how come|what for|reason)\b"),
    "person": re.compile(r"\b(?:who|whose|whom)\b"),
    "time": re.compile(r"\b(?:when did|when was|when were|(?:what|which) (?:year|date))\b"),
    "place": re.compile(r"\bwhere\b"),
    "number": re.compile(r"\bhow (?:many|much|long|old|often)\b"),
    "event": re.compile(r"\bhappen"),
}
_YES_OR_NO = re.compile(r"(?:yes|no)\b", re.IGNORECASE)
_ONLY_ALIKE = frozenset({"person", "time", "place", "number", "event"})


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """Answer to an asked question; `lesson` is the part that it stands in."""

    lesson: str
    says: str


@dataclass(frozen=True, slots=True)
class _Wording:
    """One wording of an asked question, and what it and its answer speak of."""

    answer: FoundAnswer
    kind: str
    words: frozenset[str]
    needs: tuple[Tokens, ...]
    about: Tokens

    def covers(self, needs: Sequence[Tokens]) -> bool:
        """Whether it speaks of all that is asked about, which is more than numbers."""
        is_on_matter = bool(self.needs) and any(need != _NUMBER for need in needs)
        return is_on_matter and count_met(needs, self.about) == len(needs)

    def likeness(self, words: frozenset[str]) -> float:
        """Share of the words of both, 0..1."""
        return 2 * len(words & self.words) / (len(words) + len(self.words))


def asked_answer(slug: str, subconcept: str, question: str) -> FoundAnswer | None:
    """The answer to the asked question that this one, or a clause of it, is in other words.

    Questions of the part itself come before those of others.
    """
    clauses = [clause for clause in _CLAUSE_END.split(question) if len(clause.split()) >= FEWEST_WORDS]
    found = (_answer_to(slug, subconcept, text) for text in (question, *clauses))
    return next(filter(None, found), None)


def _answer_to(slug: str, subconcept: str, question: str) -> FoundAnswer | None:
    words, kind = _words(question), _kind(question)
    needs, there = _needs(slug, question), _about(slug, question)
    fitting = list[tuple[bool, int, float, FoundAnswer]]()
    for one in _wordings(slug, added_courses()):
        is_other_kind = kind != one.kind and not _ONLY_ALIKE.isdisjoint((kind, one.kind))
        if is_other_kind or (kind == "reason" != one.kind and _YES_OR_NO.match(one.answer.says)):
            continue
        is_here, likeness, back = one.answer.lesson == subconcept, one.likeness(words), count_met(one.needs, there)
        if is_here:
            least = len(one.needs) if len(one.needs) <= ALL_OF else len(one.needs) - 1
            is_alike = likeness >= (LEAST_ALIKE if min(len(needs), len(one.needs)) > 1 else ALIKE_BY_ONE)
            fits = one.covers(needs) and is_alike and back >= least
            is_on_matter = any(need != _NUMBER for need in needs)
            fits = fits or likeness >= (SAME_QUESTION if is_on_matter else SAME_WORDS)
        else:
            is_on_term = likeness >= SAME_WORDS and any(map(has_term, needs))
            is_on_more = likeness >= ALIKE and min(len(needs), len(one.needs)) >= LEAST_ELSEWHERE
            is_alike = is_on_term or is_on_more
            fits = is_alike and back == len(one.needs) and _NUMBER not in one.needs and one.covers(needs)
        if fits:
            fitting.append((is_here, back, likeness, one.answer))
    return max(fitting, key=lambda found: found[:3])[3] if fitting else None


def _words(question: str) -> frozenset[str]:
    words = plain(_APOSTROPHE.sub("", _without_fractions(question))).split()
    return frozenset("number" if word.isdigit() else stem(word) for word in words)


def _needs(slug: str, question: str) -> tuple[Tokens, ...]:
    """Subjects of the question; its numbers stand for any."""
    found = needs_in(slug, _without_fractions(question))
    return tuple(dict.fromkeys(_NUMBER if any(map(str.isdigit, need)) else need for need in found))


def _about(slug: str, text: str) -> Tokens:
    found = tokens_in(slug, _without_fractions(text))
    return found | _NUMBER if any(map(str.isdigit, found)) else found


def _without_fractions(text: str) -> str:
    return _FRACTION.sub(" decimal ", text)


def _kind(question: str) -> str:
    text = plain(_APOSTROPHE.sub("", question))
    return next((name for name, pattern in _KINDS.items() if pattern.search(text)), "")


@lru_cache(maxsize=MAX_CACHED)
def _wordings(slug: str, added: AddedCourses) -> tuple[_Wording, ...]:
    """All wordings of a course; `added` are the courses in use."""
    return tuple(one for lesson in lessons(slug) for one in _of_lesson(slug, lesson))


def _of_lesson(slug: str, lesson: Lesson) -> list[_Wording]:
    return [
        _Wording(
            FoundAnswer(lesson.subconcept, asked.says),
            _kind(wording),
            _words(wording),
            _needs(slug, wording),
            _about(slug, f"{wording} {asked.says}"),
        )
        for asked in lesson.asked
        for wording in asked.asks
    ]
