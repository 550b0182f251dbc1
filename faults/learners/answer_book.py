"""Answer book of the authored courses for scripted learners: right, half right and wrong answers."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from sprout.learning.lessons.help_ladder import GAP_LADDER
from sprout.learning.text.normalization import one_line
from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.course_format import Course, Question
from sprout.offline.courses.lesson_format import Lesson, LessonQuestion
from sprout.offline.demo.agents.outline import outline_lesson
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.content.study_skills import study_skills_lesson
from sprout.offline.demo.tutor.lesson import PreparedQuestion, TutorLesson


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    text: str
    misconception: str


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question with its possible answers.

    Args:
        idea: what has to be understood: a subconcept's title and the number of its step, from 0; of a diagnostic's
            question the titles that it tests.
        partial_answer: an incomplete answer in words; empty if there is none.
        contrast_case: the contrast case of its lesson.
        is_changed_form: whether it is the changed form of another question.
        is_gap: whether it is a worked case with one step left out.
    """

    prompt: str
    kind: str
    answer: str
    idea: tuple[str, ...]
    wrong: tuple[WrongAnswer, ...] = ()
    partial_answer: str = ""
    contrast_case: str = ""
    is_changed_form: bool = False
    is_gap: bool = False

    @property
    def given(self) -> int:
        """The level of help that the question itself holds."""
        return int(GAP_LADDER.given) if self.is_gap else 0

    @property
    def is_open(self) -> bool:
        return self.kind not in ("mcq", "numeric")


@cache
def known_questions() -> dict[str, KnownQuestion]:
    """Every question of every course, by its prompt on one line."""
    return {one_line(known.prompt): known for known in _all_questions()}


def find_question(prompt: str, *, concept_title: str = "") -> KnownQuestion:
    """Known facts about a question. Raises KeyError: no course contains it.

    Args:
        concept_title: of the concept that it is about, for one that the course does not have.
    """
    found = known_questions().get(one_line(prompt))
    return found or {one_line(one.prompt): one for one in _generic(concept_title)}[one_line(prompt)]


def equivalent_prompts(one: KnownQuestion) -> tuple[str, ...]:
    """The prompts, each on one line, that ask for the same step of a lesson: what helps with one helps with all."""
    return tuple(prompt for prompt, other in known_questions().items() if other.idea == one.idea) or (
        one_line(one.prompt),
    )


def dependent_subconcepts(course: Course, concept_title: str) -> dict[str, tuple[str, ...]]:
    """The subconcepts of a concept, each with those that build on it."""
    concept = next(each for each in course.concepts if each.title == concept_title)
    titles = [each.title for each in concept.subconcepts]
    return {title: tuple(edge.target for edge in concept.edges if edge.source == title) for title in titles}


def diagnostic_questions(course: Course, concept_title: str) -> tuple[Question, ...]:
    """The questions of a concept's diagnostic."""
    return next(each for each in course.concepts if each.title == concept_title).items


def prerequisite_gaps(course: Course) -> dict[str, frozenset[str]]:
    """In each concept a prerequisite that its diagnostic asks about, as it does about something that rests on it."""
    holes = {}
    for concept in course.concepts:
        tested = {title for item in concept.items for title in item.tests}
        after = dependent_subconcepts(course, concept.title)
        fit = [title for title, resting in after.items() if title in tested and tested & set(resting)]
        if fit:
            holes[fit[0]] = frozenset(after[fit[0]])
    return holes


def common_misconceptions(course: Course) -> frozenset[str]:
    """Of each concept the misconception that its questions can show most often."""
    return frozenset(
        next(iter(Counter(_beliefs(diagnostic_questions(course, concept.title))).most_common(1)))[0]
        for concept in course.concepts
    )


def _beliefs(items: Iterable[Question]) -> Iterator[str]:
    for item in items:
        yield from dict.fromkeys((*(wrong.misconception for wrong in item.wrong), *item.diagnostic_values.values()))


def _all_questions() -> Iterator[KnownQuestion]:
    for course in courses():
        for concept in course.concepts:
            yield from (_item(question) for question in concept.items)
        for lesson in lessons(course.slug):
            yield from _lesson(lesson)
    yield from _study_skills_questions(study_skills_lesson("this"))


def _item(question: Question) -> KnownQuestion:
    wrong = [WrongAnswer(one.option, one.misconception) for one in question.wrong]
    wrong += [WrongAnswer(value, belief) for value, belief in question.diagnostic_values.items()]
    kind = "code" if question.program_tests else question.format
    return KnownQuestion(question.prompt, kind, question.answer, question.tests, tuple(wrong))


def _lesson(lesson: Lesson) -> Iterator[KnownQuestion]:
    if gap := lesson_from_course(lesson).gap:
        wrong = tuple(WrongAnswer(option, "") for option, _ in gap.wrong)
        kind = "mcq" if gap.kind == "mcq" else "numeric"
        yield KnownQuestion(gap.prompt, kind, gap.answer, (lesson.subconcept, "0"), wrong, is_gap=True)
    for at, step in enumerate(lesson.steps):
        for ask, changed in ((step.asks, False), (step.again, True)):
            yield _ask(ask, (lesson.subconcept, str(at)), lesson.contrast.case, changed=changed)


def _ask(ask: LessonQuestion, idea: tuple[str, ...], case: str, *, changed: bool) -> KnownQuestion:
    wrong = [WrongAnswer(one.option, one.misconception) for one in ask.wrong]
    wrong += [WrongAnswer(value, belief) for value, belief in ask.diagnostic_values.items()]
    return KnownQuestion(ask.prompt, ask.kind, ask.answer, idea, tuple(wrong), ask.partial or "", case, changed)


def _generic(concept_title: str) -> Iterator[KnownQuestion]:
    for item in outline_lesson(concept_title).questions:
        yield KnownQuestion(item.input["prompt"], "open_ended", item.input["correct_answer"], tuple(item.tests))


def _study_skills_questions(teaching: TutorLesson) -> Iterator[KnownQuestion]:
    for at, chunk in enumerate(teaching.chunks):
        for task in chunk.questions:
            yield _task(task, ("how to study", str(at)), changed=task is chunk.changed_form)


def _task(task: PreparedQuestion, idea: tuple[str, ...], *, changed: bool) -> KnownQuestion:
    wrong = tuple(WrongAnswer(option, belief) for option, belief in task.wrong)
    return KnownQuestion(task.prompt, task.kind, task.answer, idea, wrong, is_changed_form=changed)
