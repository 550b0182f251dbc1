"""Open answers and their grades: the Protocol of what keeps them, and how one look at an answer follows another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sprout.learning.marking.evidence import AnswerKind, OpenQuestion
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import merged
from sprout.learning.paths.shelf import Actor
from sprout.learning.text.words import one_line

MAX_FLAGS = 6
MAX_FLAG = 200
NOT_LOOKED_AT = "nobody has looked at it yet"
WORDS_FOR: dict[Remedy, str] = {
    Remedy.FOLLOW_UP: "Your answer can be read in two ways. Which idea do you stand by? Say it in other words.",
    Remedy.PERSON: "This could not be marked as it stands. Write it once more, with your answer to the question alone.",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """What a learner has drawn; `data` is base64."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer whose meaning is judged.

    Args:
        text: the learner's words; of a drawing the note beside it.
        picture: of a drawing, unless it is gone.
        grade: as it is kept so far.
    """

    id: str
    question_id: str
    question: OpenQuestion
    text: str
    kind: AnswerKind = "text"
    picture: Picture | None = None
    grade: Grade | None = None

    @property
    def waits(self) -> bool:
        """Whether a grader is to look at it."""
        return self.grade is None or self.grade.waits_for_a_look

    @property
    def can_be_seen(self) -> bool:
        return self.kind != "drawing" or self.picture is not None


class Gradebook(Protocol):
    """Owner-scoped: what is missing and what is somebody else's are the same NotFound."""

    async def answers(self, node_id: str, *, user_id: str, ids: Sequence[str] = ()) -> Sequence[OpenAnswer]:
        """The open answers with these ids, oldest first; without ids the newest to each question of the node's
        assessments. Those to questions that were taken back are left out. Raises NotFound."""
        ...

    async def keep(self, answer_id: str, sample: Grade, *, actor: Actor) -> Grade:
        """The grade that holds after the actor's run has looked at the answer, as `after_a_look` says. One transaction
        with the progress that follows, the events and, where the actor names a call, the end of that call.

        Raises NotFound.
        """
        ...

    async def flag(self, answer_id: str, why: str, *, actor: Actor) -> None:
        """Note what is odd about an answer; that changes no mark. Raises NotFound."""
        ...


def after_a_look(kept: Grade | None, sample: Grade, *, look: str) -> Grade:
    """The grade after a look that gave this sample.

    One that is settled stays, and so does what the same look has given before. An unsure one that waits for a second
    sample becomes what both give together. Flags are never lost.

    Args:
        look: the id of the run that looked.
    """
    if kept is None:
        return _seen(sample, (), look)
    if not kept.waits_for_a_look or look in kept.looks:
        return kept
    if kept.state is GradeState.UNGRADED:
        return _seen(_flagged(sample, kept.flagged), kept.looks, look)
    return _seen(_flagged(merged(kept, sample), kept.flagged), kept.looks, look)


def with_flag(kept: Grade | None, why: str) -> Grade:
    """The grade with one more thing that is odd, of which it keeps a few."""
    return _flagged(kept or ungraded(NOT_LOOKED_AT), (one_line(why)[:MAX_FLAG],))


def _seen(grade: Grade, earlier: Sequence[str], look: str) -> Grade:
    """The grade as that of this look too, with words for the learner where they are the next to do something."""
    looks = earlier if grade.state is GradeState.UNGRADED else (*earlier, look)
    words = WORDS_FOR.get(grade.remedy, "") if grade.remedy else ""
    return replace(grade, looks=tuple(looks), next_step=grade.next_step or words)


def _flagged(grade: Grade, more: Sequence[str]) -> Grade:
    return replace(grade, flagged=tuple(dict.fromkeys([*grade.flagged, *more]))[:MAX_FLAGS])
