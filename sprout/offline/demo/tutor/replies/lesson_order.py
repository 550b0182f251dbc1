"""Order of a lesson's questions and its end, derived from the server's state."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sprout.learning.lessons.fading import WELL_KNOWN, Fading
from sprout.learning.marking.attempts import wants_change
from sprout.learning.mastery.mastery import RIGHT_TO_LEARN
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, recognize_tactic
from sprout.offline.demo.tutor.lesson import Chunk, PreparedQuestion, ReadingAlone, TutorLesson
from sprout.offline.demo.tutor.turn import Turn, question_in

SURE_AT = 0.7
ENOUGH_UNAIDED = 3


class NextReason(StrEnum):
    """Why a question is the next one."""

    NEW = "new"
    GAP = "gap"  # a worked case with one step left out
    AFTER_GAP = "after_gap"  # the idea of the gap, with nothing worked out
    CHANGED_FORM = "changed_form"  # of the question that was just settled
    COME_BACK = "come_back"  # to a step of which all questions were put away
    ONE_MORE = "one_more"  # the form that was not asked yet of a question
    FIRST_REPEAT = "first_repeat"  # of a lesson in which everything was asked once
    ONCE_MORE = "once_more"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """The next question."""

    chunk: Chunk
    question: PreparedQuestion
    reason: NextReason


def next_questions(teaching: TutorLesson, turn: Turn, *, known: float = 0.0) -> list[NextQuestion]:
    """Candidates for the next question, best first; empty only for a lesson that is all reading.

    Args:
        known: the score of the diagnostic, 0..1.
    """
    found = [*_in_order(teaching, turn, known)]
    just = turn.settled.prompt if turn.settled else ""
    fresh = [one for one in found if not (just and one.question.matches_prompt(just))]
    return fresh or found


def is_finished(teaching: TutorLesson, turn: Turn, *, known: float = 0.0) -> bool:
    """Return True if the plan is done: every step asked, three right without help, or a test passed; of notes every
    step read.

    A question that was not solved alone has its changed form to come first; a step that was put away comes back once.
    """
    settled = turn.settled
    if settled is not None and settled.comes_again:
        fresh = _changed_form(teaching, turn)
        if fresh is not None and not _times_asked(fresh.question, turn):
            return False
    if any(comes_back(chunk, turn) for chunk in teaching.chunks):
        return False
    if settled is not None and settled.done_alone and teaching.source != "notes":
        was_last = any(task.matches_prompt(settled.prompt) for task in teaching.chunks[-1].questions)
        if was_last or should_test(turn, known):
            return True
    all_asked = all(any(_times_asked(task, turn) for task in chunk.questions) for chunk in teaching.chunks)
    if next_reading(teaching, turn, None) is not None:
        return False
    if teaching.source == "notes":  # all of it is read; what is missing to learn it is asked while there is something
        return all_asked and (turn.unaided_right >= RIGHT_TO_LEARN or not _unasked_by_code(teaching, turn))
    return all_asked or turn.unaided_right >= ENOUGH_UNAIDED


def next_reading(teaching: TutorLesson, turn: Turn, following: NextQuestion | None) -> ReadingAlone | None:
    """What was not read yet and comes before the question; before one that was asked already all of it does."""
    goes_on = following is not None and following.reason in (NextReason.NEW, NextReason.CHANGED_FORM)
    at = teaching.chunks.index(following.chunk) if following is not None and goes_on else len(teaching.chunks)
    return next((one for one in teaching.readings if one.before <= at and one.goal not in turn.reached), None)


def is_left_out(chunk: Chunk, turn: Turn) -> bool:
    """Return True if the step was asked, and each of its questions was put away for another one."""
    put_away = sum(task.matches_prompt(prompt) for prompt in _put_away(turn) for task in chunk.questions)
    return put_away > 0 and put_away >= _times_step_asked(chunk, turn)


def comes_back(chunk: Chunk, turn: Turn) -> bool:
    """Return True if the step is left out, has no other form, and was not taken up again yet."""
    return is_left_out(chunk, turn) and _times_step_asked(chunk, turn) == len(chunk.questions)


def should_test(turn: Turn, known: float = 0.0) -> bool:
    """Return True if the learner has shown, or said, that the steps in between are too easy."""
    if turn.settled is None and not turn.asked:
        return max(turn.mastery, known) >= WELL_KNOWN
    if turn.settled is not None and not turn.settled.done_alone:
        return False
    if known >= WELL_KNOWN and not turn.missed:
        return True
    bored = any(
        (found := recognize_tactic(words)) and found.style is ReplyStyle.FASTER
        for words in (*turn.earlier_messages, turn.message)
    )
    return bored or (turn.mastery >= SURE_AT and turn.unaided_right >= 1 and not turn.missed)


def _in_order(teaching: TutorLesson, turn: Turn, known: float) -> Iterator[NextQuestion]:
    if (gap := _gap(teaching, turn)) is not None:
        yield gap
    changed = _changed_form(teaching, turn) if turn.settled is not None and turn.settled.comes_again else None
    if changed and not _times_asked(changed.question, turn):
        yield changed
    new = [chunk for chunk in teaching.chunks if not any(_times_asked(task, turn) for task in chunk.questions)]
    is_test = teaching.source != "notes" and should_test(turn, known)
    by_code = [chunk for chunk in new if _tested_by(chunk).is_marked_by_code]
    if is_test and teaching.chunks[-1] in new:
        tested = (by_code or new)[-1]
        yield NextQuestion(tested, _tested_by(tested), NextReason.TEST)
    yield from (NextQuestion(chunk, _tested_by(chunk) if is_test else chunk.question, NextReason.NEW) for chunk in new)
    for chunk in (one for one in teaching.chunks if comes_back(one, turn)):
        yield NextQuestion(chunk, min(chunk.questions, key=lambda one: _last_asked(one, turn)), NextReason.COME_BACK)
    rest = [(chunk, task) for chunk in teaching.chunks for task in chunk.questions if chunk not in new]
    # Only what code marks can show that something is learned.
    rest.sort(key=lambda pair: not pair[1].is_marked_by_code)
    unasked = [(chunk, task) for chunk, task in rest if not _times_asked(task, turn)]
    yield from (NextQuestion(chunk, task, NextReason.ONE_MORE) for chunk, task in unasked)
    asked = [pair for pair in rest if pair not in unasked]
    asked.sort(key=lambda pair: (not pair[1].is_marked_by_code, _last_asked(pair[1], turn)))
    is_first = not any(_times_asked(task, turn) > 1 for _, task in asked)
    again = NextReason.FIRST_REPEAT if is_first else NextReason.ONCE_MORE
    yield from (NextQuestion(chunk, task, again) for chunk, task in asked)


def _tested_by(chunk: Chunk) -> PreparedQuestion:
    """The form of the chunk's question that code marks, if one is: only that can show that it is known."""
    return min(chunk.questions, key=lambda one: not one.is_marked_by_code)


