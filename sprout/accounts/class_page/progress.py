"""Progress of a class on a path that was given to it: learners by concepts, as the class page shows it."""

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import Field

from sprout.events import Wire
from sprout.learning.graph.node_states import NodeState

Outcome = Literal["right", "partly", "wrong", "unmarked"]


class ClassConcept(Wire):
    """A concept of the teacher's path, and how many learners are stuck at it."""

    node_id: str
    title: str
    stuck: int


class LearnerProgress(Wire):
    """A learner's progress on the path. Numbers in `stuck`, `unsure` and `dueConcepts` are places in `concepts`."""

    user_id: str
    display_name: str
    last_active_at: str | None = Field(description="of the last answer or message in the path; null for never")
    due: int = Field(description="parts that are due for review now")
    study_seconds: int = Field(description="in the last seven days, estimated from answers and messages")
    has_copy: bool = Field(description="false while it is waited for, and once the learner has deleted it")
    states: list[NodeState | None] = Field(
        description="one for each of `concepts`; null where the learner's copy has no such concept"
    )
    stuck: list[int] = Field(description="two misses among the last three marked answers, and not learned")
    unsure: list[int] = Field(description="begun or known, from fewer answers than it takes to learn a part")
    due_concepts: list[int]


class SentContrast(Wire):
    """A contrast question that was sent: to how many, how many answered, and how many no longer hold the mix-up."""

    at: str
    to: int
    answered: int
    cleared: int


class ClassMixUp(Wire):
    """A mix-up that learners of the class hold, and the contrast question that was sent last."""

    id: str
    statement: str
    held: int
    can_send: bool = Field(description="whether a question on it can be asked of at least one who holds it")
    sent: SentContrast | None


class ClassProgress(Wire):
    """Progress of a class on a given path."""

    class_id: str
    given_id: str
    branch_id: str
    title: str
    due_on: str | None
    at: str
    concepts: list[ClassConcept]
    learners: list[LearnerProgress] = Field(description="those who are stuck at most first, then by name")
    mix_ups: list[ClassMixUp] = Field(description="those that most hold first")
    active_this_week: int
    stuck_somewhere: int


class ReportedAnswer(Wire):
    """A question that a learner has answered, and how; nothing of what they said."""

    at: str
    prompt: str
    outcome: Outcome
    helped: bool


class ConceptReport(Wire):
    """A learner's standing with a concept of a given path."""

    display_name: str
    title: str
    state: NodeState | None
    stuck: bool
    unsure: bool
    chance: float | None = Field(description="the estimate of how likely they know it, 0..1; null before any answer")
    answers: list[ReportedAnswer] = Field(description="the last ten, newest first")


class SeenPath(Wire):
    """What a teacher sees of the caller on a path: their row of the class page, and the mix-ups that they hold."""

    given_id: str
    title: str
    concepts: list[str] = Field(description="titles, in the order of `row.states`")
    row: LearnerProgress
    mix_ups: list[str]


class ClassProgressReports(Protocol):
    """Scoped to the teacher: a class or given path that is missing or another's raises NotFound."""

    async def progress(self, class_id: str, given_id: str, *, teacher_id: str) -> ClassProgress: ...

    async def concept(self, class_id: str, learner_id: str, node_id: str, *, teacher_id: str) -> ConceptReport:
        """A member's standing with a concept of a path that is given to the class. Raises NotFound."""
        ...

    async def seen(self, class_id: str, *, learner_id: str) -> Sequence[SeenPath]:
        """What the teacher of a class sees of a member of it. Raises NotFound: the user is not in the class."""
        ...
