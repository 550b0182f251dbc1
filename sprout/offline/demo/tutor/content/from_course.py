"""An authored lesson as the offline tutor teaches it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.language import detect_language
from sprout.offline.courses.catalogue import find_contrast
from sprout.offline.courses.lesson_format import (
    MOST_WORDS,
    Gap,
    Lesson,
    LessonCriterion,
    LessonQuestion,
    Step,
    solution_steps,
)
from sprout.offline.demo.tutor.lesson import Chunk, LessonSource, PreparedQuestion, TutorLesson
from sprout.offline.notes.language import CODES

ASKS_FOR_GAP = "A step of this is left out. What belongs in the gap?"
_FENCED = re.compile(r"```.*?```", re.DOTALL)


def lesson_from_course(lesson: Lesson, source: LessonSource = "course") -> TutorLesson:
    """An authored lesson."""
    return _build_lesson(lesson, source, tuple(_chunk(step) for step in lesson.steps))


def lesson_in_small_steps(lesson: Lesson) -> TutorLesson:
    """The lesson for who missed it in the diagnostic: from the widespread wrong idea on, the changed forms of its
    questions first, so that the lesson itself still has its own."""
    case = lesson.contrast.case
    first, *others = (_swap_variants(_chunk(step)) for step in lesson.steps)
    opening = replace(first, explanation=case) if len(case.split()) <= MOST_WORDS else first
    return _build_lesson(lesson, "course", (opening, *others))


def _build_lesson(lesson: Lesson, source: LessonSource, chunks: tuple[Chunk, ...]) -> TutorLesson:
    language = detect_language(" ".join(step.says for step in lesson.steps), among=CODES)
    return TutorLesson(
        source,
        chunks,
        lesson.summary,
        language,
        lesson.example.title,
        lesson.example.text,
        None if lesson.gap is None else _prepare_gap(lesson.gap, lesson.steps[0].can),
        lesson.contrast.idea,
        lesson.contrast.case,
        tuple(_sentences(lesson)),
    )


def _chunk(step: Step) -> Chunk:
    return Chunk(step.can, step.says, _prepare_question(step.asks, step.can), _prepare_question(step.again, step.can))


def _swap_variants(chunk: Chunk) -> Chunk:
    """The chunk with its question and the changed form of it in each other's place."""
    return replace(chunk, question=chunk.changed_form, changed_form=chunk.question)


def _prepare_question(ask: LessonQuestion, can: str) -> PreparedQuestion:
    numeric = ask.kind == "numeric"
    wrong = (
        tuple(ask.diagnostic_values.items())
        if numeric
        else tuple((wrong.option, wrong.misconception) for wrong in ask.wrong)
    )
    return PreparedQuestion(
        ask.prompt,
        "number" if ask.kind == "numeric" else ask.kind,
        ask.answer,
        can,
        wrong=wrong,
        slips=frozenset(ask.slips) if numeric else frozenset(one.option for one in ask.wrong if one.slip),
        contrasts={belief: case for _, belief in wrong if (case := find_contrast(belief))},
        criteria=tuple(_criterion(point) for point in ask.criteria),
        anchors=tuple(filter(None, [ask.answer, ask.partial])) if ask.criteria or ask.tests else (),
        tolerance=ask.tolerance or 0.0,
        unit=ask.unit or "",
        program_tests=tuple(ProgramTest(**test.model_dump()) for test in ask.tests),
        accepted=ask.terms,
        replies=ask.replies,
        help=tuple(ask.help),
        because=ask.because,
        solution=solution_steps(ask.solution),
    )


def gap_prompt(case: str) -> str:
    """The question that asks for the step that is left out of a case."""
    return f"{case.strip()}\n\n{ASKS_FOR_GAP}"


def _prepare_gap(gap: Gap, can: str) -> PreparedQuestion:
    return PreparedQuestion(
        gap_prompt(gap.case),
        "mcq" if gap.wrong else "number",
        gap.answer,
        can,
        wrong=tuple((option, "") for option in gap.wrong),
        unit=gap.unit or "",
        help=(gap.help,),
        because=gap.because,
        solution=(gap.filled,),
        is_gap=True,
    )


def _criterion(point: LessonCriterion) -> dict[str, Any]:
    return point.model_dump(exclude_none=True)


def _sentences(lesson: Lesson) -> Iterator[str]:
    """Sentences that the lesson explains with, without its programs and tables."""
    for text in (*(step.says for step in lesson.steps), lesson.contrast.case, lesson.example.text):
        lines = (line for line in _FENCED.sub("", text).splitlines() if "|" not in line)
        yield from (sentence for line in lines for sentence in sentences_of(re.sub(r"\s+", " ", line)))
