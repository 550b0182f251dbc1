"""Which question of a lesson comes next, and whether the lesson is through, as the server's state tells."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sprout.offline.brains.tutoring.tactics import Manner, tried
from sprout.offline.brains.tutoring.teaching import Chunk, Task, Teaching
from sprout.offline.brains.tutoring.turn import Turn

STRONG_AT = 0.6  # mastery from the diagnostic alone; from there on the explanation may come after the question
SURE_AT = 0.7
ENOUGH_UNAIDED = 3


class Why(StrEnum):
    """Why a question is the next one."""

    NEW = "new"
    CHANGED_FORM = "changed_form"
    ONCE_MORE = "once_more"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Next:
    """The next question."""

    chunk: Chunk
    task: Task
    why: Why


def next_questions(teaching: Teaching, turn: Turn, *, known: float = 0.0) -> list[Next]:
    """What could be asked now, the best first; never empty, so that a lesson can always be finished.

    Args:
        known: the score of the diagnostic, 0..1.
    """
    found = [*_in_order(teaching, turn, known)]
    just = turn.settled.prompt if turn.settled else ""
    fresh = [one for one in found if not (just and one.task.is_asked_by(just))]
    return fresh or found


def is_through(teaching: Teaching, turn: Turn) -> bool:
    """Whether the plan is done: every step asked, three right without help, or the last one passed as a test.

    A question that was solved with help has its changed form to come first.
    """
    settled = turn.settled
    if settled is not None and (settled.worked_through or settled.level):
        fresh = _changed(teaching, turn)
        if fresh is not None and not _times(fresh.task, turn):
            return False
    if settled is not None and not settled.worked_through and not settled.level:
        tested = any(task.is_asked_by(settled.prompt) for task in teaching.chunks[-1].tasks)
        if tested:
            return True
    all_asked = all(any(_times(task, turn) for task in chunk.tasks) for chunk in teaching.chunks)
    return all_asked or turn.unaided_right >= ENOUGH_UNAIDED


def wants_test(turn: Turn, known: float = 0.0) -> bool:
    """Whether the learner has shown, or said, that the steps in between are too easy."""
    if turn.settled is None and not turn.asked:
        return max(turn.mastery, known) >= STRONG_AT
    if turn.settled is not None and (turn.settled.worked_through or turn.settled.level):
        return False
    bored = any((found := tried(words)) and found.manner is Manner.FASTER for words in (*turn.before, turn.words))
    return bored or (turn.mastery >= SURE_AT and turn.unaided_right >= 1 and not turn.missed)


def _in_order(teaching: Teaching, turn: Turn, known: float) -> Iterator[Next]:
    aided = turn.settled is not None and (turn.settled.worked_through or turn.settled.level > 0)
    changed = _changed(teaching, turn) if aided else None
    if changed and not _times(changed.task, turn):
        yield changed
    new = [chunk for chunk in teaching.chunks if not any(_times(task, turn) for task in chunk.tasks)]
    if wants_test(turn, known) and teaching.chunks[-1] in new:
        yield Next(teaching.chunks[-1], teaching.chunks[-1].first, Why.TEST)
    yield from (Next(chunk, chunk.first, Why.NEW) for chunk in new)
    rest = [(chunk, task) for chunk in teaching.chunks for task in chunk.tasks if chunk not in new]
    unasked = [(chunk, task) for chunk, task in rest if not _times(task, turn)]
    yield from (Next(chunk, task, Why.CHANGED_FORM) for chunk, task in unasked)
    asked = sorted((pair for pair in rest if pair not in unasked), key=lambda pair: _last(pair[1], turn))
    yield from (Next(chunk, task, Why.ONCE_MORE) for chunk, task in asked)


def _changed(teaching: Teaching, turn: Turn) -> Next | None:
    """The other form of the question that was settled."""
    found = teaching.find(turn.settled.prompt) if turn.settled else None
    if found is None:
        return None
    chunk, task = found
    return Next(chunk, chunk.again if task is chunk.first else chunk.first, Why.CHANGED_FORM)


def _times(task: Task, turn: Turn) -> int:
    return sum(task.is_asked_by(prompt) for prompt in turn.asked)


def _last(task: Task, turn: Turn) -> int:
    """How long ago it was asked: its last place among all prompts."""
    return max((at for at, prompt in enumerate(turn.asked) if task.is_asked_by(prompt)), default=-1)
