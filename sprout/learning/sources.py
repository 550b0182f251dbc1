"""Sources: passages of the learner's documents, their citations and coverage."""

from collections.abc import Sequence
from typing import Protocol

from sprout.events import Wire

MAX_RESULTS = 20
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


class PassageRow(Wire):
    """A passage and its place: `text` stands between the characters `start` and `end` of the document's text.

    `slides` says that the pages of its document are slides.
    """

    id: str
    document_id: str
    document: str
    heading: str | None
    page: int | None
    slides: bool
    start: int
    end: int
    text: str


class NodeSources(Wire):
    """Sources of a node; `general_knowledge`: its topic has documents, and the node cites none of their passages."""

    passages: list[PassageRow]
    general_knowledge: bool


class CoveredPassage(Wire):
    """A passage without its text, and the nodes that teach it; none where the path leaves it out."""

    id: str
    document_id: str
    document: str
    heading: str | None
    page: int | None
    node_ids: list[str]


class Sources(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def search(self, root_id: str, query: str, *, user_id: str, limit: int = MAX_RESULTS) -> Sequence[PassageRow]:
        """Passages of the topic's documents with words of the query in any form or one of its phrases, best first."""
        ...

    async def passage(self, passage_id: str, *, user_id: str) -> PassageRow: ...

    async def document(
        self,
        document_id: str,
        *,
        user_id: str,
        after: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> Sequence[PassageRow]:
        """The whole document in the order of its text; or so many of its passages, next to that of an id."""
        ...

    async def of_node(self, node_id: str, *, user_id: str) -> NodeSources: ...

    async def coverage(self, branch_id: str, *, user_id: str) -> Sequence[CoveredPassage]:
        """All passages of the branch's documents, in the order of upload and text."""
        ...
