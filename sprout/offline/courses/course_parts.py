"""Parts of a course that are named by what a learner asks about, or have it in their texts."""

import re
from collections.abc import Iterator
from functools import lru_cache

from sprout.offline.courses.added_course import AddedCourses
from sprout.offline.courses.catalogue import MAX_CACHED, added_courses, lessons
from sprout.offline.courses.course_search import (
    Tokens,
    count_met,
    count_needs_met,
    is_rare,
    names_matter,
    needs_in,
    tokens_in,
)
from sprout.offline.courses.lesson_format import Lesson

HALF_OF_NEEDS = 0.5
_SIGN = re.compile(r"(?<!\S)[^\w\s.,;:?!\"'“”‘’`´()]{1,3}(?=[?.!,;:]*(?:\s|\Z))")
_CODE_MARK = re.compile("`")


def signs_in(text: str) -> set[str]:
    """The signs that stand alone in a text, such as "==": no marks of a sentence, and no quotation marks."""
    return {sign.rstrip("?.!,;:") for sign in _SIGN.findall(_CODE_MARK.sub("", text))}


def nearest_part(slug: str, subconcept: str, question: str) -> str:
    """Title of the part that has a sign of the question, or more than half of what it is about; of several the
    one that has most, then the nearest in the course. Empty where there is none.

    Args:
        subconcept: title of the open part.
    """
    titles = [one.subconcept for one in lessons(slug)]
    here = titles.index(subconcept) if subconcept in titles else 0
    signs, found = signs_in(question), list[tuple[int, int, str]]()
    for at, title in enumerate(titles):
        met, of_all = count_needs_met(slug, question, title)
        has_sign = not signs.isdisjoint(signs_in(title))
        if has_sign or met > HALF_OF_NEEDS * of_all:
            found.append((-met - len(signs & signs_in(title)), abs(at - here), title))
    return min(found)[2] if found else ""


def is_specific(slug: str, question: str) -> bool:
    """Return True if the question is about more than one thing, numbers aside, or about one that few lessons have."""
    words = [need for need in needs_in(slug, question) if not any(map(str.isdigit, need))]
    return bool(words) and (not words[0].intersection(*words) or is_rare(slug, words[0]))


def part_that_speaks_of(slug: str, subconcept: str, question: str) -> str:
    """Title of the part that has all that the question is about in one text: a question with its answer and solution,
    the summary or the contrast case. The open part comes first, then the nearest; empty where no part has it.
    """
    if not names_matter(slug, question):
        return ""
    needs = needs_in(slug, question)
    titles = [one.subconcept for one in lessons(slug)]
    here = titles.index(subconcept) if subconcept in titles else 0
    texts = _texts(slug, added_courses())
    found = [at for at, there in texts if count_met(needs, there) == len(needs)]
    return titles[min(found, key=lambda at: (abs(at - here), at))] if found else ""


@lru_cache(maxsize=MAX_CACHED)
def _texts(slug: str, added: AddedCourses) -> tuple[tuple[int, Tokens], ...]:
    """Subjects of each of these texts, with the place of its part; `added` are the courses in use."""
    return tuple((at, tokens_in(slug, text)) for at, lesson in enumerate(lessons(slug)) for text in _texts_of(lesson))


def _texts_of(lesson: Lesson) -> Iterator[str]:
    yield from (lesson.contrast.case, lesson.summary)
    for step in lesson.steps:
        yield from (f"{one.prompt} {one.answer} {one.because} {one.solution}" for one in (step.asks, step.again))
