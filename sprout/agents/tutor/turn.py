"""Lesson turn: marks the attempt and decides the help before the tutor speaks."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sprout.agents.agent import Job, Team
from sprout.agents.grading.key_check import KEY_CHECK
from sprout.agents.tutor.answer_guard import AnswerGuard
from sprout.agents.tutor.attempt import Attempt, answers_gone_question
from sprout.agents.tutor.dependencies import TutorDependencies
from sprout.agents.tutor.form_replies import form_reply
from sprout.agents.tutor.task import TutorTask
from sprout.agents.tutor.turn_state import AttemptResult
from sprout.errors import SproutError, ToolFailure
from sprout.events import Graded
from sprout.learning.leaks.prepared_help import prepared_help
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.conversations import MessageKind
from sprout.learning.lessons.fading import Fading, fading_after
from sprout.learning.lessons.fixed_texts import fixed_text, said_anew
from sprout.learning.lessons.help_ladder import HelpLadder, LadderStep
from sprout.learning.lessons.repository import Drawing, Lesson, TurnEnd
from sprout.learning.lessons.turn import (
    DRAWING_MARKER,
    MESSAGE_KINDS,
    InputMeaning,
    LearnerInput,
    TurnKind,
    extract_explanation,
    interpret_input,
)
from sprout.learning.marking.attempts import asks_something, complains
from sprout.learning.marking.comparison import build_comparison
from sprout.learning.marking.self_verdicts import copies_model_answer, disowns_answer, listed_criteria
from sprout.learning.questions.questions import SOLVABLE_FORMATS
from sprout.loop.model import ToolUse
from sprout.loop.tools import Profile
from sprout.loop.turn import TurnResult


class EmptyReply(SproutError):
    """The tutor ended a turn without words for the learner."""


@dataclass(slots=True)
class LessonTurn:
    """One turn, which is one run of the tutor: the result of the attempt, the guard of the answer, the turn's end."""

    dependencies: TutorDependencies
    job: Job
    team: Team
    task: TutorTask
    input: LearnerInput
    lesson: Lesson
    result: AttemptResult = field(default_factory=AttemptResult)
    drawing: Drawing | None = None
    ended: bool = False
    completed: bool = False
    guard: AnswerGuard = field(default_factory=AnswerGuard)

    async def begin(self) -> bool:
        """Process the learner's message, once; False if an earlier worker of the run has ended the turn already."""
        if self.lesson.reply_of_run(self.job.run_id) is not None:
            self.ended, self.completed = True, self.lesson.ended
            self.set_open_question(self.lesson.pending)
            return False
        if self.task.drawing_id is not None and self.input.kind is TurnKind.ANSWER:
            self.drawing = await self.dependencies.lessons.drawing(self.task.drawing_id, user_id=self.job.user_id)
        attempt = Attempt(
            self.dependencies, self.job, self.team, self.task, self.input, self.lesson, drawing=self.drawing
        )
        self.result = await attempt.record()
        self.lesson = await self.dependencies.lessons.lesson(self.task.session_id, user_id=self.job.user_id)
        self.protect_answer()
        return True

    def protect_answer(self) -> None:
        """Guard the answer to the open question; while the learner compares, they have it before them."""
        question, ladder = self.result.open_question, self.result.ladder
        if question is None or ladder.comparing:
            self.guard.protect_nothing(ladder.level)
            return
        said, answers = self.lesson.messages_since(question.prompt)
        found = self.result.grade.next_step if self.result.grade is not None else ""
        texts = [*(one.text for one in (*answers, self.input)), found]
        self.guard.protect(question, ladder.level, said, texts)

    def closing_words(self, result: TurnResult | None) -> str:
        """The reply of a turn without a call, or prepared help if it was withheld. Where a question was due and none
        was asked, as at the cap, it ends with one about going on. Raises EmptyReply.
        """
        if (prepared := self.prepared_reply()) is not None:
            return prepared
        reply = result.text.strip() if result is not None and result.withheld is None else ""
        if self.question_due and result is not None and (reply or result.reason == "max_iterations"):
            return f"{reply}\n\n{fixed_text('go_on', self.language)}".strip()
        if reply and result is not None and result.reason != "refusal":
            return reply
        question = self.result.open_question
        if question is None or (result is not None and result.withheld is None):
            raise EmptyReply("The tutor had no answer. Please send your message again.", code="empty_reply")
        return self.due_help() or fixed_text("withheld", self.language)

    def prepared_reply(self) -> str | None:
        """The reply of a turn in which no model is asked: code knows what to say. None where one is."""
        if (reply := self._code_reply()) is None:
            return None
        last = next((one.content for one in reversed(self.lesson.messages) if one.role == "assistant"), "")
        return said_anew(reply, extract_explanation(last), self.language)

    def _code_reply(self) -> str | None:
        if self.lesson.ended and self.input.kind is not TurnKind.CLARIFICATION:
            return fixed_text("ended", self.language)
        if answers_gone_question(self.task, self.input, self.lesson):
            return fixed_text("question_gone", self.language)
        question, words = self.result.open_question, self.input.text
        is_aside = self.input.kind is TurnKind.CLARIFICATION or asks_something(words) or complains(words)
        if question is not None and self.result.ladder.comparing and not is_aside:
            return self.compare_reply(question)
        if question is not None:
            before = self.lesson.messages_since(question.prompt)[1]
            if (about_form := form_reply(question, self.input, self.result, before)) is not None:
                return about_form
        return self.due_help() or None if self.task.move == "help" else None

    def compare_reply(self, question: AskedCheckpoint) -> str:
        """The words beside a comparison: the full answer stands in them where there is a new one to compare."""
        comparison = build_comparison(question.checkpoint.draft)
        if self.result.attempt_id is not None:
            name = "compare_new" if question.ladder.comparing else "compare"
            return fixed_text(name, self.language, answer=comparison.model_answer)
        if disowns_answer(self.input.text):
            return fixed_text("compare_rewrite", self.language)
        if copies_model_answer(self.input.text, comparison):
            return fixed_text("compare_copied", self.language)
        name = "compare_again" if len(comparison.criteria) == 1 else "compare_which"
        return fixed_text(name, self.language, points=listed_criteria(comparison))

    def due_help(self) -> str:
        """The prepared help that the learner gets in this turn; empty without one that can be shown."""
        question, ladder = self.result.open_question, self.result.ladder
        if question is None or ladder.step is not LadderStep.GIVE_HELP:
            return ""
        return prepared_help(question, ladder.level)

    async def end_with_reply(
        self, words: str, call: ToolUse | None = None, *, concern: str = "", passages: Sequence[str] = ()
    ) -> None:
        """End the turn with words alone: an open question stays open.

        Args:
            concern: help for a learner in distress; the question waits unseen.
            passages: ids of those that the words are taken from.
        """
        keeps = self.result.open_question is not None
        await self.end(
            TurnEnd(
                words,
                self.reply_kind,
                keeps_question=keeps,
                repeats_question=not concern,
                passages=tuple(passages),
                concern=concern,
            ),
            call,
        )

    async def check_key(self) -> None:
        """Have the key of a new question checked while the learner reads it."""
        question = self.result.open_question
        if question is None or KEY_CHECK not in self.dependencies.available_agents:
            return
        if question.ladder.is_new and question.checkpoint.draft.format in SOLVABLE_FORMATS:
            await self.team.start_apart(KEY_CHECK, question.id, node_id=self.lesson.concept.id)

    async def end(self, end: TurnEnd, call: ToolUse | None = None) -> None:
        """Store the end of the turn."""
        result = self.result
        complete = replace(
            end,
            learner_message=None if self.input.kind is TurnKind.OPENING else self.stored_content,
            learner_message_kind=MESSAGE_KINDS[self.input.kind],
            question=result.question,
            ladder=result.ladder if result.question is not None else None,
            attempt_id=None if result.self_verdict is not None else result.attempt_id,
            events=(*self.ungraded_events(), *end.events),
        )
        actor = self.job.actor(call.id if call else None)
        open_now = await self.dependencies.lessons.end_turn(self.task.session_id, complete, actor=actor)
        self.ended = True
        self.set_open_question(open_now)

    def set_open_question(self, question: AskedCheckpoint | None) -> None:
        """Set the question that is open after the turn: if the model says more, its answer must not leak."""
        self.result = AttemptResult(question, question.ladder if question is not None else HelpLadder())
        self.protect_answer()

    def ungraded_events(self) -> tuple[Graded, ...]:
        """The event for an attempt that could not be graded: it does not count, and the learner sees that."""
        result = self.result
        if result.attempt_id is None or result.grade is not None or result.question is None:
            return ()
        return (
            Graded(
                question_id=result.question.id,
                answer_id=result.attempt_id,
                state="ungraded",
                score=None,
                correct=None,
                criteria=[],
                next_step="",
                help_level=int(result.question.ladder.level),
            ),
        )

    @property
    def stored_content(self) -> str:
        """The learner's message as it was sent; a drawing has its marker, which most clients send themselves."""
        if self.task.move is not None:
            return fixed_text(f"move_{self.task.move}", self.language)
        if self.task.self_mark is not None and self.result.self_verdict is not None:
            return fixed_text(f"self_{self.result.self_verdict}", self.language)
        content = self.task.content
        marked = self.drawing is None or DRAWING_MARKER.casefold() in content.casefold()
        return content if marked else f"{content}\n{DRAWING_MARKER}"

    @property
    def reply_kind(self) -> MessageKind:
        return "hint_response" if self.input.kind is TurnKind.CLARIFICATION else "learning"

    @property
    def language(self) -> str:
        return self.lesson.language_of(self.input.text)

    @property
    def profile(self) -> Profile | None:
        """The small profile for a side question, and for other words that leave the open question as it is."""
        question = self.result.open_question
        if self.task.is_button:
            return None
        match self.input.kind:
            case TurnKind.CLARIFICATION:
                return Profile.CONVERSATIONAL
            case TurnKind.MESSAGE if question is not None:
                aside = interpret_input(question, self.input) is InputMeaning.ASIDE
                return Profile.CONVERSATIONAL if aside else None
            case _:
                return None

    @property
    def question_due(self) -> bool:
        """Whether the turn must ask a question, or complete the lesson."""
        is_aside = self.input.kind is TurnKind.CLARIFICATION
        return self.result.open_question is None and not (is_aside or self.lesson.ended)

    async def fading(self) -> Fading | None:
        """The form of the question that is due; None if none is. Before the first one the diagnostic counts as well."""
        if not self.question_due:
            return None
        known, settled = self.lesson.standing.mastery, self.result.settled_question
        if not self.lesson.asked_prompts:
            diagnostic = await self.dependencies.lessons.diagnostic_result(self.lesson)
            known = max(known, diagnostic.score or 0.0)
        return fading_after(known, self.result.ladder if settled is not None else None)

    async def neighbours(self) -> Sequence[str]:
        """Learned subconcepts that are easily confused with this one, where the last step of the plan comes next."""
        plan = self.lesson.plan
        comes_last = self.question_due and not self.result.asks_same_again and 0 < plan.step == plan.step_count - 1
        return await self.dependencies.lessons.neighbours(self.lesson) if comes_last else ()

    def refuse_second_end(self) -> None:
        """Raises ToolFailure: the turn has ended."""
        if self.ended:
            raise ToolFailure("This turn has ended already. Say nothing more.")

    def refuse_going_on(self) -> None:
        """Raises ToolFailure: the turn or the lesson has ended, or a question is open, so that none can be asked."""
        self.refuse_second_end()
        if self.lesson.ended:
            raise ToolFailure("The lesson is over: only `reply` to what the learner asks.")
        if self.result.open_question is not None:
            raise ToolFailure(
                "The question is still open, and is shown again by the server. `reply` to what the learner wrote, as "
                "the step in <pending> says."
            )