def _changed_form(teaching: TutorLesson, turn: Turn) -> NextQuestion | None:
    """The other form of the question that was settled."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    if found is None:
        return None
    chunk, task = found
    if task.is_gap and not _times_step_asked(chunk, turn):
        return NextQuestion(chunk, chunk.question, NextReason.AFTER_GAP)
    is_other = task is chunk.question or (task.is_gap and chunk.question.was_asked(turn.asked))
    return NextQuestion(chunk, chunk.changed_form if is_other else chunk.question, NextReason.CHANGED_FORM)


def _gap(teaching: TutorLesson, turn: Turn) -> NextQuestion | None:
    """The gap where the server wants more worked out, and the first step is not behind its learner."""
    gap = teaching.gap
    if gap is None or turn.fading not in (Fading.EXAMPLE, Fading.GAP) or gap.was_asked(turn.asked):
        return None
    first, settled = teaching.chunks[0], turn.settled
    is_first = not turn.asked or (
        settled is not None and any(one.matches_prompt(settled.prompt) for one in first.questions)
    )
    return NextQuestion(first, gap, NextReason.GAP) if is_first else None


def _put_away(turn: Turn) -> Iterator[str]:
    """Prompts of the questions that were put away, as far back as the transcript goes, one for each time."""
    asked = ""
    for role, text in turn.transcript:
        if role == "assistant":
            asked = question_in(text) or asked
        elif asked and wants_change(text):
            yield asked
    if turn.settled is not None and turn.settled.how == "changed":
        yield turn.settled.prompt


def _times_step_asked(chunk: Chunk, turn: Turn) -> int:
    return sum(_times_asked(task, turn) for task in chunk.questions)


def _unasked_by_code(teaching: TutorLesson, turn: Turn) -> list[PreparedQuestion]:
    tasks = (task for chunk in teaching.chunks for task in chunk.questions)
    return [task for task in tasks if task.is_marked_by_code and not _times_asked(task, turn)]


def _times_asked(task: PreparedQuestion, turn: Turn) -> int:
    return sum(task.matches_prompt(prompt) for prompt in turn.asked)


def _last_asked(task: PreparedQuestion, turn: Turn) -> int:
    """Last position of the question among all prompts; -1 if it has not been asked."""
    return max((at for at, prompt in enumerate(turn.asked) if task.matches_prompt(prompt)), default=-1)
