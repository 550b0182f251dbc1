"""Authored courses: YAML files beside this module, loaded, checked, and found by topic."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sprout.learning.questions.program_tests import MAX_PROGRAM_TESTS
from sprout.learning.questions.questions import MAX_ACCEPTED
from sprout.offline.courses.lesson_format import (
    AuthoredModel,
    Lesson,
    LessonProgramTest,
    LessonQuestion,
    WrongOption,
)
from sprout.offline.graph_plan import Plan, PlannedEdge, PlannedNode, PlannedQuestion, reachable, transitive_reduction
from sprout.yaml_loader import load_yaml

BRIDGE_PREFIX = "Step by step: "  # begins the title of a bridge to a subconcept
GLOSSARY_FILE = "glossary.yaml"  # stands beside the lessons of a course

Title = Annotated[str, Field(min_length=2, max_length=90)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]


class Edge(AuthoredModel):
    """`source` comes before `target`; both are titles of the same level."""

    source: Title
    target: Title
    why: Text


class Criterion(AuthoredModel):
    label: Text
    statement: Text
    weight: float = Field(gt=0, le=1)
    partly_if: str | None = None
    misconception: str | None = None


class Question(AuthoredModel):
    """An item; the right option of a choice item stands in `answer`, the three others in `wrong`.

    Args:
        wrong: wrong options of a choice, or wrong terms.
        terms: for open_ended, the terms of up to five words that are right; criteria may be absent then.
        program_tests: for open_ended, runs that mark a program; criteria may be absent then.
    """

    prompt: Text
    format: Literal["mcq", "open_ended", "numeric"]
    answer: Text
    wrong: tuple[WrongOption, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    anchors: tuple[Text, ...] = Field(default=(), max_length=2)
    tolerance: float | None = Field(default=None, ge=0)
    unit: str | None = None
    diagnostic_values: dict[str, str] = Field(default_factory=dict)
    terms: tuple[Text, ...] = Field(default=(), max_length=MAX_ACCEPTED)
    program_tests: tuple[LessonProgramTest, ...] = Field(default=(), max_length=MAX_PROGRAM_TESTS)
    difficulty: int = Field(ge=1, le=5)
    tests: tuple[Title, ...] = Field(min_length=1, max_length=2)

    @model_validator(mode="after")
    def _check_format(self) -> Self:
        options = [self.answer, *(wrong.option for wrong in self.wrong)]
        if self.format == "mcq" and (len(options) != 4 or len({option.casefold() for option in options}) != 4):
            raise ValueError(f"four different options are needed: {self.prompt!r}")
        if (self.terms or self.program_tests) and self.format != "open_ended":
            raise ValueError(f"terms and program tests are for open questions: {self.prompt!r}")
        if self.format == "open_ended" and (self.criteria or not (self.terms or self.program_tests)):
            if not 2 <= len(self.criteria) <= 5:
                raise ValueError(f"two to five criteria are needed: {self.prompt!r}")
            if abs(sum(criterion.weight for criterion in self.criteria) - 1) > 1e-9:
                raise ValueError(f"the weights must sum to 1: {self.prompt!r}")
        if self.format == "numeric":
            float(self.answer)
        return self


class Subconcept(AuthoredModel):
    title: Title
    desc: Text


class Concept(AuthoredModel):
    title: Title
    desc: Text
    subconcepts: tuple[Subconcept, ...] = Field(min_length=8, max_length=10)
    edges: tuple[Edge, ...]
    items: tuple[Question, ...] = Field(min_length=6, max_length=10)

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        titles = [sub.title for sub in self.subconcepts]
        _check_graph(titles, self.edges)
        for item in self.items:
            if unknown := set(item.tests) - set(titles):
                raise ValueError(f"{self.title}: an item tests {unknown}, which is no subconcept here")
        return self


class Course(AuthoredModel):
    """`slug` is the name of its file, and of the folder with its lessons: a file for each concept."""

    slug: str
    title: Title
    aliases: tuple[Text, ...] = ()
    desc: Text
    level: Text
    rationale: Text
    concepts: tuple[Concept, ...] = Field(min_length=6, max_length=8)
    edges: tuple[Edge, ...]

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        _check_graph([concept.title for concept in self.concepts], self.edges)
        return self


@cache
def courses() -> tuple[Course, ...]:
    """All authored courses. Raises pydantic's ValidationError for a file that breaks the format."""
    found = sorted(files("sprout.offline").joinpath("courses").iterdir(), key=lambda file: file.name)
    return tuple(
        Course.model_validate(load_yaml(file.read_text(encoding="utf-8")) | {"slug": file.name.removesuffix(".yaml")})
        for file in found
        if file.name.endswith(".yaml")
    )


@cache
def lessons(slug: str) -> tuple[Lesson, ...]:
    """All lessons of a course, in the order of its files; empty if it has none.

    Raises pydantic's ValidationError for a file that breaks the format.
    """
    folder = files("sprout.offline").joinpath("courses", slug)
    if not folder.is_dir():
        return ()
    written_files = (file for file in folder.iterdir() if file.name.endswith(".yaml") and file.name != GLOSSARY_FILE)
    found = sorted(written_files, key=lambda file: file.name)
    written = chain.from_iterable(load_yaml(file.read_text(encoding="utf-8")) for file in found)
    return tuple(Lesson.model_validate(lesson) for lesson in written)


