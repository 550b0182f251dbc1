"""Passages of a learner's documents, and the repository from which agents read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

HEADING_SEPARATOR = " › "
NAME_SEPARATOR = " · "  # between the headings that a description names
OPENING = " …"  # behind a heading: only the text before its first subsection


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a learner's document; `heading` is the path of headings above it, joined by " › ".

    `text` stands between the characters `start` and `end` of the document's text. The passages of a document follow one
    another and leave out nothing but white space. `id` is what a citation names, empty before the passage is stored;
    `page` counts from 1 if the document has pages.
    """

    document: str
    heading: str | None
    text: str
    start: int
    end: int
    id: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """Extraction status of a topic's document; `problem` tells its learner why it could not be read."""

    filename: str
    status: Literal["pending", "completed", "failed"]
    problem: str | None = None


class PassageRepository(Protocol):
    """Documents of a topic, by the id of its root node. A topic without documents has no passages; nothing raises.

    The caller has checked that the topic is the learner's.
    """

    async def document_statuses(self, root_id: str) -> Sequence[DocumentStatus]:
        """The status of every document, in the order of upload."""
        ...

    async def passages(self, root_id: str) -> Sequence[Passage]:
        """All passages, in the order of upload and text. Documents that are not split yet are split and stored."""
        ...

    async def search(self, root_id: str, query: str, *, limit: int) -> Sequence[Passage]:
        """The passages with words of the query in any form, or one of its phrases; best first, at most `limit`."""
        ...


def named_in(desc: str) -> list[str]:
    """The headings, texts and terms that a description names after its colon: "In your notes: Cells · Cells ›
    Membranes"."""
    return [name.strip() for name in desc.partition(":")[2].split(NAME_SEPARATOR) if name.strip()]
