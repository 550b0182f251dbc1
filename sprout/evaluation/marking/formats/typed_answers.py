"""Typed answers: Sprout's own format, a YAML file of questions with answers and the verdicts of a person."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sprout.errors import BadInput
from sprout.evaluation.data_files import digest, parse_yaml
from sprout.evaluation.marking.answer_set import AnswerSet, AnswerSort, MarkedAnswer
from sprout.evaluation.suite import DataSource
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion, Misconception
from sprout.learning.text.normalization import one_line
from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.course_format import Question
from sprout.offline.courses.lesson_format import LessonQuestion

LEVELS = {"wrong": 0, "half": 1, "right": 2}
HIGHEST = 2

Words = Annotated[str, Field(min_length=1, max_length=8_000)]


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    says: Words
    verdict: Literal["right", "half", "wrong"]
    sort: AnswerSort = "unsorted"
    injected: tuple[Words, ...] = ()


class _CriterionText(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Words
    statement: Words
    weight: float = Field(gt=0, le=1)
    partly_if: str | None = None


class _Entry(BaseModel):
    """A question of a course by its prompt alone, or one of the file's own with its answer and criteria."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: Words
    answer: Words | None = None
    criteria: tuple[_CriterionText, ...] = Field(default=(), max_length=5)
    answers: tuple[_Given, ...] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Words
    licence: Words
    questions: tuple[_Entry, ...] = Field(min_length=1)


def read_typed_answers(text: str, path: Path) -> AnswerSet:
    """The answers of a file. Raises BadInput, which names the place at fault.

    An answer with `injected` stands once as it is, and once with each of these texts, in which `{answer}` is replaced
    by it.
    """
    file = parse_yaml(text, path, TypeAdapter(_File))
    found = [
        one
        for place, entry in enumerate(file.questions, start=1)
        for one in _answers(entry, f"q{place}", _question(entry, path))
    ]
    return AnswerSet(found, DataSource(file.name, file.licence, digest(text)))


def _answers(entry: _Entry, id_: str, asked: tuple[OpenQuestion | NumericQuestion, str]) -> list[MarkedAnswer]:
    question, prepared = asked
    found = []
    for place, one in enumerate(entry.answers, start=1):
        level, own_id = LEVELS[one.verdict], f"{id_}a{place}"
        found.append(MarkedAnswer(own_id, question, prepared, one.says, level, HIGHEST, "verdict", one.sort))
        for number, text in enumerate(one.injected, start=1):
            says = text.replace("{answer}", one.says)
            more = MarkedAnswer(
                f"{own_id}i{number}", question, prepared, says, level, HIGHEST, "verdict", "injected", own_id
            )
            found.append(more)
    return found


def _question(entry: _Entry, path: Path) -> tuple[OpenQuestion | NumericQuestion, str]:
    """The question of an entry, and an answer that is right."""
    if entry.answer is not None and entry.criteria:
        criteria = tuple(Criterion(one.label, one.statement, one.weight, one.partly_if) for one in entry.criteria)
        return OpenQuestion(entry.prompt, criteria, (entry.answer,)), entry.answer
    asked = _course_questions().get(one_line(entry.prompt))
    if asked is None:
        raise BadInput(
            f"{path}: no course asks {entry.prompt[:80]!r}; a question of the file's own needs `answer` and `criteria`"
        )
    return course_question(asked), asked.answer


def course_question(asked: Question | LessonQuestion) -> OpenQuestion | NumericQuestion:
    """A question of a course as it is marked."""
    if _is_numeric(asked):
        wrong = tuple(Misconception(value, belief) for value, belief in asked.diagnostic_values.items())
        return NumericQuestion(asked.prompt, asked.answer, asked.unit, asked.tolerance, wrong)
    criteria = tuple(Criterion(one.label, one.statement, one.weight, one.partly_if) for one in asked.criteria)
    anchors = asked.anchors if isinstance(asked, Question) else tuple(filter(None, (asked.partial,)))
    return OpenQuestion(asked.prompt, criteria, (asked.answer, *anchors)[:2])


@cache
def _course_questions() -> dict[str, Question | LessonQuestion]:
    """Numeric questions and those with criteria, of all courses, by their prompts on one line."""
    items: list[Question | LessonQuestion] = [
        item for course in courses() for concept in course.concepts for item in concept.items
    ]
    steps = [step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps]
    items += [asked for step in steps for asked in (step.asks, step.again)]
    return {one_line(one.prompt): one for one in items if one.criteria or _is_numeric(one)}


def _is_numeric(one: Question | LessonQuestion) -> bool:
    return (one.format if isinstance(one, Question) else one.kind) == "numeric"