def find_lesson(course: Course, subconcept_title: str) -> Lesson | None:
    """Return the course's lesson on a subconcept; None if it has no lesson of that title."""
    wanted = _normalized(subconcept_title)
    return next((lesson for lesson in lessons(course.slug) if _normalized(lesson.subconcept) == wanted), None)


def find_bridged_lesson(course: Course, bridge_title: str) -> Lesson | None:
    """The lesson on what a bridge leads to, whose title may have been cut; None where the title is no bridge's."""
    begin = _normalized(bridge_title.removeprefix(BRIDGE_PREFIX)) if bridge_title.startswith(BRIDGE_PREFIX) else ""
    if not begin:
        return None
    return next((lesson for lesson in lessons(course.slug) if _normalized(lesson.subconcept).startswith(begin)), None)


def find_course(topic: str) -> Course | None:
    """The course whose title or alias is the topic, or occurs in it as whole words; None if there is none."""
    asked = _normalized(topic)
    for course in courses():
        if any(f" {_normalized(name)} " in f" {asked} " for name in chain([course.title], course.aliases)):
            return course
    return None


def path_plan(course: Course) -> Plan:
    """The concepts of a course as a plan for the topic agent."""
    ideas = [PlannedNode(concept.title, concept.desc) for concept in course.concepts]
    opening = f"I know a course on this: {course.title}."  # short: the first concept comes after it
    return Plan(opening, ideas, _planned_edges(course.edges), course.rationale)


def subconcept_plan(course: Course, concept_title: str) -> Plan | None:
    """The subconcepts and questions of one of its concepts; None where the course has no such concept."""
    concept = next((each for each in course.concepts if _normalized(each.title) == _normalized(concept_title)), None)
    if concept is None:
        return None
    ideas = [PlannedNode(sub.title, sub.desc) for sub in concept.subconcepts]
    items = sorted(
        (_planned_question(question) for question in concept.items), key=lambda item: int(item.input["difficulty"])
    )
    opening = f"For “{concept.title}” the course has {len(ideas)} ideas and {len(items)} diagnostic questions."
    closing = f"“{concept.title}” is ready: the questions cover where it begins and where its ideas come together."
    return Plan(opening, ideas, _planned_edges(concept.edges), closing, items)


def find_answer(prompt: str) -> str | None:
    """Return the correct answer in the courses to this prompt; None if no course contains it."""
    return _answers_by_prompt().get(" ".join(prompt.split()))


@cache
def _answers_by_prompt() -> dict[str, str]:
    items = (item for course in courses() for concept in course.concepts for item in concept.items)
    steps = (step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps)
    asked: Iterator[Question | LessonQuestion] = chain(items, *((step.asks, step.again) for step in steps))
    return {" ".join(one.prompt.split()): one.answer for one in asked}


def _planned_question(question: Question) -> PlannedQuestion:
    fields: dict[str, object] = {
        "prompt": question.prompt,
        "format": question.format,
        "correct_answer": question.answer,
        "difficulty": question.difficulty,
        "tests": list(question.tests),
    }
    if question.format == "mcq":
        options = [question.answer, *(wrong.option for wrong in question.wrong)]
        fields["options"] = sorted(options, key=_sort_key)
        fields["misconceptions"] = [wrong.model_dump() for wrong in question.wrong]
    if question.format == "open_ended":
        fields["criteria"] = [criterion.model_dump(exclude_none=True) for criterion in question.criteria]
        fields |= {"anchors": list(question.anchors)} if question.anchors else {}
    if question.terms:
        fields |= {"accepted": [*question.terms], "misconceptions": [wrong.model_dump() for wrong in question.wrong]}
    if question.program_tests:
        fields["program_tests"] = [test.model_dump(exclude_defaults=True) for test in question.program_tests]
    if question.format == "numeric":
        fields |= {"tolerance": question.tolerance or 0} | ({"unit": question.unit} if question.unit else {})
        fields["misconceptions"] = [
            {"option": value, "misconception": why} for value, why in question.diagnostic_values.items()
        ]
    return PlannedQuestion(fields)


def _sort_key(option: str) -> tuple[int, float, str]:
    """Numbers by size, words by letter: an order that says nothing about which option is right."""
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", option.replace(" ", "").rstrip("%"))
    return (0, float(number[0]), "") if number else (1, 0.0, option.casefold())


def _planned_edges(edges: tuple[Edge, ...]) -> list[PlannedEdge]:
    return [PlannedEdge(edge.source, edge.target, edge.why) for edge in edges]


def _check_graph(titles: list[str], edges: tuple[Edge, ...]) -> None:
    if len({title.casefold() for title in titles}) < len(titles):
        raise ValueError("titles must be unique")
    links = _planned_edges(edges)
    for link in links:
        if {link.source, link.target} - set(titles):
            raise ValueError(f"an edge names an unknown title: {link.source!r} → {link.target!r}")
        if link.source in reachable(link.target, links) or link.source == link.target:
            raise ValueError(f"a circle runs through {link.source!r}")
    if len(transitive_reduction(links)) < len(links):
        raise ValueError("an edge says what a longer way already implies")


def _normalized(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold().replace("’", "").replace("'", "")))
