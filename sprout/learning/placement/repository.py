"""Placements repository: placements that can be left and taken up, their answers and what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sprout.events import AnswerType, Wire
from sprout.learning.placement.knowledge_space import Placed
from sprout.learning.questions.questions import AnswerForm

PlacementKind = Literal["path", "node"]
PlacementOutcome = Literal["placed", "confirmed", "not_confirmed"]


class PlacementOverview(Wire):
    """Placements of a path.

    Args:
        questions: the most that a placement of it asks; 0 where nothing can be asked.
        minutes: about how long that takes.
        open_id: the placement that is not over.
        last_id: the last one that is.
    """

    branch_id: str
    questions: int
    minutes: int
    open_id: str | None
    last_id: str | None


class PlacementQuestion(Wire):
    """The open question of a placement, without its key."""

    item_id: str
    question_id: str
    node_id: str
    title: str
    concept: str
    prompt: str
    type: AnswerType
    form: AnswerForm
    options: list[str] | None


class PlacedNode(Wire):
    """A part of the path, as the placement left it.

    Args:
        placed: known, ready or later, by what was found, what the learner says and what is learned by now.
        found: whether the placement found it known.
        said: whether the learner says they know it, where that overrules what was found.
        asked: the number of questions about it.
    """

    node_id: str
    concept_id: str
    title: str
    concept: str
    placed: Placed
    found: bool
    said: bool | None
    asked: int


class PlacementSession(Wire):
    """A placement of a path, or the check of a node that its learner says they know.

    Args:
        node_id, title: the node of a check; null for a path.
        answered: of at most `questions`.
        question: the open one; null at the end.
        outcome: at the end.
        nodes: at the end, in the order of the path; of a check its own and what it found known.
        feedback: why the last answer could not be read; the question is still open.
    """

    id: str
    branch_id: str
    kind: PlacementKind
    node_id: str | None
    title: str | None
    started_at: str
    ended_at: str | None
    answered: int
    questions: int
    minutes_left: int
    question: PlacementQuestion | None
    outcome: PlacementOutcome | None
    nodes: list[PlacedNode]
    feedback: str | None = None


@dataclass(frozen=True, slots=True)
class PlacementAnswer:
    """Learner's answer to an item: words, or an option by its text or id; with neither, it is "I don't know"."""

    item_id: str
    text: str | None = None
    option: str | None = None


class Placements(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound.

    What is written is one transaction. Which question comes next is always computed from the stored answers and the
    path as it is. Each question counts once: another answer to it raises Conflict, the same one again gets the same
    reply. Right answers are in no reply: the questions come again in lessons.
    """

    async def overview(self, branch_id: str, *, user_id: str) -> PlacementOverview: ...

    async def overviews(self, branch_ids: Sequence[str], *, user_id: str) -> Mapping[str, PlacementOverview]:
        """Branch → its overview, in a fixed number of statements; branches that are not the user's are left out."""
        ...

    async def start(
        self, *, user_id: str, branch_id: str | None = None, node_id: str | None = None
    ) -> tuple[PlacementSession, bool]:
        """A new placement of a path, and True; its open one, and False. With a node, a new check of it.

        Raises NotFound; BadInput (neither or both, or a node that is no concept or part); Conflict (nothing to ask).
        """
        ...

    async def session(self, placement_id: str, *, user_id: str) -> PlacementSession: ...

    async def answer(self, placement_id: str, answer: PlacementAnswer, *, user_id: str) -> PlacementSession:
        """Mark the answer; the placement with its next question. Raises BadInput (no such option), Conflict."""
        ...

    async def skip(self, placement_id: str, item_id: str, *, user_id: str) -> PlacementSession:
        """Leave a question out, and its node with it, which says nothing. Raises Conflict."""
        ...

    async def finish(self, placement_id: str, *, user_id: str) -> PlacementSession:
        """End it now, with what the answers so far show."""
        ...

    async def overrule(self, placement_id: str, node_id: str, known: bool, *, user_id: str) -> PlacementSession:
        """Keep that the learner says they know a part, or do not; to say what was found takes their word back.

        Raises NotFound (the part is not one of its nodes), Conflict (it is not over).
        """
        ...
