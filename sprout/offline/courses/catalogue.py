"""Catalogue of courses: the authored ones beside this module and those of the operator's folder, found by topic.

The courses of a folder belong to a model and not to the process: they are in use while that model answers.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

from sprout.learning.misconceptions.beliefs import belief_id
from sprout.offline.courses.added_course import NO_COURSES, AddedCourse, AddedCourses
from sprout.offline.courses.authored_plans import concepts_plan, parts_plan
from sprout.offline.courses.course_format import Course, Question
from sprout.offline.courses.lesson_format import Lesson, LessonQuestion
from sprout.offline.graph_plan import Plan, PlannedQuestion
from sprout.yaml_loader import load_yaml

BRIDGE_PREFIX = "Step by step: "  # begins the title of a bridge to a subconcept
GLOSSARY_FILE = "glossary.yaml"  # stands beside the lessons of a course
MAX_CACHED = 64

_in_use: ContextVar[AddedCourses] = ContextVar("added_courses", default=NO_COURSES)


@contextmanager
def use_added_courses(added: AddedCourses) -> Iterator[None]:
    """Offer these courses beside the built-in ones, within the block and its context alone."""
    token = _in_use.set(added)
    try:
        yield
    finally:
        _in_use.reset(token)


def added_courses() -> AddedCourses:
    """The courses in use beside the built-in ones."""
    return _in_use.get()


@cache
def courses() -> tuple[Course, ...]:
    """All built-in courses. Raises pydantic's ValidationError for a file that breaks the format."""
    found = sorted(files("sprout.offline").joinpath("courses").iterdir(), key=lambda file: file.name)
    return tuple(
        Course.model_validate(load_yaml(file.read_text(encoding="utf-8")) | {"slug": file.name.removesuffix(".yaml")})
        for file in found
        if file.name.endswith(".yaml")
    )


def all_courses() -> tuple[Course | AddedCourse, ...]:
    """The built-in courses, then those in use beside them."""
    return (*courses(), *added_courses().courses)


def lessons(slug: str) -> tuple[Lesson, ...]:
    """All lessons of a course, in the order of its files; empty if it has none.

    Raises pydantic's ValidationError for a built-in file that breaks the format.
    """
    added = added_courses().find(slug)
    return _built_in_lessons(slug) if added is None else added.lessons


@cache
def _built_in_lessons(slug: str) -> tuple[Lesson, ...]:
    folder = files("sprout.offline").joinpath("courses", slug)
    if not folder.is_dir():
        return ()
    written_files = (file for file in folder.iterdir() if file.name.endswith(".yaml") and file.name != GLOSSARY_FILE)
    found = sorted(written_files, key=lambda file: file.name)
    written = chain.from_iterable(load_yaml(file.read_text(encoding="utf-8")) for file in found)
    return tuple(Lesson.model_validate(lesson) for lesson in written)


def find_lesson(course: Course | AddedCourse, subconcept_title: str) -> Lesson | None:
    """Return the course's lesson on a subconcept; None if it has no lesson of that title."""
    wanted = normalized(subconcept_title)
    return next((lesson for lesson in lessons(course.slug) if normalized(lesson.subconcept) == wanted), None)


def find_bridged_lesson(course: Course | AddedCourse, bridge_title: str) -> Lesson | None:
    """The lesson on what a bridge leads to, whose title may have been cut; None where the title is no bridge's."""
    begin = normalized(bridge_title.removeprefix(BRIDGE_PREFIX)) if bridge_title.startswith(BRIDGE_PREFIX) else ""
    if not begin:
        return None
    return next((lesson for lesson in lessons(course.slug) if normalized(lesson.subconcept).startswith(begin)), None)


def find_course(topic: str) -> Course | AddedCourse | None:
    """The course whose title or alias is the topic, or occurs in it as whole words: the one with the longest such name.

    None if there is none. Whether a topic is *about* the course is for `coverage.known_course` to say.
    """
    asked = f" {normalized(topic)} "
    named = [(len(name), course) for course in all_courses() for name in names_of(course) if f" {name} " in asked]
    return max(named, key=lambda found: found[0])[1] if named else None


