"""Tools that somebody else has written for the tutor: what they may know of a lesson, and what they may not be."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sprout.events import NodeRow
from sprout.learning.paths.shelf import Shelf
from sprout.loop.tools import Tool


@dataclass(frozen=True, slots=True)
class LessonContext:
    """What a tool may know of the lesson that it is offered in.

    What is right about an open question is not part of it: a tool's result could give it away.

    Args:
        language: of the lesson, as a code such as "en".
        shelf: the learner's path and notes.
    """

    user_id: str
    run_id: str
    topic: NodeRow
    concept: NodeRow
    subconcept: NodeRow
    language: str
    shelf: Shelf


@dataclass(frozen=True, slots=True)
class ExtraTool:
    """A tool of a known name, made anew for each turn of a lesson."""

    name: str
    make: Callable[[LessonContext], Tool]

    def made_for(self, lesson: LessonContext) -> Tool:
        """The tool for a turn; its name stays, since the turn's other tools were chosen not to clash with it."""
        return replace(self.make(lesson), name=self.name)


def extra_tool(given: object, example: LessonContext) -> ExtraTool:
    """A Tool, or a function that makes one of a LessonContext, as a tool of lessons; it is tried on the example.

    Raises ValueError: it cannot be one.
    """
    if not isinstance(given, Tool) and not callable(given):
        raise ValueError(f"it is of type {type(given).__name__}, neither a Tool nor a function that makes one")

    def make(lesson: LessonContext) -> Tool:
        made = given if isinstance(given, Tool) else given(lesson)
        if not isinstance(made, Tool):
            raise ValueError(f"it makes a {type(made).__name__}, not a Tool")
        return made

    made = make(example)
    if made.of is not None:
        raise ValueError(f"{made.name!r} is about a {made.of.__name__}: give a function that returns it `about` one")
    if made.ends_turn or made.spoken is not None:
        raise ValueError(f"{made.name!r} ends the turn or speaks to the learner, which only the tutor's own tools do")
    return ExtraTool(made.name, make)
