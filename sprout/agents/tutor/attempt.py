"""Attempt: the learner's message is stored and graded, if it is one; the result decides the help."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from sprout.agents.agent import Job, Team
from sprout.agents.tutor.dependencies import TutorDependencies
from sprout.agents.tutor.task import Move, TutorTask
from sprout.agents.tutor.turn_state import AttemptResult
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.help_ladder import MAX_UNMARKED, HelpLadder, HelpLevel
from sprout.learning.lessons.repository import Drawing, Lesson
from sprout.learning.lessons.turn import (
    InputMeaning,
    LearnerInput,
    TurnKind,
    extract_explanation,
    interpret_input,
    is_suggestion_open,
    ladder_after,
    ladder_after_grade,
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
from sprout.learning.marking.self_verdicts import begins_with_verdict, disowns_answer, leaves_open, typed_self_mark
from sprout.learning.marking.typed_choice import named_options
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.text.normalization import folded

GRADING = "grading"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The learner's message to the open question of a lesson, with the drawing that came with it."""

    dependencies: TutorDependencies
    job: Job
    team: Team
    task: TutorTask
    input: LearnerInput
    lesson: Lesson
    drawing: Drawing | None

    async def record(self) -> AttemptResult:
        """Store the attempt, if the message is one, and have it graded; the result decides the help."""
        question = self.lesson.pending
        if question is None:
            return AttemptResult(notes=self.notes_without_question())
        if answers_gone_question(self.task, self.input, self.lesson):
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
        ladder = ladder_after_grade(question, grade)
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
        """Nothing was tried; of words that name no option the learner is asked whether they mean one, but not twice in
        a row: after that a letter or a tap names it."""
        ladder, words = ladder_after(question, meaning), self.input.text
        if question.kind != "mcq" or meaning is not InputMeaning.ASIDE or self.input.kind is not TurnKind.ANSWER:
            return AttemptResult(question, ladder)
        names_two = len(named_options(question.options, words, question.prompt)) > 1
        note = TurnNote.TWO_OPTIONS if names_two else TurnNote.NO_OPTION
        is_new = folded(words) not in (folded(one.text) for one in before) and not asks_something(words)
        may_ask = is_new and not is_suggestion_open(question, before)
        suggested = suggested_option(question, self.input) if may_ask else None
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
        is_verdict = is_verdict_alone(words, comparison) or begins_with_verdict(words, comparison)
        is_judging = is_verdict or leaves_open(words, comparison) or disowns_answer(words)
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


def answers_gone_question(task: TutorTask, given: LearnerInput, lesson: Lesson) -> bool:
    """Whether the learner answered a question that is no longer open, while another one is."""
    is_given = given.kind is TurnKind.ANSWER or task.is_button
    gone = task.question_id is not None and lesson.pending is not None and lesson.pending.id != task.question_id
    return is_given and gone


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
