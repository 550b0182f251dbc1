"""Extra tools: tools added to the tutor by configuration, and the lesson context that they get."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sprout.events import NodeRow
from sprout.learning.paths.repositories import Repositories
from sprout.loop.tools import Effect, Profile, Tool


@dataclass(frozen=True, slots=True)
class LessonContext:
    """The lesson in which a tool is offered, without the answers to open questions: a result could give them away.

    Args:
        language: code of the lesson's language, such as "en".
        repositories: the learner's path, diagnostics and documents.
    """

    user_id: str
    run_id: str
    topic: NodeRow
    concept: NodeRow
    subconcept: NodeRow
    language: str
    repositories: Repositories


@dataclass(frozen=True, slots=True)
class ExtraTool:
    """A tool of a known name, created for each turn of a lesson."""

    name: str
    make: Callable[[LessonContext], Tool]

    def make_for(self, lesson: LessonContext) -> Tool:
        """The tool for a turn; it keeps its name, which was checked against the other tools.

        One that only reads may be called in every turn: a side question may need it.
        """
        made = self.make(lesson)
        profile = Profile.CONVERSATIONAL if made.effect is Effect.READ else made.profile
        return replace(made, name=self.name, profile=profile)


def as_extra_tool(given: object, example: LessonContext) -> ExtraTool:
    """A Tool, or a function from LessonContext to Tool, as an extra tool; a function is tried on the example.

    Raises ValueError: it is neither, or its tool is not allowed here.
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
    if made.ends_turn or made.spoken:
        raise ValueError(f"{made.name!r} ends the turn or speaks to the learner, which only the tutor's own tools do")
    return ExtraTool(made.name, make)
