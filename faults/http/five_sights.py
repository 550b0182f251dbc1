"""Rights of five people to see something of each other: what a class shows, and what an owner sees of accounts."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.requests.five_people import TEACHER_OF, CanaryKind

PUPIL_OF = "pupil of "
"""One who joined a class with its code in the round, before the name of the class's teacher."""
TEACHERS = {teacher: learner for learner, teacher in TEACHER_OF.items()}


@dataclass(frozen=True, slots=True)
class Sight:
    """A right of one of the five to see something of another.

    Args:
        kinds: of canaries.
        prefixes: of the addresses at which they are seen, with the ids beside them.
    """

    kinds: frozenset[CanaryKind]
    prefixes: tuple[str, ...]

    def covers(self, operation: tuple[str, str], kind: CanaryKind) -> bool:
        return kind in self.kinds and self.at(operation)

    def at(self, operation: tuple[str, str]) -> bool:
        return operation[1].startswith(self.prefixes)


OF_A_LEARNER = (
    Sight(
        frozenset({CanaryKind.NAME}),
        (
            "/api/classes/{id}/learners",
            "/api/classes/{id}/paths/{given_id}/progress",
            "/api/classes/{id}/desk/{item_id}/learner",
            "/api/classes/{id}/concerns",
            "/api/classes/{id}/shared",
            "/api/classes/{id}/paths/{given_id}/xapi",
        ),
    ),
    Sight(frozenset({CanaryKind.OWN}), ("/api/classes/{id}/shared",)),  # the title of a lesson that was shared
    Sight(frozenset({CanaryKind.ANSWER}), ("/api/classes/{id}/desk",)),
    Sight(frozenset({CanaryKind.SHARED}), ("/api/classes/{id}/shared/{session_id}",)),
)
OF_A_TEACHER = (
    Sight(frozenset({CanaryKind.GIVEN}), ("/api/",)),  # the learner has a copy
    Sight(
        frozenset({CanaryKind.CLASS, CanaryKind.NAME}),
        (
            "/api/account/",
            "/api/class-code",
            "/api/sign-in/class",
            "/api/chat/sessions/{id}/share",
            "/api/branches/{id}/update",
            "/api/status",  # whose budget is nearly spent
        ),
    ),
)
OF_AN_OWNER = (
    Sight(frozenset({CanaryKind.NAME}), ("/api/people", "/api/security-log")),
    Sight(frozenset({CanaryKind.NAME, CanaryKind.CLASS}), ("/api/class-spending",)),
)


def sights(viewer: str, other: str) -> Sequence[Sight]:
    """Rights of one of the five to see something of another."""
    if viewer == "owner":
        return OF_AN_OWNER
    if TEACHERS.get(viewer) == other or other == f"{PUPIL_OF}{viewer}":
        return OF_A_LEARNER
    return OF_A_TEACHER if TEACHER_OF.get(viewer) == other else ()
