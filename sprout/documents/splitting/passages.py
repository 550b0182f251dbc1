"""Passages of a document."""

from collections.abc import Sequence

from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.learning.paths.passages import Passage


def split_into_passages(document: str, text: str, page_starts: Sequence[int] = ()) -> list[Passage]:
    """The passages of a document; with their pages if `page_starts` is given."""
    return [
        Passage(document, span.heading, text[span.start : span.end], span.start, span.end, page=span.page)
        for span in split_into_spans(text, page_starts)
    ]
