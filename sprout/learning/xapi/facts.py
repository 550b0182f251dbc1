"""Facts of learning for other systems: what a learner answered, mastered, completed and reviewed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

Kind = Literal["question", "part", "concept", "path"]


class Verb(StrEnum):
    """What was done."""

    ANSWERED = "answered"
    MASTERED = "mastered"
    COMPLETED = "completed"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class Place:
    """A path, a concept or a class by its id, with the name that it has."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a learner has done.

    Of a path that a class was given, ids of its path, concepts and parts are those of the teacher's nodes, so that
    they are the same for all learners; what a learner's copy alone has keeps its own.

    Args:
        source_id: the row that says so. With `at` and, for an answer, `score`, it is what makes this fact.
        display_name: of the learner; None on a server for one.
        object_id: of the question, part, concept or path.
        title: of the part, concept or path; a question has none.
        score: 0..1, of an answer.
        seconds: that it took, where they were measured.
        marking: how many statements about the answer have been voided at the record store of its class.
    """

    verb: Verb
    source_id: str
    at: datetime
    user_id: str
    display_name: str | None
    kind: Kind
    object_id: str
    title: str | None
    path: Place
    concept: Place | None
    of_class: Place | None
    score: float | None = None
    success: bool | None = None
    seconds: float | None = None
    marking: int = 0


class LearningFacts(Protocol):
    """Facts of a path, and of a class; each raises NotFound for what is not the caller's."""

    async def of_path(self, branch_id: str, *, user_id: str) -> Sequence[Fact]:
        """All of a learner's own path, oldest first."""
        ...

    async def learners(self, class_id: str, given_id: str, *, teacher_id: str) -> Sequence[str]:
        """The members of a class who have a copy of the given path, in the order of joining."""
        ...

    async def of_learner(self, class_id: str, given_id: str, learner_id: str, *, teacher_id: str) -> Sequence[Fact]:
        """All of a member's copy of the given path, oldest first; none once they have left."""
        ...
