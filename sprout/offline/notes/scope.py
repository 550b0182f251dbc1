"""Scope of a concept or subconcept in notes: what its description names, by heading and by term."""

from collections.abc import Iterator, Sequence

from sprout.learning.paths.passages import HEADING_SEPARATOR, NAME_SEPARATOR, OPENING, named_in
from sprout.learning.structure.titles import heading_key
from sprout.offline.notes.document import Document, Part
from sprout.offline.notes.points import term_points
from sprout.offline.notes.turns import densest_run
from sprout.offline.notes.words import key_of


def own_parts(documents: Sequence[Document], *, title: str, desc: str, code: str) -> list[Part]:
    """The sections that a description names, or those of the title, or the text in which its terms stand; else all."""
    names = named_in(desc)
    headed = {name: parts for name in names if (parts := list(_named_parts(documents, name)))}
    terms = [name for name in names if name not in headed]
    found = [part for parts in headed.values() for part in parts]
    if not found:
        found = [part for name in title.split(NAME_SEPARATOR) for part in _named_parts(documents, name)]
    if found:
        return [_about(part, terms, code) if terms else part for part in dict.fromkeys(found)]
    blocks = [block for document in documents for block in document.content.all_blocks]
    run = densest_run(blocks, [*terms, title, *_words(title)], code)
    return [Part((), run)] if run else [part for document in documents for part in [document.content] if part.words]


def _words(title: str) -> list[str]:
    return [word for word in title.split() if len(word) > 3]


def _named_parts(documents: Sequence[Document], name: str) -> Iterator[Part]:
    """The sections with these headings at the end of their path; a document's title names what stands before them."""
    titles = name.removesuffix(OPENING).split(HEADING_SEPARATOR)
    exact = any([*part.path[-len(titles) :]] == titles for one in documents for part in one.content.iter_parts())
    key = str if exact else heading_key
    wanted = [key(title) for title in titles]
    for document in documents:
        opening = document.content
        if opening.label and opening.blocks and [key(opening.label)] == wanted:
            yield Part((), opening.blocks, opening=True, label=opening.label)
        for part in opening.iter_parts():
            if [key(title) for title in part.path[-len(wanted) :]] == wanted:
                yield Part(part.path, part.blocks, opening=True) if name.endswith(OPENING) else part


def _about(part: Part, terms: Sequence[str], code: str) -> Part:
    """The section, without the blocks that are about other terms."""
    keys = {key_of(term, code) for term in terms}
    own = [point for point in term_points(part, code) if keys & {key_of(name, code) for name in point.names}]
    blocks = [block for point in own for block in point.blocks]
    return Part(part.path, tuple(blocks) or densest_run(part.all_blocks, terms, code) or part.all_blocks)
