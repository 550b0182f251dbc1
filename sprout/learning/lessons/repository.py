"""Lesson repository: lessons, attempts, the ends of turns, cards and drawings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from sprout.events import CardShown, Event, NodeRow, ReadingShown
from sprout.learning.actor import Actor
from sprout.learning.lessons.checkpoints import AskedCheckpoint, LessonCheckpoint
from sprout.learning.lessons.conversations import ChatMessageRow, MessageKind
from sprout.learning.lessons.help_ladder import HelpLadder
from sprout.learning.lessons.lesson_plan import LessonPlan
from sprout.learning.lessons.turn import LearnerInput, extract_explanation, parse_input
from sprout.learning.marking.grades import Grade
from sprout.learning.misconceptions.repository import HeldBelief
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.text.language import detect_language

MAX_MESSAGES = 40


@dataclass(frozen=True, slots=True)
class Prerequisite:
    title: str
    mastery: float
    learned: bool


@dataclass(frozen=True, slots=True)
class MissedQuestion:
    """A question of the diagnostic that the learner did not get right, and the feedback on it."""

    prompt: str
    feedback: str


@dataclass(frozen=True, slots=True)
class DiagnosticResult:
    """Result of the learner's diagnostic; `score` (0..1) is None if no question was answered."""

    score: float | None
    question_count: int
    missed: tuple[MissedQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Standing of a learner with a subconcept.

    Args:
        attempts: the number of graded answers about it.
        mastery: 0..1.
        learned: whether they can go on, so that the lesson may end.
        needed: how many more questions make it learned if each is answered right at once, without help.
        mastered_from: from when on one right answer without help masters it; None if it is mastered, or not learned.
    """

    attempts: int
    mastery: float
    learned: bool
    mastered: bool
    needed: int
    mastered_from: datetime | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A conversation about a subconcept as it stands.

    Args:
        concept, topic: what the subconcept belongs to.
        dependents: titles of the subconcepts that build on it.
        messages: the newest of the conversation, oldest first.
        delivered_question_id: the question that was shown to the client last.
        asked_prompts: prompts asked in this subconcept so far, oldest first.
        unaided_right: how many questions of the lesson were answered right without help.
        reading: what is to be read now, where no question is open.
        is_reading: whether every question that was asked is about something to read; none may have been.
    """

    session_id: str
    user_id: str
    node: NodeRow
    concept: NodeRow
    topic: NodeRow
    dependents: tuple[str, ...]
    ended: bool
    pending: AskedCheckpoint | None
    plan: LessonPlan
    messages: tuple[ChatMessageRow, ...]
    delivered_question_id: str | None
    asked_prompts: tuple[str, ...]
    standing: Standing
    unaided_right: int
    reading: ReadingShown | None = None
    is_reading: bool = False

    @property
    def may_end(self) -> bool:
        """Whether the subconcept is learned, or its passages are read to the end: words that their learner compares are
        practice, so that not all that is read can be learned."""
        return self.standing.learned or (self.is_reading and 0 < self.plan.step_count <= len(self.plan.asked))

    def language_of(self, words: str) -> str:
        """The code of the language to speak after these words of the learner: short ones seldom tell it alone."""
        return detect_language(words, self.node.title, self.node.desc or "", *self.asked_prompts[-1:])

    def reply_of_run(self, run_id: str) -> ChatMessageRow | None:
        """The reply with which that run has ended its turn, if it has."""
        return next((one for one in self.messages if one.id == run_id), None)

    def messages_since(self, prompt: str) -> tuple[list[str], list[LearnerInput]]:
        """The tutor's explanations and the learner's inputs since the question was asked, the last time that it was."""
        first = len(self.messages)
        for at, one in reversed([*enumerate(self.messages)]):
            if one.role == "assistant" and one.kind != "hint_response":  # which is shown without the question
                if prompt not in one.content:
                    break
                first = at
        since = self.messages[first + 1 :]
        mine = [extract_explanation(one.content) for one in since if one.role == "assistant"]
        return mine, [parse_input(one.content) for one in since if one.role == "user"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that is kept; `grade` is None where only the meaning of its words can tell."""

    id: str
    grade: Grade | None


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The end of a turn, stored in one transaction.

    Args:
        reply: the tutor's words, without the question.
        learner_message: the learner's words as they were sent; None if the turn opens the lesson.
        question: the question that was pending before; `ladder` is its ladder now.
        keeps_question: whether it is still pending.
        asks: the question that is asked now, if none is pending.
        plan: the new plan; None leaves it.
        same_step: whether the new question is about the same step of the plan.
        completes_lesson: whether the lesson is over.
        repeats_question: whether clients show the pending question again.
        passages: ids of those that the reply teaches from.
        reading: ids of those that are to be read, before the question if one is asked; they are cited, no others.
        settled_by: sentences of them that settle the question.
        concern: help for a learner in distress, shown as a card; that there was a sign of it is kept, without words.
        events: more events to publish.
    """

    reply: str
    kind: MessageKind
    learner_message: str | None = None
    learner_message_kind: MessageKind = "learning"
    question: AskedCheckpoint | None = None
    ladder: HelpLadder | None = None
    attempt_id: str | None = None
    keeps_question: bool = False
    asks: LessonCheckpoint | None = None
    plan: LessonPlan | None = None
    same_step: bool = False
    completes_lesson: bool = False
    repeats_question: bool = True
    passages: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    settled_by: tuple[str, ...] = ()
    concern: str = ""
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """Content beside the conversation, stored with the subconcept."""

    kind: Literal["example", "exercise", "diagram"]
    title: str
    body: str
    format: Literal["markdown", "mermaid", "svg"] = "markdown"
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A learner's drawing."""

    media_type: str
    data: bytes


class LessonRepository(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound.

    What names an actor is one transaction with its events and, if the actor names a call, the end of that call. It
    raises Conflict (the call has ended already, or the run's epoch is an old one) and RunAlreadyEnded; nothing is
    written then.
    """

    async def lesson(self, session_id: str, *, user_id: str) -> Lesson:
        """Raises NotFound, BadInput (the session has no subconcept)."""
        ...

    async def diagnostic_result(self, lesson: Lesson) -> DiagnosticResult:
        """Result of the concept's diagnostic: of answers about the subconcept, or of all if none is about it."""
        ...

    async def held_beliefs(self, lesson: Lesson) -> Sequence[HeldBelief]:
        """The learner's misconceptions about the lesson's concept that are not cleared."""
        ...

    async def prerequisites(self, lesson: Lesson) -> Sequence[Prerequisite]:
        """Prerequisites of the subconcept."""
        ...

    async def neighbours(self, lesson: Lesson) -> Sequence[str]:
        """Titles of the learned subconcepts of the concept that are easily confused with this one, the likest first."""
        ...

    async def record_attempt(
        self,
        question_id: str,
        *,
        text: str | None,
        option: str | None,
        level: int,
        actor: Actor,
        sure: bool | None = None,
    ) -> Attempt:
        """Store an attempt at the pending question, graded if code can; a repeat of the newest is not stored again."""
        ...

    async def record_self_mark(self, answer_id: str, mark: SelfMark, *, actor: Actor) -> Grade:
        """The grade of an attempt that its learner has compared. Raises BadInput (the verdicts do not fit)."""
        ...

    async def grade(self, answer_id: str, *, user_id: str) -> Grade | None:
        """The stored grade of an attempt; None without one."""
        ...

    async def end_turn(self, session_id: str, end: TurnEnd, *, actor: Actor) -> AskedCheckpoint | None:
        """End the turn of the actor's run; idempotent. Returns the question that is pending then.

        Raises InvalidQuestion (the new question has faults), InvalidGraphEdit (the topic's documents have no such
        passage), Conflict (the session has ended, or another question is pending).
        """
        ...

    async def mark_delivered(self, lesson: Lesson) -> None:
        """Keep that a client is shown the lesson's open question, which later answers are given to."""
        ...

    async def add_card(self, session_id: str, card: Card, *, actor: Actor) -> CardShown:
        """Store a card with the lesson's subconcept, and show it."""
        ...

    async def save_drawing(self, session_id: str, drawing: Drawing, *, user_id: str) -> str:
        """Store a drawing; returns its id."""
        ...

    async def drawing(self, drawing_id: str, *, user_id: str) -> Drawing:
        """Raises NotFound."""
        ...

    async def drawing_of_answer(self, answer_id: str, *, user_id: str) -> Drawing:
        """The drawing that the learner's answer is. Raises NotFound, for an answer in words too."""
        ...
