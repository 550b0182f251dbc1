"""Next step of a learner: of all that could be done now, the one thing that a screen offers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.learning.paths.next_lesson import NextLesson, next_lesson
from sprout.learning.paths.repository import BranchRow, PathGraph
from sprout.learning.reviews.day import ReviewsDue
from sprout.learning.today.lesson_minutes import part_minutes


class StepKind(StrEnum):
    """What is to be done, in the order in which it comes over all paths.

    Reviews come first: what is forgotten today has to be learned again, and a lesson can wait for ten minutes.
    """

    REVIEW = "review"
    LESSON = "lesson"
    ANSWER = "answer"
    GROWING = "growing"
    GROW = "grow"
    DONE = "done"
    NONE = "none"


OVER_ALL = tuple(StepKind)
WITHIN_A_PATH = (  # a path that is opened is what the learner came for: its reviews wait until nothing else is there
    StepKind.LESSON,
    StepKind.ANSWER,
    StepKind.GROWING,
    StepKind.GROW,
    StepKind.REVIEW,
    StepKind.DONE,
    StepKind.NONE,
)


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step that could come next.

    Args:
        concept: the one whose parts are to be made.
        minutes: that it takes, where that is known.
        run_id: of the run that waits for an answer, or that makes the path.
    """

    kind: StepKind
    branch: BranchRow | None = None
    concept: NodeRow | None = None
    lesson: NextLesson | None = None
    minutes: int | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class PathRuns:
    """Ids of a path's runs that have not ended: the one that makes the path, and one that waits for an answer."""

    making: str | None = None
    waiting: str | None = None


def next_step(steps: Iterable[NextStep], *, order: Sequence[StepKind] = OVER_ALL) -> NextStep:
    """The step that comes first; of two of a kind the one that is named first."""
    return min(steps, key=lambda step: order.index(step.kind), default=NextStep(StepKind.NONE))


def review_step(due: ReviewsDue) -> NextStep | None:
    """The reviews that fit what is left of the day; None where nothing is due, or the day's minutes are used up."""
    return NextStep(StepKind.REVIEW, minutes=due.minutes) if due.today else None


def path_step(graph: PathGraph, runs: PathRuns, history: LessonHistory, *, concept_id: str | None = None) -> NextStep:
    """The next step in one path, or in one of its concepts, reviews aside. Raises NotFound: it has no such concept.

    A path that is being made has no lesson yet: what comes first in it may still change.
    """
    concepts = [node for node in graph.nodes if node.type == "concept" and concept_id in (None, node.id)]
    if concept_id is not None and not concepts:
        raise NotFound("concept", concept_id)
    lesson = next_lesson(graph, history.unfinished, history.taken, concept_id=concept_id)
    if lesson is not None and runs.making is None:
        minutes = part_minutes(lesson.part, graph, history)
        return NextStep(StepKind.LESSON, graph.branch, lesson.concept, lesson, minutes)
    if runs.waiting is not None:
        return NextStep(StepKind.ANSWER, graph.branch, run_id=runs.waiting)
    if runs.making is not None:
        return NextStep(StepKind.GROWING, graph.branch, run_id=runs.making)
    filled = {node.parent_id for node in graph.nodes}
    bare = next((concept for concept in concepts if concept.id not in filled), None)
    is_done = bool(concepts) and bare is None
    return NextStep(StepKind.DONE if is_done else StepKind.GROW, graph.branch, bare)
