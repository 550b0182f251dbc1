"""Turn state: the prompt element with the lesson's progress, the open question and the marking."""

from collections.abc import Sequence
from dataclasses import dataclass

from sprout.agents.fences import fenced, wrapped
from sprout.events import Mark
from sprout.learning.graph.graph import MAX_TITLE
from sprout.learning.leaks.prepared_help import prepared_help
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.fading import Fading
from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel, LadderStep
from sprout.learning.lessons.lesson_plan import LessonPlan
from sprout.learning.lessons.memories import MemoryRow
from sprout.learning.lessons.repository import Lesson
from sprout.learning.lessons.turn import TurnKind
from sprout.learning.lessons.turn_notes import NOTE_TEXTS, TurnNote
from sprout.learning.marking.choices import OPTION_LABELS, Option
from sprout.learning.marking.comparison import whole_verdict
from sprout.learning.marking.grades import Grade, GradeState, visible_grade
from sprout.learning.misconceptions.repository import HeldBelief
from sprout.learning.questions.questions import MAX_ANSWER, MAX_OPTION, MAX_PROMPT

MAX_LINE = 300
MAX_TEXT = 2_000
MAX_ASKED = 40
MAX_HELD = 5
MAX_NEIGHBOURS = 2
_HOW = {
    LadderStep.SOLVED: "solved",
    LadderStep.COMPARED: "compared",
    LadderStep.WORK_THROUGH: "worked_through",
    LadderStep.CHANGED: "changed",
}


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """Result of the learner's message.

    Args:
        question: the question that was open before the turn; `ladder` is its ladder after it.
        attempt_id: the attempt, if the message was one.
        grade: grade of the attempt; None without one, or if it could not be graded.
        notes: remarks for the tutor.
        suggested: the option that the message seems to mean, about which the learner is asked.
        sure: whether the learner says that they are sure of the attempt.
    """

    question: AskedCheckpoint | None = None
    ladder: HelpLadder = HelpLadder()
    attempt_id: str | None = None
    grade: Grade | None = None
    notes: tuple[TurnNote, ...] = ()
    suggested: Option | None = None
    sure: bool = False

    @property
    def open_question(self) -> AskedCheckpoint | None:
        """The question, if it is still open."""
        return None if self.question is None or self.ladder.ended else self.question

    @property
    def settled_question(self) -> AskedCheckpoint | None:
        """The question, if this turn settled it."""
        return self.question if self.question is not None and self.ladder.ended else None

    @property
    def may_show_answer(self) -> bool:
        return self.ladder.may_show_answer

    @property
    def self_verdict(self) -> Mark | None:
        """The learner's verdict on their whole answer; None outside a comparison."""
        if self.ladder.step is not LadderStep.COMPARED or self.grade is None:
            return None
        return whole_verdict([one.verdict for one in self.grade.results])

    @property
    def asks_same_again(self) -> bool:
        """Whether the next question is about the same idea: this one was not answered alone."""
        if self.settled_question is None or self.self_verdict == "met":
            return False
        return self.ladder.step is not LadderStep.SOLVED or self.ladder.level > HelpLevel.NONE


