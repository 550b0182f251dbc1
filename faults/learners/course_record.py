"""Record of a learner's way through a course, for the checks of the proofs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from faults.leaks.learner_client import Leak
from faults.learners.answer_book import KnownQuestion
from faults.learners.disputing_learner import Dispute
from faults.learners.scripted_learners import LearnerMessage


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn of a lesson with an open question, and its effects.

    Args:
        number: place of the question in the lesson, from 1.
        level, level_after: of help, before and after.
        settled: whether the question is closed by now.
        compares: whether the answer waits for the learner's own verdicts.
        mastered: whether the subconcept is mastered by now.
    """

    question: KnownQuestion
    message: LearnerMessage
    reply: str
    number: int
    level: int
    level_after: int
    settled: bool
    compares: bool
    mastered: bool
    grade: dict[str, Any] | None
    next_prompt: str | None


@dataclass(slots=True)
class LessonRecord:
    title: str
    turns: list[TurnRecord] = field(default_factory=list)

    @property
    def questions(self) -> int:
        return len({turn.number for turn in self.turns})


@dataclass(slots=True)
class ConceptRecord:
    """Outcome of a concept.

    Args:
        diagnostic_answers: the answer to each question of its diagnostic, with whether it was graded right.
        completed_titles: subconcepts that the diagnostic alone has shown to be mastered.
        changes: changes of its map by agents.
        dispute: the outcome for a learner who says that a question is wrong.
    """

    title: str
    diagnostic_answers: list[tuple[KnownQuestion, LearnerMessage, bool | None]] = field(default_factory=list)
    completed_titles: list[str] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    lessons: list[LessonRecord] = field(default_factory=list)
    dispute: Dispute | None = None

    @property
    def added(self) -> list[str]:
        return [node["title"] for change in self.changes for node in _added_nodes(change, "after", "before")]

    @property
    def removed(self) -> list[str]:
        return [node["title"] for change in self.changes for node in _added_nodes(change, "before", "after")]


@dataclass(frozen=True, slots=True)
class ReturnRecord:
    """A return after an absence: mastered before, forgotten since, and repeated first."""

    mastered: frozenset[str]
    forgotten: frozenset[str]
    reviewed: tuple[LessonRecord, ...]


@dataclass(slots=True)
class CourseRecord:
    """Record of a learner's way through a course.

    Args:
        violations: broken invariants.
        final_progress: mastery, completion and attempts of every node with progress, by its title.
        map: the path's parts: nodes under their parents, edges, the questions of diagnostics.
    """

    course: str
    concepts: list[ConceptRecord] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    scanned_bytes: int = 0
    seconds: float = 0.0
    completed: bool = False
    final_progress: dict[str, Any] = field(default_factory=dict)
    map: set[str] = field(default_factory=set)
    return_record: ReturnRecord | None = None

    @property
    def turns(self) -> list[TurnRecord]:
        return [turn for lesson in self.lessons for turn in lesson.turns]

    @property
    def lessons(self) -> list[LessonRecord]:
        """In the order in which they were taught, without those of an earlier stay."""
        again = self.return_record.reviewed if self.return_record else ()
        return [*again, *(lesson for concept in self.concepts for lesson in concept.lessons)]

    @property
    def questions(self) -> int:
        return sum(lesson.questions for lesson in self.lessons)

    @property
    def questions_with_help(self) -> int:
        """Questions that took help."""
        return sum(turn.settled and turn.level_after > 0 for turn in self.turns)


def _added_nodes(change: dict[str, Any], here: str, there: str) -> Iterator[dict[str, Any]]:
    """The nodes of a change that are on one side of it and not on the other."""
    others = {node["id"] for node in change[there]["nodes"]}
    yield from (node for node in change[here]["nodes"] if node["id"] not in others)
