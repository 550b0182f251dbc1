"""What has happened to a learner in a course, for whoever looks whether it should have."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from faults.contesting import Doubt
from faults.desk import Leak
from faults.pupils import Words
from faults.textbook import Known


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a lesson with an open question, and what it has led to.

    Args:
        number: which question of the lesson it was said to, from 1.
        level, then: of help, before and after.
        settled: whether the question is open no more.
        mastered: whether the subconcept is, by then.
    """

    asked: Known
    words: Words
    reply: str
    number: int
    level: int
    then: int
    settled: bool
    mastered: bool
    graded: dict[str, Any] | None
    next_prompt: str | None


@dataclass(slots=True)
class LessonStory:
    title: str
    turns: list[Turn] = field(default_factory=list)

    @property
    def questions(self) -> int:
        return len({turn.number for turn in self.turns})


@dataclass(slots=True)
class ConceptStory:
    """What came of a concept.

    Args:
        diagnosed: the words to each question of its diagnostic, with whether they were graded right.
        known: subconcepts that the diagnostic alone has shown to be mastered.
        changes: of its map, by agents.
        doubt: of a learner who says that a question is wrong, what came of that.
    """

    title: str
    diagnosed: list[tuple[Known, Words, bool | None]] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    lessons: list[LessonStory] = field(default_factory=list)
    doubt: Doubt | None = None

    @property
    def added(self) -> list[str]:
        return [node["title"] for change in self.changes for node in _new(change, "after", "before")]

    @property
    def removed(self) -> list[str]:
        return [node["title"] for change in self.changes for node in _new(change, "before", "after")]


@dataclass(frozen=True, slots=True)
class Return:
    """What somebody who was away had mastered by then, what of it is forgotten, and what is gone over again first."""

    mastered: frozenset[str]
    forgotten: frozenset[str]
    again: tuple[LessonStory, ...]


@dataclass(slots=True)
class Story:
    """How somebody went through a course.

    Args:
        broken: what must not have happened.
        end: mastery, completion and attempts of every node of which something is known, by its title.
        map: what the path is made of: nodes under their parents, edges, the questions of diagnostics.
    """

    course: str
    concepts: list[ConceptStory] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    looked_at: int = 0
    seconds: float = 0.0
    done: bool = False
    end: dict[str, Any] = field(default_factory=dict)
    map: set[str] = field(default_factory=set)
    came_back: Return | None = None

    @property
    def turns(self) -> list[Turn]:
        return [turn for lesson in self.lessons for turn in lesson.turns]

    @property
    def lessons(self) -> list[LessonStory]:
        """In the order in which they were taught, without those of an earlier stay."""
        again = self.came_back.again if self.came_back else ()
        return [*again, *(lesson for concept in self.concepts for lesson in concept.lessons)]

    @property
    def questions(self) -> int:
        return sum(lesson.questions for lesson in self.lessons)

    @property
    def aided(self) -> int:
        """Questions that took help."""
        return sum(turn.settled and turn.then > 0 for turn in self.turns)


def _new(change: dict[str, Any], here: str, there: str) -> Iterator[dict[str, Any]]:
    """The nodes of a change that are on one side of it and not on the other."""
    others = {node["id"] for node in change[there]["nodes"]}
    yield from (node for node in change[here]["nodes"] if node["id"] not in others)
