"""Authored courses: YAML files beside this module, loaded, checked, and found by topic."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sprout.authored import read_yaml
from sprout.learning.text.words import one_line
from sprout.offline.lessons import Ask, Lesson, Part, WrongOption
from sprout.offline.plan import Idea, Item, Link, Plan, reachable, without_shortcuts

STEP_BY_STEP = "Step by step: "  # begins the title of a bridge to a subconcept

Title = Annotated[str, Field(min_length=2, max_length=90)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]


class Edge(Part):
    """`source` comes before `target`; both are titles of the same level."""

    source: Title
    target: Title
    why: Text


class Criterion(Part):
    label: Text
    statement: Text
    weight: float = Field(gt=0, le=1)
    partly_if: str | None = None
    misconception: str | None = None


class Question(Part):
    """An item; the right option of a choice item stands in `answer`, the three others in `wrong`."""

    prompt: Text
    format: Literal["mcq", "open_ended", "numeric"]
    answer: Text
    wrong: tuple[WrongOption, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    anchors: tuple[Text, ...] = Field(default=(), max_length=2)
    tolerance: float | None = Field(default=None, ge=0)
    unit: str | None = None
    diagnostic_values: dict[str, str] = Field(default_factory=dict)
    difficulty: int = Field(ge=1, le=5)
    tests: tuple[Title, ...] = Field(min_length=1, max_length=2)

    @model_validator(mode="after")
    def _fits_its_format(self) -> Self:
        options = [self.answer, *(wrong.option for wrong in self.wrong)]
        if self.format == "mcq" and (len(options) != 4 or len({option.casefold() for option in options}) != 4):
            raise ValueError(f"four different options are needed: {self.prompt!r}")
        if self.format == "open_ended":
            if not 2 <= len(self.criteria) <= 5:
                raise ValueError(f"two to five criteria are needed: {self.prompt!r}")
            if abs(sum(criterion.weight for criterion in self.criteria) - 1) > 1e-9:
                raise ValueError(f"the weights must sum to 1: {self.prompt!r}")
        if self.format == "numeric":
            float(self.answer)
        return self


class Subconcept(Part):
    title: Title
    desc: Text


class Concept(Part):
    title: Title
    desc: Text
    subconcepts: tuple[Subconcept, ...] = Field(min_length=8, max_length=10)
    edges: tuple[Edge, ...]
    items: tuple[Question, ...] = Field(min_length=6, max_length=10)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        titles = [sub.title for sub in self.subconcepts]
        _check_graph(titles, self.edges)
        for item in self.items:
            if unknown := set(item.tests) - set(titles):
                raise ValueError(f"{self.title}: an item tests {unknown}, which is no subconcept here")
        return self


class Course(Part):
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
    def _holds_together(self) -> Self:
        _check_graph([concept.title for concept in self.concepts], self.edges)
        return self


@cache
def courses() -> tuple[Course, ...]:
    """All authored courses. Raises pydantic's ValidationError for a file that breaks the format."""
    found = sorted(files("sprout.offline").joinpath("courses").iterdir(), key=lambda file: file.name)
    return tuple(
        Course.model_validate(read_yaml(file.read_text(encoding="utf-8")) | {"slug": file.name.removesuffix(".yaml")})
        for file in found
        if file.name.endswith(".yaml")
    )


@cache
def lessons(slug: str) -> tuple[Lesson, ...]:
    """All lessons of a course, in the order of its files; none where nobody has written any.

    Raises pydantic's ValidationError for a file that breaks the format.
    """
    folder = files("sprout.offline").joinpath("courses", slug)
    if not folder.is_dir():
        return ()
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    written = chain.from_iterable(read_yaml(file.read_text(encoding="utf-8")) for file in found)
    return tuple(Lesson.model_validate(lesson) for lesson in written)


def lesson_on(course: Course, subconcept_title: str) -> Lesson | None:
    """What the course teaches at a subconcept; None where it has no lesson of that title."""
    wanted = _plain(subconcept_title)
    return next((lesson for lesson in lessons(course.slug) if _plain(lesson.subconcept) == wanted), None)


