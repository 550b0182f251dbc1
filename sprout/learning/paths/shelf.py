"""The Protocols of what must be loaded and kept, and the values that pass through them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sprout.events import EdgeEnds, NodeRow
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.questions.questions import QuestionDraft


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something: the learner, or an agent within a run and, where there is one, a tool call.

    `epoch` counts the carriers of the run: a change under an older one than the present is refused.
    """

    user_id: str
    agent: str | None = None
    run_id: str | None = None
    root_run_id: str | None = None
    call_id: str | None = None
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a learner's document; `heading` is the path of headings above it, joined by " › ".

    `text` is what stands between the characters `start` and `end` of the document's text. The passages of a document
    follow one another and leave out nothing but white space. `id` is what a claim cites, empty before it is kept;
    `page` counts from 1 where the document has pages.
    """

    document: str
    heading: str | None
    text: str
    start: int
    end: int
    id: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A topic's document as far as it has been read; `problem` says why not, for its learner."""

    filename: str
    status: Literal["pending", "completed", "failed"]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that is there already: how it is put, and the titles of the subconcepts that it tests.

    Args:
        voided: it did not hold, and is not asked any more.
    """

    prompt: str
    tests: tuple[str, ...]
    voided: bool = False


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    id: str
    assessment_id: str
    position: int
    created: bool


class Shelf(Protocol):
    """Loads what the agents work on and keeps what they make."""

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        """Raises NotFound, also for somebody else's node."""
        ...

    async def children(self, parent_id: str) -> tuple[list[NodeRow], list[EdgeEnds]]:
        """The children in order of creation, and the edges among them."""
        ...

    async def edit_graph(
        self,
        parent_id: str,
        operation: Callable[[ConceptGraph], Edit],
        *,
        actor: Actor,
        reason: str | None = None,
        evidence: Sequence[str] = (),
        passages: Sequence[str] = (),
    ) -> Edit:
        """Apply a pure operation to the children of a node: one transaction with the events, the record of the
        operation and, where the actor names a call, the end of that call. `evidence` are ids of what it goes by,
        `passages` ids of what the node that it is about teaches from.

        Raises NotFound (the parent is gone), GraphRefused (an agent would remove what the learner has begun; there is
        no such passage in the topic's documents) and whatever the operation raises; then nothing was written.
        """
        ...

    async def save_question(
        self, concept_id: str, draft: QuestionDraft, *, actor: Actor, held_back: bool = False
    ) -> SavedQuestion:
        """Add a diagnostic question to the learner's one diagnostic of the concept; the same prompt again is returned
        as it is. One transaction, like `edit_graph`. Raises NotFound, QuestionRefused (also: it was taken back).

        Args:
            held_back: not to be asked before its key is checked.
        """
        ...

    async def asked(self, concept_id: str, *, user_id: str) -> Sequence[AskedQuestion]:
        """The questions of the learner's diagnostic of the concept, in their order."""
        ...

    async def resolve_question_tests(self, concept_id: str, *, actor: Actor) -> None:
        """Point the concept's questions at the nodes of the subconcepts that they name by title; progress follows."""
        ...

    async def is_generated(self, node_id: str, *, user_id: str) -> bool:
        """Whether the agent that makes the children of this node has come to its end once."""
        ...

    async def mark_generated(self, node_id: str, *, user_id: str) -> None: ...

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        """Note who made the children of a node; a run's second note is not taken."""
        ...

    async def documents(self, root_id: str) -> Sequence[Note]:
        """The topic's documents as far as they have been read, in the order of upload."""
        ...

    async def passages(self, root_id: str) -> Sequence[Passage]:
        """All passages of the topic's documents, in the order of upload and text."""
        ...

    async def search(self, root_id: str, query: str, *, limit: int) -> Sequence[Passage]:
        """The passages of the topic's documents that hold words of the query, best first."""
        ...
