"""Glossaries of the courses in use: those of the authored courses, and those of the operator's folder."""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

from pydantic import TypeAdapter

from sprout.learning.text.confusables import plain
from sprout.offline.courses.added_course import AddedCourses
from sprout.offline.courses.catalogue import GLOSSARY_FILE, MAX_CACHED, added_courses, lessons
from sprout.offline.courses.glossary_format import Glossary, Term, glossary_of
from sprout.offline.courses.lesson_format import Lesson
from sprout.yaml_loader import load_yaml


def glossary(slug: str) -> Glossary:
    """The glossary of a course; empty if it has none.

    Raises pydantic's ValidationError for a built-in file that breaks the format, ValueError if two terms share a name.
    """
    return _glossary(slug, added_courses())


@lru_cache(maxsize=MAX_CACHED)
def _glossary(slug: str, added: AddedCourses) -> Glossary:
    course = added.find(slug)
    terms = _built_in_terms(slug) if course is None else course.terms
    return glossary_of(terms, frozenset(chain.from_iterable(map(_words_of, lessons(slug)))) if terms else frozenset())


@cache
def _built_in_terms(slug: str) -> tuple[Term, ...]:
    file = files("sprout.offline").joinpath("courses", slug, GLOSSARY_FILE)
    if not file.is_file():
        return ()
    return TypeAdapter(tuple[Term, ...]).validate_python(load_yaml(file.read_text(encoding="utf-8")))


def _words_of(lesson: Lesson) -> Iterator[str]:
    for step in lesson.steps:
        for text in (step.says, step.asks.prompt, step.again.prompt):
            yield from plain(text).split()