def bridged_by(course: Course, bridge_title: str) -> Lesson | None:
    """The lesson on what a bridge leads to, whose title may have been cut; None where the title is no bridge's."""
    begin = _plain(bridge_title.removeprefix(STEP_BY_STEP)) if bridge_title.startswith(STEP_BY_STEP) else ""
    if not begin:
        return None
    return next((lesson for lesson in lessons(course.slug) if _plain(lesson.subconcept).startswith(begin)), None)


def ask_of(prompt: str) -> Ask | None:
    """The question of a lesson that is put in these words; None where no lesson of any course has it."""
    return _asks().get(one_line(prompt))


def course_on(topic: str) -> Course | None:
    """The course whose title or alias is the topic, or stands in it as whole words; None where there is none."""
    asked = _plain(topic)
    for course in courses():
        if any(f" {_plain(name)} " in f" {asked} " for name in chain([course.title], course.aliases)):
            return course
    return None


def path_of(course: Course) -> Plan:
    """The concepts of a course as a plan for the topic agent."""
    ideas = [Idea(concept.title, concept.desc) for concept in course.concepts]
    opening = f"I know a course on this: {course.title}."  # short: the first concept comes after it
    return Plan(opening, ideas, _links(course.edges), course.rationale)


def lesson_of(course: Course, concept_title: str) -> Plan | None:
    """The subconcepts and questions of one of its concepts; None where the course has no such concept."""
    concept = next((each for each in course.concepts if _plain(each.title) == _plain(concept_title)), None)
    if concept is None:
        return None
    ideas = [Idea(sub.title, sub.desc) for sub in concept.subconcepts]
    items = sorted((_item(question) for question in concept.items), key=lambda item: int(item.input["difficulty"]))
    opening = f"For “{concept.title}” the course has {len(ideas)} ideas and {len(items)} diagnostic questions."
    closing = f"“{concept.title}” is ready: the questions cover where it begins and where its ideas come together."
    return Plan(opening, ideas, _links(concept.edges), closing, items)


@cache
def _asks() -> dict[str, Ask]:
    steps = [step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps]
    return {one_line(ask.prompt): ask for step in steps for ask in (step.asks, step.again)}


def answer_to(prompt: str) -> str | None:
    """What the courses say is right where they ask this; None where none of them does."""
    return _answers().get(" ".join(prompt.split()))


@cache
def _answers() -> dict[str, str]:
    items = (item for course in courses() for concept in course.concepts for item in concept.items)
    steps = (step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps)
    asked: Iterator[Question | Ask] = chain(items, *((step.asks, step.again) for step in steps))
    return {" ".join(one.prompt.split()): one.answer for one in asked}


def _item(question: Question) -> Item:
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
    if question.format == "numeric":
        fields |= {"tolerance": question.tolerance or 0} | ({"unit": question.unit} if question.unit else {})
        fields["misconceptions"] = [
            {"option": value, "misconception": why} for value, why in question.diagnostic_values.items()
        ]
    return Item(fields)


def _sort_key(option: str) -> tuple[int, float, str]:
    """Numbers by size, words by letter: an order that says nothing about which option is right."""
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", option.replace(" ", "").rstrip("%"))
    return (0, float(number[0]), "") if number else (1, 0.0, option.casefold())


def _links(edges: tuple[Edge, ...]) -> list[Link]:
    return [Link(edge.source, edge.target, edge.why) for edge in edges]


def _check_graph(titles: list[str], edges: tuple[Edge, ...]) -> None:
    if len({title.casefold() for title in titles}) < len(titles):
        raise ValueError("titles must be unique")
    links = _links(edges)
    for link in links:
        if {link.source, link.target} - set(titles):
            raise ValueError(f"an edge names an unknown title: {link.source!r} → {link.target!r}")
        if link.source in reachable(link.target, links) or link.source == link.target:
            raise ValueError(f"a circle runs through {link.source!r}")
    if len(without_shortcuts(links)) < len(links):
        raise ValueError("an edge says what a longer way already implies")


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold().replace("’", "").replace("'", "")))
