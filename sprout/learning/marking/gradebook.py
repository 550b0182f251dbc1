"""Gradebook: open answers, their grades, and how the samples of several graders combine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sprout.learning.actor import Actor
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import merge_samples
from sprout.learning.marking.quotations import AnswerKind, OpenQuestion
from sprout.learning.text.normalization import one_line

MAX_FLAGS = 6
MAX_FLAG = 200
NOT_REVIEWED = "not looked at yet"
REMEDY_TEXTS: dict[Remedy, str] = {
    Remedy.FOLLOW_UP: "Your answer can be read in two ways. Which one do you mean? Please put it in other words.",
    Remedy.PERSON: "I couldn't mark this as it is. Please write it again, with only your answer to the question.",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A learner's drawing; `data` is base64."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer that is judged by its meaning.

    Args:
        text: the learner's words; for a drawing, the note beside it.
        picture: the drawing, unless it is gone.
        grade: the stored grade, if there is one.
    """

    id: str
    question_id: str
    question: OpenQuestion
    text: str
    kind: AnswerKind = "text"
    picture: Picture | None = None
    grade: Grade | None = None

    @property
    def awaits_grader(self) -> bool:
        """Whether a grader is to look at it."""
        return self.grade is None or self.grade.awaits_grader

    @property
    def has_content(self) -> bool:
        return self.kind != "drawing" or self.picture is not None


class Gradebook(Protocol):
    """Open answers and their grades, for one owner: what is missing or another learner's raises NotFound.

    What names an actor is one transaction with its events and, if the actor names a call, the end of that call. It
    raises Conflict (the call has ended already, or the run's epoch is an old one) and RunAlreadyEnded; nothing is
    written then.
    """

    async def answers(self, node_id: str, *, user_id: str, ids: Sequence[str] = ()) -> Sequence[OpenAnswer]:
        """The open answers with these ids, oldest first; without ids, the newest to each question of the node's
        assessments. Answers to voided questions are left out."""
        ...

    async def record(self, answer_id: str, sample: Grade, *, actor: Actor) -> Grade:
        """Record the sample of the actor's run, and update progress; returns the grade by `grade_after_look`."""
        ...

    async def flag(self, answer_id: str, why: str, *, actor: Actor) -> None:
        """Flag an answer as odd; no mark changes."""
        ...


def grade_after_look(current: Grade | None, sample: Grade, *, look: str) -> Grade:
    """The grade after a run has given this sample.

    A settled grade stays, and a run's second sample is ignored. An unsure grade that waits for a second sample becomes
    the combination of both. Flags are never lost.

    Args:
        look: the id of the run.
    """
    if current is None:
        return _with_look(sample, (), look)
    if not current.awaits_grader or look in current.looks:
        return current
    if current.state is GradeState.UNGRADED:
        return _with_look(_with_flags(sample, current.flagged), current.looks, look)
    return _with_look(_with_flags(merge_samples(current, sample), current.flagged), current.looks, look)


def with_flag(current: Grade | None, why: str) -> Grade:
    """The grade with one more flag, up to `MAX_FLAGS`."""
    return _with_flags(current or ungraded(NOT_REVIEWED), (one_line(why)[:MAX_FLAG],))


def _with_look(grade: Grade, earlier: Sequence[str], look: str) -> Grade:
    """The grade with this run among its looks, and a text for the learner if the next step is theirs."""
    looks = earlier if grade.state is GradeState.UNGRADED else (*earlier, look)
    words = REMEDY_TEXTS.get(grade.remedy, "") if grade.remedy else ""
    return replace(grade, looks=tuple(looks), next_step=grade.next_step or words)


def _with_flags(grade: Grade, more: Sequence[str]) -> Grade:
    return replace(grade, flagged=tuple(dict.fromkeys([*grade.flagged, *more]))[:MAX_FLAGS])
