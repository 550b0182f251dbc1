"""What a lesson needs to be loaded and kept: the values, and the Protocol of what does it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sprout.events import CardShown, Event, NodeRow
from sprout.learning.lessons.help import Ladder
from sprout.learning.lessons.lesson import Checkpoint, Plan, Posed
from sprout.learning.lessons.talk import ChatMessageRow, MessageKind
from sprout.learning.marking.grades import Grade
from sprout.learning.paths.shelf import Actor

MOST_MESSAGES = 40


@dataclass(frozen=True, slots=True)
class Prerequisite:
    title: str
    mastery: float
    mastered: bool


@dataclass(frozen=True, slots=True)
class Missed:
    """A question of the diagnostic that the learner did not get right, and what they were told."""

    prompt: str
    feedback: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What the diagnostic says of the learner; `score` (0..1) is None where nothing was answered."""

    score: float | None
    questions: int
    missed: tuple[Missed, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A conversation about a subconcept as it stands.

    Args:
        concept, topic: what the subconcept belongs to.
        following: titles of what builds on it.
        messages: the newest of the conversation, oldest first.
        asked: prompts posed in this subconcept so far, oldest first.
        attempts, mastery: what is known of the learner here; `mastered` is whether they can go on.
        unaided_right: how many questions of the lesson were answered right without help.
    """

    session_id: str
    user_id: str
    node: NodeRow
    concept: NodeRow
    topic: NodeRow
    following: tuple[str, ...]
    ended: bool
    pending: Posed | None
    plan: Plan
    messages: tuple[ChatMessageRow, ...]
    asked: tuple[str, ...]
    attempts: int
    mastery: float
    mastered: bool
    unaided_right: int

    def turn(self, run_id: str) -> ChatMessageRow | None:
        """The reply with which that run has ended its turn, if it has."""
        return next((one for one in self.messages if one.id == run_id), None)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that is kept; `grade` is None where only the meaning of its words can tell."""

    id: str
    grade: Grade | None


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """What a turn leaves behind, all in one transaction.

    Args:
        reply: the tutor's words, without the question.
        said: the learner's, as they were sent; None where the turn opens the lesson.
        question: the one that was pending before, with its ladder as it is now.
        stays: whether it is still pending.
        poses: what is asked now; only where nothing is pending.
        plan: as it is now; None leaves it.
        completes: whether the lesson is over.
        repeats: whether clients are shown the pending question again.
        passages: ids of those that the reply teaches from.
        events: what else is told of the turn.
    """

    reply: str
    kind: MessageKind
    said: str | None = None
    said_kind: MessageKind = "learning"
    question: Posed | None = None
    ladder: Ladder | None = None
    counted: str | None = None
    stays: bool = False
    poses: Checkpoint | None = None
    plan: Plan | None = None
    same_chunk: bool = False
    completes: bool = False
    repeats: bool = True
    passages: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """Something beside the conversation that is kept with the subconcept."""

    kind: Literal["example", "exercise", "diagram"]
    title: str
    body: str
    format: Literal["markdown", "mermaid", "svg"] = "markdown"
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a learner has drawn."""

    media_type: str
    data: bytes


class Tutoring(Protocol):
    """Owner-scoped: what is missing and what is somebody else's are the same NotFound.

    What names an actor is one transaction with its events and, where the actor names a call, the end of that call.
    """

    async def lesson(self, session_id: str, *, user_id: str) -> Lesson:
        """Raises NotFound, BadInput (the session has no subconcept)."""
        ...

    async def standing(self, lesson: Lesson) -> Standing:
        """What the diagnostic of the concept says, as far as it is about the subconcept or the whole."""
        ...

    async def prerequisites(self, lesson: Lesson) -> Sequence[Prerequisite]:
        """What the subconcept builds on."""
        ...

    async def attempt(
        self, question_id: str, *, text: str | None, option: str | None, level: int, actor: Actor
    ) -> Attempt:
        """Keep an attempt at the pending question, graded where code can; the newest one again is that one."""
        ...

    async def grade(self, answer_id: str, *, user_id: str) -> Grade | None:
        """The grade of an attempt as it is kept by now."""
        ...

    async def end(self, session_id: str, end: TurnEnd, *, actor: Actor) -> Posed | None:
        """End the turn of the actor's run, once: a second time changes nothing. The question that is pending then.

        Raises QuestionRefused (what would be asked), GraphRefused (a passage that the topic's documents do not have),
        Conflict (the session has ended, or another question is pending).
        """
        ...

    async def add_card(self, session_id: str, card: Card, *, actor: Actor) -> CardShown: ...

    async def raise_concern(self, session_id: str, text: str, *, actor: Actor) -> None:
        """Note that the learner seemed in distress, and show them who can help."""
        ...

    async def keep_drawing(self, session_id: str, drawing: Drawing, *, user_id: str) -> str:
        """The id under which it is kept."""
        ...

    async def drawing(self, drawing_id: str, *, user_id: str) -> Drawing:
        """Raises NotFound."""
        ...
