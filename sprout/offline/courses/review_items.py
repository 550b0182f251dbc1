"""Review items of the courses: the questions of a part's lesson and their changed forms."""

from collections.abc import Iterator, Sequence

from sprout.errors import InvalidQuestion
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.offline.courses.added_course import NO_COURSES, AddedCourses
from sprout.offline.courses.catalogue import find_contrast, find_lesson, use_added_courses
from sprout.offline.courses.coverage import known_course
from sprout.offline.courses.lesson_format import LessonQuestion, solution_steps

DIFFICULTY = 3  # as in lessons


class CourseItems:
    """ItemSource of the built-in courses and those of a folder. Programs and drawings are left to lessons."""

    def __init__(self, added: AddedCourses = NO_COURSES) -> None:
        self._added = added

    def items(self, topic: str, concept: str, part: str) -> Sequence[QuestionDraft]:
        with use_added_courses(self._added):
            course = known_course(topic)
            lesson = None if course is None else find_lesson(course, part)
            asks = [] if lesson is None else [ask for step in lesson.steps for ask in (step.again, step.asks)]
        return tuple(_items(asks, part))


def _items(asks: Sequence[LessonQuestion], part: str) -> Iterator[QuestionDraft]:
    for ask in asks:
        if ask.kind in ("code", "draw"):
            continue
        try:
            yield validate_draft(_draft(ask, part))
        except InvalidQuestion:  # of an added course: its author learns of it when the folder is read
            continue


def _draft(ask: LessonQuestion, part: str) -> QuestionDraft:
    is_number = ask.kind == "numeric"
    wrong = (
        [(value, belief, value in ask.slips) for value, belief in ask.diagnostic_values.items()]
        if is_number
        else [(one.option, one.misconception, one.slip) for one in ask.wrong]
    )
    return QuestionDraft(
        prompt=ask.prompt,
        format="mcq" if ask.kind == "mcq" else "numeric" if is_number else "open_ended",
        correct_answer=ask.answer,
        difficulty=DIFFICULTY,
        tests=(part,),
        options=(ask.answer, *(one.option for one in ask.wrong)) if ask.kind == "mcq" else (),
        criteria=tuple(Criterion(**one.model_dump()) for one in ask.criteria),
        tolerance=ask.tolerance,
        unit=ask.unit,
        misconceptions=tuple(
            Misconception(option, belief, find_contrast(belief), is_slip) for option, belief, is_slip in wrong
        ),
        anchors=tuple(filter(None, [ask.answer, ask.partial])) if ask.criteria else (),
        accepted=ask.terms,
        solution=solution_steps(ask.solution),
    )
