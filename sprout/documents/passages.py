"""A document's text as passages."""

from collections.abc import Sequence

from sprout.documents.pieces import pieces_of
from sprout.learning.paths.shelf import Passage


def passages_of(document: str, text: str, page_starts: Sequence[int] = ()) -> list[Passage]:
    """The passages of a document: its pieces, and the page of each where it is told where its pages begin."""
    return [
        Passage(document, piece.heading, text[piece.start : piece.end], piece.start, piece.end, page=piece.page)
        for piece in pieces_of(text, page_starts)
    ]
