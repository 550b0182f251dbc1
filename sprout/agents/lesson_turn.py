"""One turn of a lesson on the server: the attempt is marked and the help settled before the tutor says a word."""

from dataclasses import dataclass, field, replace

from sprout.agents.agent import Job, Team
from sprout.agents.extra_tools import ExtraTool
from sprout.agents.marking_notes import Marked, due_help
from sprout.agents.tutor_task import TutorTask
from sprout.errors import SproutError, ToolFailure
from sprout.events import Graded
from sprout.learning.leaks.saying import Saying
from sprout.learning.leaks.secret import Secret, secret_of
from sprout.learning.lessons.help import Ladder, NextStep
from sprout.learning.lessons.lesson import (
    DRAWN,
    KEPT_AS,
    Posed,
    Try,
    TurnKind,
    Words,
    chosen,
    explanation_in,
    moved,
    try_at,
    words_of,
)
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.standard_words import language_of, words_for
from sprout.learning.lessons.talk import MessageKind
from sprout.learning.lessons.tutoring import Drawing, Lesson, TurnEnd, Tutoring
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.paths.shelf import Shelf
from sprout.loop.model import ToolUse
from sprout.loop.turn import TurnResult

GRADING = "grading"


class NothingSaid(SproutError):
    """A turn in which the tutor found no words for the learner."""


@dataclass(frozen=True, slots=True)
class TutorParts:
    """What every turn works with.

    Args:
        helpers: names of the agents that can be asked for help.
        care_text: what a learner in distress is shown; empty for the neutral text.
        extra_tools: tools that were added to the tutor's own.
    """

    tutoring: Tutoring
    shelf: Shelf
    memories: Memories
    helpers: frozenset[str] = frozenset()
    care_text: str = ""
    extra_tools: tuple[ExtraTool, ...] = ()


