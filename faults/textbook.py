"""What the authored courses say is right, half right and wrong, for learners who are code."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from sprout.learning.text.words import one_line
from sprout.offline.brains.generic import generic_lesson
from sprout.offline.brains.tutoring.from_nothing import taught_from_nothing
from sprout.offline.brains.tutoring.teaching import Task, Teaching
from sprout.offline.courses import Course, Question, courses, lessons
from sprout.offline.lessons import Ask, Lesson


@dataclass(frozen=True, slots=True)
class Wrong:
    text: str
    belief: str


@dataclass(frozen=True, slots=True)
class Known:
    """A question and what can be said to it.

    Args:
        idea: what has to be understood: a subconcept's title and the number of its step, from 0; of a diagnostic's
            question the titles that it tests.
        half: an answer in words that is not all of it; empty where there is none.
        case: the contrast case of its lesson.
        changed: whether it is the changed form of another question.
    """

    prompt: str
    kind: str
    answer: str
    idea: tuple[str, ...]
    wrong: tuple[Wrong, ...] = ()
    half: str = ""
    case: str = ""
    changed: bool = False

    @property
    def is_open(self) -> bool:
        return self.kind not in ("mcq", "numeric")


@cache
def textbook() -> dict[str, Known]:
    """Every question of every course, by its prompt on one line."""
    return {one_line(known.prompt): known for known in _all()}


def known(prompt: str, *, concept_title: str = "") -> Known:
    """What is known of a question. Raises KeyError where nobody has written it.

    Args:
        concept_title: of the concept that it is about, for one that the course does not have.
    """
    found = textbook().get(one_line(prompt))
    return found or {one_line(one.prompt): one for one in _generic(concept_title)}[one_line(prompt)]


def forms(one: Known) -> tuple[str, ...]:
    """The prompts, each on one line, that ask for the same step of a lesson: what helps with one helps with all."""
    return tuple(prompt for prompt, other in textbook().items() if other.idea == one.idea) or (one_line(one.prompt),)


def ideas_of(course: Course, concept_title: str) -> dict[str, tuple[str, ...]]:
    """The subconcepts of a concept, each with those that build on it."""
    concept = next(each for each in course.concepts if each.title == concept_title)
    titles = [each.title for each in concept.subconcepts]
    return {title: tuple(edge.target for edge in concept.edges if edge.source == title) for title in titles}


def items_of(course: Course, concept_title: str) -> tuple[Question, ...]:
    """The questions of a concept's diagnostic."""
    return next(each for each in course.concepts if each.title == concept_title).items


def holes_of(course: Course) -> dict[str, frozenset[str]]:
    """In each concept a prerequisite that its diagnostic asks about, as it does about something that rests on it."""
    holes = {}
    for concept in course.concepts:
        tested = {title for item in concept.items for title in item.tests}
        after = ideas_of(course, concept.title)
        fit = [title for title, resting in after.items() if title in tested and tested & set(resting)]
        if fit:
            holes[fit[0]] = frozenset(after[fit[0]])
    return holes


def beliefs_of(course: Course) -> frozenset[str]:
    """Of each concept the misconception that its questions can show most often."""
    return frozenset(
        next(iter(Counter(_beliefs(items_of(course, concept.title))).most_common(1)))[0] for concept in course.concepts
    )


def _beliefs(items: Iterable[Question]) -> Iterator[str]:
    for item in items:
        yield from {*(wrong.misconception for wrong in item.wrong), *item.diagnostic_values.values()}


def _all() -> Iterator[Known]:
    for course in courses():
        for concept in course.concepts:
            yield from (_item(question) for question in concept.items)
        for lesson in lessons(course.slug):
            yield from _lesson(lesson)
    yield from _on_studying(taught_from_nothing("this"))


def _item(question: Question) -> Known:
    wrong = [Wrong(one.option, one.misconception) for one in question.wrong]
    wrong += [Wrong(value, belief) for value, belief in question.diagnostic_values.items()]
    return Known(question.prompt, question.format, question.answer, question.tests, tuple(wrong))


def _lesson(lesson: Lesson) -> Iterator[Known]:
    for at, step in enumerate(lesson.steps):
        for ask, changed in ((step.asks, False), (step.again, True)):
            yield _ask(ask, (lesson.subconcept, str(at)), lesson.contrast.case, changed=changed)


def _ask(ask: Ask, idea: tuple[str, ...], case: str, *, changed: bool) -> Known:
    wrong = [Wrong(one.option, one.misconception) for one in ask.wrong]
    wrong += [Wrong(value, belief) for value, belief in ask.diagnostic_values.items()]
    return Known(ask.prompt, ask.kind, ask.answer, idea, tuple(wrong), ask.partial or "", case, changed)


def _generic(concept_title: str) -> Iterator[Known]:
    for item in generic_lesson(concept_title).items:
        yield Known(item.input["prompt"], "open_ended", item.input["correct_answer"], tuple(item.tests))


def _on_studying(teaching: Teaching) -> Iterator[Known]:
    for at, chunk in enumerate(teaching.chunks):
        for task in chunk.tasks:
            yield _task(task, ("how to study", str(at)), changed=task is chunk.again)


def _task(task: Task, idea: tuple[str, ...], *, changed: bool) -> Known:
    wrong = tuple(Wrong(option, belief) for option, belief in task.wrong)
    return Known(task.prompt, task.kind, task.answer, idea, wrong, changed=changed)
