"""Lesson turn: marks the attempt and decides the help before the tutor speaks."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from sprout.agents.agent import Job, Team
from sprout.agents.grading.key_check import KEY_CHECK
from sprout.agents.tutor.answer_guard import AnswerGuard
from sprout.agents.tutor.extra_tools import ExtraTool
from sprout.agents.tutor.form_replies import form_reply
from sprout.agents.tutor.task import Move, TutorTask
from sprout.agents.tutor.turn_state import AttemptResult
from sprout.errors import SproutError, ToolFailure
from sprout.events import Graded
from sprout.learning.leaks.prepared_help import prepared_help
from sprout.learning.lessons.conversations import MessageKind
from sprout.learning.lessons.fading import Fading, fading_after
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.lessons.help_ladder import MAX_UNMARKED, HelpLadder, HelpLevel, LadderStep
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.repository import Drawing, Lesson, LessonRepository, TurnEnd
from sprout.learning.lessons.turn import (
    DRAWING_MARKER,
    MESSAGE_KINDS,
    AskedCheckpoint,
    InputMeaning,
    LearnerInput,
    TurnKind,
    extract_explanation,
    interpret_input,
    ladder_after,
    named_option,
    suggested_option,
    with_confirmed_answer,
    with_picked_result,
)
from sprout.learning.lessons.turn_notes import TurnNote
from sprout.learning.marking.attempts import asks_something, complains, wants_change, wants_solution
from sprout.learning.marking.comparable_answers import answers_anew, is_worth_comparing
from sprout.learning.marking.comparison import build_comparison
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.meant_option import only_confirms
from sprout.learning.marking.point_verdicts import is_verdict_alone
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.marking.self_verdicts import disowns_answer, leaves_open, listed_criteria, typed_self_mark
from sprout.learning.marking.typed_choice import named_options
from sprout.learning.paths.repositories import Repositories
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.questions.questions import SOLVABLE_FORMATS
from sprout.learning.text.language import detect_language
from sprout.learning.text.normalization import folded
from sprout.loop.model import ToolUse
from sprout.loop.tools import Profile
from sprout.loop.turn import TurnResult

GRADING = "grading"


class EmptyReply(SproutError):
    """The tutor ended a turn without words for the learner."""


@dataclass(frozen=True, slots=True)
class TutorDependencies:
    """Dependencies of every turn.

    Args:
        programs: marks answers that are programs.
        available_agents: names of the agents to which the tutor can delegate.
        care_text: text for a learner in distress; empty for the neutral one.
        extra_tools: tools besides the tutor's own.
    """

    lessons: LessonRepository
    repositories: Repositories
    memories: Memories
    programs: ProgramMarker
    available_agents: frozenset[str] = frozenset()
    care_text: str = ""
    extra_tools: tuple[ExtraTool, ...] = ()


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
        self.result = await self.record_attempt()
        self.lesson = await self.dependencies.lessons.lesson(self.task.session_id, user_id=self.job.user_id)
        self.protect_answer()
        return True

    async def record_attempt(self) -> AttemptResult:
        """Store the attempt, if the message is one, and have it graded; the result decides the help."""
        question = self.lesson.pending
        if question is None:
            return AttemptResult(notes=self.notes_without_question())
        if self.question_is_gone:
            return AttemptResult(question, question.ladder)
        if (move := self.task.move or _typed_move(self.input)) is not None:
            return AttemptResult(question, _ladder_after_move(question.ladder, move))
        if (self_mark := self.find_self_mark(question)) is not None:
            return await self.record_self_mark(question, self_mark)
        if question.ladder.comparing:
            return await self.replace_answer(question)
        before = self.lesson.messages_since(question.prompt)[1]
        given, meaning = with_confirmed_answer(question, self.input, before), InputMeaning.ASIDE
        given = with_picked_result(question, given)
        if given.kind is not TurnKind.OPENING:
            meaning = interpret_input(question, given, before=before, has_drawing=self.drawing is not None)
        if meaning is not InputMeaning.ATTEMPT:
            return self.result_without_attempt(question, meaning, before)
        option = named_option(question, given.text)
        attempt = await self.dependencies.lessons.record_attempt(
            question.id,
            text=None if option else question.words_to_mark(self.attempt_text(given)),
            option=option.id if option else None,
            level=int(question.ladder.level),
            actor=self.job.actor(),
            sure=self.task.sure,
        )
        grade = attempt.grade
        if grade is None or (grade.state is GradeState.UNGRADED and not grade.must_be_compared):
            grade = await self.request_grade(attempt.id, question) or grade
        if attempt.id == question.last_attempt_id and not question.unmarked:
            # The same words once more are not a new attempt.
            return AttemptResult(question, ladder_after(question, InputMeaning.HELP_REQUEST))
        right = bool(grade.correct) if grade is not None and grade.state is GradeState.GRADED else None
        ladder = ladder_after(question, meaning, right=right)
        if grade is not None and grade.must_be_compared:
            if (asked_back := self.ladder_if_asked_back(question, ladder, given.text)) is not None:
                return AttemptResult(question, asked_back, notes=(TurnNote.HARDLY_AN_ANSWER,))
            ladder = ladder.compare()
        return AttemptResult(question, ladder, attempt.id, grade, sure=bool(self.task.sure))

    def notes_without_question(self) -> tuple[TurnNote, ...]:
        if self.lesson.ended:
            return (TurnNote.LESSON_OVER,)
        return (TurnNote.QUESTION_GONE,) if self.task.question_id is not None else ()

    def result_without_attempt(
        self, question: AskedCheckpoint, meaning: InputMeaning, before: Sequence[LearnerInput]
    ) -> AttemptResult:
        """Nothing was tried; of words that name no option the learner is asked, once, whether they mean one."""
        ladder, words = ladder_after(question, meaning), self.input.text
        if question.kind != "mcq" or meaning is not InputMeaning.ASIDE or self.input.kind is not TurnKind.ANSWER:
            return AttemptResult(question, ladder)
        names_two = len(named_options(question.options, words)) > 1
        note = TurnNote.TWO_OPTIONS if names_two else TurnNote.NO_OPTION
        is_new = folded(words) not in (folded(one.text) for one in before) and not asks_something(words)
        suggested = suggested_option(question, self.input) if is_new else None
        return AttemptResult(question, ladder, notes=(note,), suggested=suggested)

    def ladder_if_asked_back(self, question: AskedCheckpoint, ladder: HelpLadder, words: str) -> HelpLadder | None:
        """The ladder after words of which the learner is asked whether they are an answer; None if none is."""
        if self.is_said_of_answer(question, words):
            return question.ladder.wait()
        return ladder if ladder.unmarked < MAX_UNMARKED and not self.is_worth_comparing(question, words) else None

    def is_said_of_answer(self, question: AskedCheckpoint, words: str) -> bool:
        """Whether the words are a "yes", a "no" or a verdict, which speak of an answer and are none."""
        if self.drawing is not None or question.kind != "text":
            return False
        is_verdict = is_verdict_alone(words, build_comparison(question.checkpoint.draft))
        return only_confirms(words) or (is_verdict and not self.is_worth_comparing(question, words))

    def is_worth_comparing(self, question: AskedCheckpoint, words: str) -> bool:
        taught = self.taught_texts(question)
        return self.drawing is not None or is_worth_comparing(words, question.checkpoint.draft, taught)

    def taught_texts(self, question: AskedCheckpoint) -> list[str]:
        """The tutor's texts in the lesson, and the passage to be read for the question."""
        said = [extract_explanation(one.content) for one in self.lesson.messages if one.role == "assistant"]
        return [*said, *([question.reading.text] if question.reading is not None else ())]

    async def replace_answer(self, question: AskedCheckpoint) -> AttemptResult:
        """Store a new answer in the place of the one that waits to be compared, if the message is one. It was written
        beside the full answer, and has the highest level of help: whatever becomes of it is practice."""
        taught, words, draft = self.taught_texts(question), self.input.text, question.checkpoint.draft
        comparison = build_comparison(draft)
        is_judging = leaves_open(words, comparison) or is_verdict_alone(words, comparison) or disowns_answer(words)
        is_answer = self.input.kind is TurnKind.ANSWER and not (is_judging or complains(words))
        if not is_answer or not answers_anew(words, question.last_attempt_text, draft, taught):
            return AttemptResult(question, question.ladder)
        attempt = await self.dependencies.lessons.record_attempt(
            question.id, text=words, option=None, level=int(HelpLevel.WORKED_STEP), actor=self.job.actor()
        )
        return AttemptResult(question, question.ladder.answered_anew(), attempt.id, attempt.grade)

    def find_self_mark(self, question: AskedCheckpoint) -> SelfMark | None:
        """The learner's verdicts on the answer that waits to be compared; None if the message has none."""
        comparison = question.comparison
        if comparison is None:
            return None
        if self.task.self_mark is not None:
            return self.task.self_mark.to_mark()
        is_aside = self.input.kind in {TurnKind.OPENING, TurnKind.CLARIFICATION}
        before = self.lesson.messages_since(question.prompt)[1]
        last = folded(question.last_attempt_text)
        since = takewhile(lambda said: not last.endswith(said), (folded(one.text) for one in reversed(before)))
        return None if is_aside else typed_self_mark(self.input.text, [*since], comparison)

    async def record_self_mark(self, question: AskedCheckpoint, mark: SelfMark) -> AttemptResult:
        """Store the learner's verdicts on their last attempt: practice, which settles the question."""
        answer_id = question.last_attempt_id or ""
        grade = await self.dependencies.lessons.record_self_mark(answer_id, mark, actor=self.job.actor())
        return AttemptResult(question, question.ladder.after_comparison(), answer_id, grade)

    @property
    def question_is_gone(self) -> bool:
        """Whether the learner answered a question that is no longer open, while another one is."""
        given_to, pending = self.task.question_id, self.lesson.pending
        is_given = self.input.kind is TurnKind.ANSWER or self.said_by_button
        return is_given and given_to is not None and pending is not None and pending.id != given_to

    def attempt_text(self, given: LearnerInput) -> str:
        if self.drawing is None:
            return given.text
        return f"[drawing:{self.task.drawing_id}] {given.text}".strip()

    async def request_grade(self, answer_id: str, question: AskedCheckpoint) -> Grade | None:
        """The grade of the attempt, by running it or from the grading agent; None if it was not graded."""
        if tests := question.checkpoint.draft.program_tests:
            return await self.dependencies.programs.grade(answer_id, tests, self.input.text, actor=self.job.actor())
        if GRADING not in self.dependencies.available_agents:
            return None
        await self.team.delegate(GRADING, answer_id, key=f"grade:{answer_id}")
        return await self.dependencies.lessons.grade(answer_id, user_id=self.job.user_id)

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
        if self.lesson.ended and self.input.kind is not TurnKind.CLARIFICATION:
            return fixed_text("ended", self.language)
        if self.question_is_gone:
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
    def said_by_button(self) -> bool:
        return self.task.move is not None or self.task.self_mark is not None

    @property
    def reply_kind(self) -> MessageKind:
        return "hint_response" if self.input.kind is TurnKind.CLARIFICATION else "learning"

    @property
    def language(self) -> str:
        return detect_language(self.input.text, self.lesson.node.title, self.lesson.node.desc or "")

    @property
    def profile(self) -> Profile | None:
        """The small profile for a side question, and for other words that leave the open question as it is."""
        question = self.result.open_question
        if self.said_by_button:
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


def _typed_move(given: LearnerInput) -> Move | None:
    """Move that the learner's words ask for, as a button does; None if they ask for none."""
    if given.kind not in (TurnKind.ANSWER, TurnKind.MESSAGE):
        return None
    return "change" if wants_change(given.text) else "show" if wants_solution(given.text) else None


def _ladder_after_move(ladder: HelpLadder, move: Move) -> HelpLadder:
    match move:
        case "help":
            return ladder.after_help()
        case "show":
            return ladder.show()
        case "change":
            return ladder.change()
