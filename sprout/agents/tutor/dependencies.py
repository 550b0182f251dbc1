"""Dependencies of the tutor's turns."""

from dataclasses import dataclass

from sprout.agents.tutor.extra_tools import ExtraTool
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.repository import LessonRepository
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.paths.repositories import Repositories


@dataclass(frozen=True, slots=True)
class TutorDependencies:
    """Dependencies of every turn.

    Args:
        programs: marks answers that are programs.
        available_agents: names of the agents to which the tutor can delegate.
        care_text: text for a learner in distress; empty for the neutral one.
        extra_tools: tools besides the tutor's own.
    """

    lessons: LessonRepository
    repositories: Repositories
    memories: Memories
    programs: ProgramMarker
    available_agents: frozenset[str] = frozenset()
    care_text: str = ""
    extra_tools: tuple[ExtraTool, ...] = ()