@dataclass(slots=True)
class LessonTurn:
    """One turn, a run of the tutor: what the learner's words come to, what must stay unsaid, what is kept."""

    parts: TutorParts
    job: Job
    team: Team
    task: TutorTask
    words: Words
    lesson: Lesson
    marked: Marked = field(default_factory=Marked)
    drawing: Drawing | None = None
    over: bool = False
    completed: bool = False
    concerned: bool = False
    said_so_far: str = ""
    secret: Secret = field(default_factory=Secret)
    latest: Saying | None = None

    async def begin(self) -> bool:
        """Take in the learner's words, once; False where an earlier carrier of the run has ended the turn already."""
        if self.lesson.turn(self.job.run_id) is not None:
            self.over, self.completed = True, self.lesson.ended
            self.turn_to(self.lesson.pending)
            return False
        if self.task.drawing_id is not None and self.words.kind is TurnKind.ANSWER:
            self.drawing = await self.parts.tutoring.drawing(self.task.drawing_id, user_id=self.job.user_id)
        self.marked = await self.mark()
        self.lesson = await self.parts.tutoring.lesson(self.task.session_id, user_id=self.job.user_id)
        self.guard()
        return True

    async def mark(self) -> Marked:
        """Keep the attempt, where there is one, and have it graded; the help that is due now."""
        question = self.lesson.pending
        if question is None:
            return Marked()
        what = Try.BESIDE
        if self.words.kind is not TurnKind.OPENING:
            what = try_at(question, self.words, drawn=self.drawing is not None)
        if what is not Try.ATTEMPT:
            names_none = question.kind == "mcq" and what is Try.BESIDE and self.words.kind is TurnKind.ANSWER
            notes = ("The learner's words name none of the options, so nothing was marked.",) if names_none else ()
            return Marked(question, moved(question, what), notes=notes)
        option = chosen(question, self.words.text)
        attempt = await self.parts.tutoring.attempt(
            question.id,
            text=None if option else self.attempted_text(),
            option=option.id if option else None,
            level=int(question.ladder.level),
            actor=self.job.actor(),
        )
        grade = attempt.grade
        if grade is None or grade.state is GradeState.UNGRADED:
            grade = await self.graded(attempt.id) or grade
        if attempt.id == question.counted and question.last:
            return Marked(question, moved(question, Try.HELP_ASKED))  # the same once more is no new attempt
        right = bool(grade.correct) if grade is not None and grade.state is GradeState.GRADED else None
        ladder = moved(question, what, right=right)
        if right is None:
            ladder = replace(ladder, step=NextStep.WAIT)
        return Marked(question, ladder, attempt.id, grade)

    def attempted_text(self) -> str:
        if self.drawing is None:
            return self.words.text
        return f"[drawing:{self.task.drawing_id}] {self.words.text}".strip()

    async def graded(self, answer_id: str) -> Grade | None:
        """What the grading agent makes of the attempt; None where it is not graded (A3)."""
        if GRADING not in self.parts.helpers:
            return None
        await self.team.delegate(GRADING, answer_id, key=f"grade:{answer_id}")
        return await self.parts.tutoring.grade(answer_id, user_id=self.job.user_id)

    def guard(self) -> None:
        """Take in what must stay unsaid, and what was said since the question was asked."""
        question = self.marked.open
        if question is None:
            self.secret = Secret()
            return
        mine, theirs = self.since_posed(question.prompt)
        self.said_so_far = "\n".join(mine)
        draft = question.checkpoint.draft
        self.secret = secret_of(
            draft,
            anchors=draft.anchors,
            steps=question.checkpoint.solution,
            said=[*theirs, self.words.text],
            label=question.label,
        )

    def since_posed(self, prompt: str) -> tuple[list[str], list[str]]:
        """The tutor's explanations and the learner's words since the question was asked first."""
        messages = self.lesson.messages
        first = next(
            (at for at, one in enumerate(messages) if one.role == "assistant" and prompt in one.content), len(messages)
        )
        mine = [explanation_in(one.content) for one in messages[first + 1 :] if one.role == "assistant"]
        theirs = [words_of(one.content).text for one in messages[first + 1 :] if one.role == "user"]
        return mine, theirs

    def screen(self) -> Saying:
        """A screen for one reply, which remembers those before it."""
        before = self.latest.said if self.latest is not None else self.said_so_far
        self.latest = Saying(self.secret, before=before, level=self.marked.ladder.level)
        return self.latest

    def refuse_leaks(self, *texts: str) -> None:
        """Raises ToolFailure: one of the texts gives the answer to the open question away."""
        for text in texts:
            saying = Saying(self.secret, level=self.marked.ladder.level)
            saying.feed(text)
            saying.end()
            if saying.withheld is not None:
                raise ToolFailure(
                    f"This would give the answer to the open question away ({saying.withheld}). Show another case."
                )

    def closing_words(self, result: TurnResult | None) -> str:
        """The reply without a call; where it could not be shown, what was prepared. Raises NothingSaid."""
        said = result.text.strip() if result is not None and result.withheld is None else ""
        if said and result is not None and result.reason != "refusal":
            return said
        question = self.marked.open
        if question is None or (result is not None and result.withheld is None):
            raise NothingSaid("The model ended its turn without a word that can be shown. Send it once more.")
        return self.prepared_help() or words_for("withheld", self.language)

    def prepared_help(self) -> str:
        """The prepared text of the level that was reached, unless it says too much itself."""
        question, level = self.marked.open, self.marked.ladder.level
        text = due_help(question, level) if question is not None else ""
        saying = Saying(self.secret, level=level)
        return text if saying.feed(text) + saying.end() == text and saying.withheld is None else ""

    async def end(self, end: TurnEnd, call: ToolUse | None = None) -> None:
        """Keep what the turn leaves behind."""
        marked = self.marked
        whole = replace(
            end,
            said=None if self.words.kind is TurnKind.OPENING else self.stored_words,
            said_kind=KEPT_AS[self.words.kind],
            question=marked.question,
            ladder=marked.ladder if marked.question is not None else None,
            counted=marked.attempt,
            events=(*self.news(), *end.events),
        )
        actor = self.job.actor(call.id if call else None)
        open_now = await self.parts.tutoring.end(self.task.session_id, whole, actor=actor)
        self.over = True
        self.turn_to(open_now)

    def turn_to(self, question: Posed | None) -> None:
        """What is open now that the turn has ended: should the model say more, this is what must stay unsaid."""
        self.marked = Marked(question, question.ladder if question is not None else Ladder())
        self.guard()

    def news(self) -> tuple[Graded, ...]:
        """What is told of an attempt that nobody could grade: nothing is counted, and it says so (A3)."""
        marked = self.marked
        if marked.attempt is None or marked.grade is not None or marked.question is None:
            return ()
        return (
            Graded(
                question_id=marked.question.id,
                answer_id=marked.attempt,
                state="ungraded",
                score=None,
                correct=None,
                criteria=[],
                next_step="",
                help_level=int(marked.question.ladder.level),
            ),
        )

    @property
    def stored_words(self) -> str:
        """The learner's words as they were sent, with a mark where a drawing came with them."""
        return f"{self.task.content}\n{DRAWN}" if self.drawing is not None else self.task.content

    @property
    def reply_kind(self) -> MessageKind:
        return "hint_response" if self.words.kind is TurnKind.CLARIFICATION else "learning"

    @property
    def language(self) -> str:
        return language_of(self.words.text, self.lesson.node.title, self.lesson.node.desc or "")

    def refuse_ending(self) -> None:
        """Raises ToolFailure: the turn cannot end with this call."""
        if self.over:
            raise ToolFailure("This turn has ended already. Say nothing more.")
        if self.concerned:
            raise ToolFailure("A concern was raised: the lesson waits. End with a few calm sentences, without a call.")
        if self.words.kind is TurnKind.CLARIFICATION:
            raise ToolFailure("This is a side question: answer it in plain text, without a call, and ask nothing new.")
        if self.marked.open is not None:
            raise ToolFailure(
                "The question is still open, and is shown again by the server. Reply in plain text to what the learner "
                "wrote, as the step in <pending> says."
            )
