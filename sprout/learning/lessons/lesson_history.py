"""Lessons that a learner has begun: which were left unfinished, and how long such lessons take."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import ceil
from statistics import median

from sprout.learning.mastery.study_time import study_periods

DEFAULT_MINUTES = 8.0  # three steps of a minute or two with a question each, until the learner's own lessons tell
FEWEST_LESSONS = 3


class LessonStanding(StrEnum):
    """Whether a lesson came to its end."""

    LEFT = "left"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class PastLesson:
    """A conversation about a subconcept.

    Args:
        step, steps: the current step, from 1, and how many there are; 0 before the first.
        moments: of its messages, at least one.
    """

    node_id: str
    is_over: bool
    step: int
    steps: int
    moments: Sequence[datetime]

    @property
    def left_at(self) -> datetime:
        return max(self.moments)

    @property
    def minutes(self) -> float:
        """The time that it has taken, without long pauses."""
        return sum(period.seconds for period in study_periods(self.moments)) / 60

    @property
    def share_left(self) -> float:
        """The steps that are not behind the learner, 0..1."""
        done = max(0, min(self.step, self.steps) - 1)
        return 1.0 if not done else 1 - done / self.steps


class LessonHistory:
    """The learner's newest lessons."""

    def __init__(self, lessons: Iterable[PastLesson]) -> None:
        self._lessons = tuple(lessons)
        newest = {one.node_id: one for one in self._lessons}
        self._open = {node_id: one for node_id, one in newest.items() if not one.is_over}

    @property
    def unfinished(self) -> dict[str, datetime]:
        """Subconcepts whose lesson was left, and when."""
        return {node_id: one.left_at for node_id, one in self._open.items()}

    @property
    def taken(self) -> set[str]:
        """Subconcepts whose newest lesson came to its end."""
        return {one.node_id for one in self._lessons} - self._open.keys()

    @property
    def standings(self) -> dict[str, LessonStanding]:
        """Subconcept → how its newest lesson stands."""
        over = dict.fromkeys(self.taken, LessonStanding.OVER)
        return {**over, **dict.fromkeys(self._open, LessonStanding.LEFT)}

    def minutes(self, node_id: str, *, reading: float | None = None) -> int:
        """Minutes that the rest of the lesson, or a whole one, will take: the middle one of those that are over.

        Args:
            reading: how long the whole takes, where it is guided reading of passages whose length is known.
        """
        took = [one.minutes for one in self._lessons if one.is_over]
        usual = median(took) if len(took) >= FEWEST_LESSONS else DEFAULT_MINUTES
        whole = usual if reading is None else reading
        begun = self._open.get(node_id)
        return max(1, ceil(whole * (1.0 if begun is None else begun.share_left)))