def state_element(
    lesson: Lesson,
    kind: TurnKind,
    result: AttemptResult,
    memories: Sequence[MemoryRow],
    callable_tools: Sequence[str] | None = None,
    *,
    held: Sequence[HeldBelief] = (),
    fading: Fading | None = None,
    neighbours: Sequence[str] = (),
) -> str:
    """The state of a turn as one element.

    Args:
        lesson: loaded after the attempt was result.
        callable_tools: names of the only tools that may be called; None if all may.
        held: misconceptions of the learner about the concept, those first that they were sure of.
        fading: the form of the question that is due; None if none is.
        neighbours: titles of what the learner is to tell this from, in its last step.
    """
    plan: LessonPlan = lesson.plan
    return wrapped(
        "state",
        wrapped("plan", *(_plan_line(plan, at) for at in range(plan.step_count))),
        wrapped(
            "asked", *(fenced("question", prompt, limit=MAX_PROMPT) for prompt in lesson.asked_prompts[-MAX_ASKED:])
        ),
        _pending_element(result),
        _settled_element(result),
        _marking_element(result),
        _help_element(result),
        *map(mix_up_element, _belief_order(held, lesson.node.title)[:MAX_HELD]),
        *(fenced("neighbour", title, limit=MAX_TITLE) for title in neighbours[:MAX_NEIGHBOURS]),
        *(fenced("memory", one.text, limit=MAX_LINE) for one in memories),
        "" if callable_tools is None else wrapped("callable_tools", ", ".join(callable_tools)),
        *(fenced("note", NOTE_TEXTS[note], limit=MAX_TEXT, kind=note.value) for note in result.notes),
        separator="\n",
        turn=kind.value,
        chunk=str(max(1, plan.step)),
        chunks=str(plan.step_count),
        attempts=str(lesson.standing.attempts),
        mastery=f"{lesson.standing.mastery:.2f}",
        may_complete="true" if lesson.may_end and result.open_question is None else "false",
        unaided_right=str(lesson.unaided_right),
        missed=str(lesson.pending.missed if lesson.pending else 0),
        **({} if fading is None else {"fading": fading.value}),
    )


def _plan_line(plan: LessonPlan, at: int) -> str:
    """A line of the plan, and whether its step was asked about or read."""
    reached = {"reached": "true"} if at + 1 in plan.asked else {}
    return fenced("can", plan.goals[at], limit=MAX_LINE, **reached)


def _belief_order(held: Sequence[HeldBelief], title: str) -> list[HeldBelief]:
    """The beliefs that showed about this part, then those about its neighbours."""
    return sorted(held, key=lambda one: title not in one.titles)


def mix_up_element(belief: HeldBelief) -> str:
    """A misconception of the learner as one element."""
    return wrapped(
        "mix_up",
        fenced("statement", belief.statement, limit=MAX_LINE),
        *([fenced("contrast", belief.contrast, limit=MAX_TEXT)] if belief.contrast else ()),
        *(fenced("title", title, limit=MAX_TITLE) for title in belief.titles),
        id=belief.id,
        sure="true" if belief.sure else "false",
    )


def _pending_element(result: AttemptResult) -> str:
    question = result.open_question
    if question is None:
        return ""
    options = (
        fenced("option", f"{OPTION_LABELS[at]}. {option.text}", limit=MAX_OPTION + 3)
        for at, option in enumerate(question.options)
    )
    return wrapped(
        "pending",
        fenced("prompt", question.prompt, limit=MAX_PROMPT),
        *options,
        type=question.kind,
        level=str(int(result.ladder.level)),
        step=result.ladder.step.value,
    )


def _settled_element(result: AttemptResult) -> str:
    question = result.settled_question
    if question is None:
        return ""
    how = _HOW[result.ladder.step]
    shown_parts = [fenced("prompt", question.prompt, limit=MAX_PROMPT)]
    if result.may_show_answer:
        draft = question.checkpoint.draft
        steps = draft.solution or (draft.correct_answer,)
        shown_parts.append(fenced("solution", "\n".join(steps), limit=MAX_ANSWER))
    said = {} if result.self_verdict is None else {"said": result.self_verdict}
    if result.self_verdict is not None and result.grade is not None:
        shown_parts += [fenced("misconception", one, limit=MAX_TEXT) for one in result.grade.misconceptions]
    return wrapped("settled", *shown_parts, how=how, level=str(int(result.ladder.level)), **said)


def _marking_element(result: AttemptResult) -> str:
    if result.attempt_id is None or result.self_verdict is not None:
        return ""
    if result.grade is None:
        return fenced("marking", "", limit=0, state="ungraded", correct="none", score="none")
    grade, seen = result.grade, visible_grade(result.grade)
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
        **({"sure": "true"} if result.sure else {}),
    )


def _help_element(result: AttemptResult) -> str:
    question = result.open_question
    if question is None or result.ladder.step is not LadderStep.GIVE_HELP:
        return ""
    text = prepared_help(question, result.ladder.level)
    return fenced("help", text, limit=MAX_TEXT, level=str(int(result.ladder.level))) if text else ""
