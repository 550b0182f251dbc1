"""Document excerpts for the topic agent: whole documents, or a fair share of each."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from sprout.agents.fences import fenced, wrapped
from sprout.learning.paths.passages import Passage

MAX_NAME = 200
MAX_OMITTED_HEADINGS = 40
MAX_HEADINGS = 4_000


def document_excerpts(passages: Sequence[Passage], *, characters: int) -> tuple[str, str]:
    """The documents as elements with at most `characters` of text in all, and a note on those that were cut.

    Documents that are shorter than their share leave the rest to the others. Passages stay whole.
    """
    documents = [(name, list(group)) for name, group in groupby(passages, lambda passage: passage.document)]
    shares = _shares([_length(group) for _, group in documents], characters)
    elements: list[str] = []
    cut: list[str] = []
    for (name, group), share in zip(documents, shares, strict=True):
        shown = list(_leading_passages(group, share))
        text = "\n\n".join(passage.text for passage in shown)
        elements.append(fenced("document", text, limit=max(share, 0), name=name))
        left_out = group[len(shown) :]
        if left_out:
            cut.append(name)
            elements.append(_omitted(name, left_out))
    return "\n".join(elements), _truncation_note(len(cut), len(documents))


def _shares(lengths: Sequence[int], characters: int) -> list[int]:
    """Characters for each text: its length, if that is at most a fair share of what is left."""
    shares = [0] * len(lengths)
    left = characters
    for served, at in enumerate(sorted(range(len(lengths)), key=lambda at: lengths[at])):
        shares[at] = min(lengths[at], left // (len(lengths) - served))
        left -= shares[at]
    return shares


def _length(passages: Sequence[Passage]) -> int:
    return sum(len(passage.text) + 2 for passage in passages)


def _leading_passages(passages: Sequence[Passage], characters: int) -> Iterator[Passage]:
    for passage in passages:
        characters -= len(passage.text) + 2
        if characters < 0:
            return
        yield passage


def _omitted(name: str, passages: Sequence[Passage]) -> str:
    headings = dict.fromkeys(passage.heading for passage in passages if passage.heading)
    listed = "\n".join([*headings][:MAX_OMITTED_HEADINGS])
    return fenced("left_out", listed or f"{len(passages)} passages", limit=MAX_HEADINGS, document=name)


def _truncation_note(cut: int, documents: int) -> str:
    if not cut:
        return ""
    note = f"{cut} of the {documents} documents did not fit in whole; what is left out is named by its headings."
    return wrapped("note", note)
