"""Topic coverage: whether the configured model can make a path of a topic for which there are no notes."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sprout.errors import SproutError

MAX_QUOTED_TOPIC = 80
MAX_NAMED_COURSES = 3


@dataclass(frozen=True, slots=True)
class OfferedCourse:
    """A course that a learner can choose by its title.

    Args:
        concepts: how many it has.
        near: whether a word of the topic that was asked for comes close to one of its names.
    """

    title: str
    desc: str
    concepts: int
    near: bool = False


class UnknownTopic(SproutError):
    """The model knows nothing about the topic, and nothing was made.

    Args:
        courses: all that can be chosen instead, the nearest to the topic first.
    """

    code = "unknown_topic"

    def __init__(self, topic: str, courses: tuple[OfferedCourse, ...]) -> None:
        quoted = topic if len(topic) <= MAX_QUOTED_TOPIC else f"{topic[: MAX_QUOTED_TOPIC - 1]}…"
        named = ", ".join(f"“{course.title}”" for course in courses[:MAX_NAMED_COURSES])
        more = " and others" if len(courses) > MAX_NAMED_COURSES else ""
        choose = f", choose one of its courses ({named}{more})" if courses else ""
        super().__init__(
            "The built-in model knows nothing about “{topic}”, so there is no path. Add notes on it{choose}, or "
            "connect a model, then start again.",
            topic=quoted,
            choose=choose,
        )
        self.topic = topic
        self.courses = courses


@runtime_checkable
class TopicCoverage(Protocol):
    """Topics that a model can teach without notes."""

    def courses(self) -> tuple[OfferedCourse, ...]:
        """The courses that can be chosen by name; none where every topic can be asked for."""
        ...

    def course_on(self, topic: str) -> OfferedCourse | None:
        """The course that a topic names; None where no course is needed. Raises UnknownTopic."""
        ...


class EveryTopic:
    """Coverage of a real model."""

    def courses(self) -> tuple[OfferedCourse, ...]:
        return ()

    def course_on(self, topic: str) -> OfferedCourse | None:
        return None
