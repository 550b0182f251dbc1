"""What the tutor is told at each turn: where the lesson stands, the open question, and what the marks say."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sprout.agents.fences import fenced, wrapped
from sprout.learning.lessons.help import HelpLevel, Ladder, NextStep
from sprout.learning.lessons.lesson import LABELS, Plan, Posed, TurnKind
from sprout.learning.lessons.memories import MemoryRow
from sprout.learning.lessons.tutoring import Lesson
from sprout.learning.marking.grades import Grade, GradeState, shown
from sprout.learning.questions.questions import MAX_ANSWER, MAX_OPTION, MAX_PROMPT

MAX_LINE = 300
MAX_TEXT = 2_000
MOST_ASKED = 40


@dataclass(frozen=True, slots=True)
class Marked:
    """What the learner's words have come to.

    Args:
        question: the one that was open before the turn; `ladder` is its ladder after it.
        attempt: the id of the attempt that was made.
        grade: of that attempt; None where there was none to grade, or nobody could.
    """

    question: Posed | None = None
    ladder: Ladder = Ladder()
    attempt: str | None = None
    grade: Grade | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def open(self) -> Posed | None:
        """The question that is still open."""
        return None if self.question is None or self.ladder.ended else self.question

    @property
    def settled(self) -> Posed | None:
        """The question that this turn has settled."""
        return self.question if self.question is not None and self.ladder.ended else None

    @property
    def may_be_shown(self) -> bool:
        return self.ladder.may_show_answer


def state_of(lesson: Lesson, kind: TurnKind, marked: Marked, memories: Sequence[MemoryRow]) -> str:
    """The server's words of a turn, as one element.

    Args:
        lesson: loaded after the attempt was marked.
    """
    plan: Plan = lesson.plan
    return wrapped(
        "state",
        wrapped("plan", *(fenced("can", line, limit=MAX_LINE) for line in plan.can)),
        wrapped("asked", *(fenced("question", prompt, limit=MAX_PROMPT) for prompt in lesson.asked[-MOST_ASKED:])),
        _pending(marked),
        _settled(marked),
        _marking(marked),
        _help(marked),
        *(fenced("memory", one.text, limit=MAX_LINE) for one in memories),
        *(fenced("note", note, limit=MAX_TEXT) for note in marked.notes),
        separator="\n",
        turn=kind.value,
        chunk=str(max(1, plan.chunk)),
        chunks=str(plan.chunks),
        attempts=str(lesson.attempts),
        mastery=f"{lesson.mastery:.2f}",
        may_complete="true" if lesson.mastered and marked.open is None else "false",
        unaided_right=str(lesson.unaided_right),
        missed=str(lesson.pending.missed if lesson.pending else 0),
    )


def _pending(marked: Marked) -> str:
    question = marked.open
    if question is None:
        return ""
    options = (
        fenced("option", f"{LABELS[at]}. {option.text}", limit=MAX_OPTION + 3)
        for at, option in enumerate(question.options)
    )
    return wrapped(
        "pending",
        fenced("prompt", question.prompt, limit=MAX_PROMPT),
        *options,
        type=question.kind,
        level=str(int(marked.ladder.level)),
        step=marked.ladder.step.value,
    )


def _settled(marked: Marked) -> str:
    question = marked.settled
    if question is None:
        return ""
    how: Literal["solved", "worked_through"] = "worked_through" if marked.may_be_shown else "solved"
    shown_parts = [fenced("prompt", question.prompt, limit=MAX_PROMPT)]
    if marked.may_be_shown:
        steps = question.checkpoint.solution or (question.checkpoint.draft.correct_answer,)
        shown_parts.append(fenced("solution", "\n".join(steps), limit=MAX_ANSWER))
    return wrapped("settled", *shown_parts, how=how, level=str(int(marked.ladder.level)))


def _marking(marked: Marked) -> str:
    if marked.attempt is None:
        return ""
    if marked.grade is None:
        return fenced("marking", "", limit=0, state="ungraded", correct="none", score="none")
    grade, seen = marked.grade, shown(marked.grade)
    graded = grade.state is GradeState.GRADED
    return wrapped(
        "marking",
        *(
            fenced("criterion", one.span, limit=MAX_TEXT, label=one.label, verdict=one.verdict or "unsure")
            for one in seen.criteria
        ),
        *(fenced("misconception", one, limit=MAX_TEXT) for one in grade.misconceptions if graded),
        fenced("next_step", seen.next_step, limit=MAX_TEXT),
        state=seen.state.value,
        correct="none" if seen.correct is None else str(seen.correct).lower(),
        score="none" if seen.score is None else f"{seen.score:.2f}",
    )


def _help(marked: Marked) -> str:
    question = marked.open
    if question is None:
        return ""
    match marked.ladder.step:
        case NextStep.SMALLER_QUESTION if question.checkpoint.smaller:
            return fenced("smaller", question.checkpoint.smaller, limit=MAX_TEXT)
        case NextStep.GIVE_HELP:
            text = due_help(question, marked.ladder.level)
            return fenced("help", text, limit=MAX_TEXT, level=str(int(marked.ladder.level))) if text else ""
        case _:
            return ""


def due_help(question: Posed, level: HelpLevel) -> str:
    """The prepared text of a level; nothing where there is none."""
    prepared = question.checkpoint.help
    return prepared[level - 1] if 0 < level <= len(prepared) else ""