def names_of(course: Course | AddedCourse) -> tuple[str, ...]:
    """Title and aliases of a course, normalized; none is empty."""
    return tuple(name for name in map(normalized, (course.title, *course.aliases)) if name)


def path_plan(course: Course | AddedCourse) -> Plan:
    """The concepts of a course as a plan for the topic agent."""
    return course.path if isinstance(course, AddedCourse) else concepts_plan(course)


def subconcept_plan(course: Course | AddedCourse, concept_title: str) -> Plan | None:
    """The subconcepts and questions of one of its concepts; None where the course has no such concept."""
    wanted = normalized(concept_title)
    if isinstance(course, AddedCourse):
        return next((parts for title, parts in course.parts.items() if normalized(title) == wanted), None)
    concept = next((each for each in course.concepts if normalized(each.title) == wanted), None)
    return None if concept is None else _with_contrasts(parts_plan(concept))


def find_contrast(statement: str) -> str | None:
    """The case in a lesson that contradicts the belief; None if it is the subject of no contrast."""
    wanted = belief_id(statement)
    return _built_in_contrasts().get(wanted) or _added_contrasts(added_courses()).get(wanted)


@cache
def _built_in_contrasts() -> Mapping[str, str]:
    return _cases(courses(), _built_in_lessons)


@lru_cache(maxsize=MAX_CACHED)
def _added_contrasts(added: AddedCourses) -> Mapping[str, str]:
    return _cases(added.courses, lessons)


def _cases(found: Iterable[Course | AddedCourse], lessons_of: Callable[[str], tuple[Lesson, ...]]) -> Mapping[str, str]:
    contrasts = (
        contrast
        for course in found
        for contrast in (*course.contrasts, *(lesson.contrast for lesson in lessons_of(course.slug)))
    )
    return {belief_id(contrast.idea): contrast.case for contrast in contrasts}


def _with_contrasts(plan: Plan) -> Plan:
    """The plan with a contrast case beside each misconception that has one."""
    return replace(plan, questions=[PlannedQuestion(_with_contrast(item.input)) for item in plan.questions])


def _with_contrast(question: Mapping[str, Any]) -> dict[str, Any]:
    wrong = question.get("misconceptions")
    if not wrong:
        return dict(question)
    cases = [find_contrast(one["misconception"]) for one in wrong]
    named = [one | ({"contrast": case} if case else {}) for one, case in zip(wrong, cases, strict=True)]
    return {**question, "misconceptions": named}


def find_answer(prompt: str) -> str | None:
    """Return the correct answer in the courses to this prompt; None if no course contains it."""
    wanted = _one_line(prompt)
    return _built_in_answers().get(wanted) or _added_answers(added_courses()).get(wanted)


@cache
def _built_in_answers() -> Mapping[str, str]:
    items = (item for course in courses() for concept in course.concepts for item in concept.items)
    asked: Iterator[Question | LessonQuestion] = chain(
        items, *(_lesson_questions(_built_in_lessons(course.slug)) for course in courses())
    )
    return {_one_line(one.prompt): one.answer for one in asked}


@lru_cache(maxsize=MAX_CACHED)
def _added_answers(added: AddedCourses) -> Mapping[str, str]:
    asked = (one for course in added.courses for one in _lesson_questions(course.lessons))
    plans = (plan for course in added.courses for plan in course.parts.values())
    return {_one_line(one.prompt): one.answer for one in asked} | {
        _one_line(str(item.input["prompt"])): str(item.input["correct_answer"])
        for plan in plans
        for item in plan.questions
    }


def _lesson_questions(found: tuple[Lesson, ...]) -> Iterator[LessonQuestion]:
    return (question for lesson in found for step in lesson.steps for question in (step.asks, step.again))


def normalized(text: str) -> str:
    """The words of the text in small letters, without apostrophes and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold().replace("’", "").replace("'", "")))


def _one_line(text: str) -> str:
    return " ".join(text.split())
