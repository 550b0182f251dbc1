"""Scope of a concept or subconcept in notes: what its description names by heading or term, or quotes."""

from collections.abc import Iterator, Sequence

from sprout.learning.paths.passages import HEADING_SEPARATOR, NAME_SEPARATOR, OPENING, named_in
from sprout.learning.paths.quoted_text import QuotableTexts
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.titles import heading_key
from sprout.offline.notes.document import Document, Part
from sprout.offline.notes.outline import term_pieces
from sprout.offline.notes.words import key_of


def own_parts(documents: Sequence[Document], *, title: str, desc: str, code: str) -> list[Part]:
    """The sections and texts that a description names, or the sections of the title; else all."""
    names = named_in(desc)
    blocks = [block for document in documents for block in document.content.all_blocks]
    texts = QuotableTexts([*map(text_of, blocks)])
    found: dict[str, list[Part]] = {}
    for name in names:
        quoted = [blocks[at] for at in texts.find(name)]
        if parts := [Part((), tuple(quoted))] if quoted else [*_named_parts(documents, name)]:
            found[name] = parts
    terms = [name for name in names if name not in found]
    named = [part for parts in found.values() for part in parts]
    named = named or [part for name in title.split(NAME_SEPARATOR) for part in _named_parts(documents, name)]
    if named:
        return [_about(part, terms, code) if terms else part for part in dict.fromkeys(named)]
    return [document.content for document in documents if document.content.words]


def _named_parts(documents: Sequence[Document], name: str) -> Iterator[Part]:
    """The sections with these headings at the end of their path; a document's title names what stands before them."""
    titles = name.removesuffix(OPENING).split(HEADING_SEPARATOR)
    paths = [part.path for one in documents for part in one.content.iter_parts()]
    key = str if any([*path[-len(titles) :]] == titles for path in paths) else heading_key
    wanted = [key(title) for title in titles]
    whole = any([*map(key, path)] == wanted for path in paths)  # else it would name one more of those above
    for document in documents:
        opening = document.content
        if opening.label and opening.blocks and [key(opening.label)] == wanted:
            yield Part((), opening.blocks, opening=True, label=opening.label)
        for part in opening.iter_parts():
            if [key(title) for title in (part.path if whole else part.path[-len(wanted) :])] == wanted:
                yield Part(part.path, part.blocks, opening=True) if name.endswith(OPENING) else part


def _about(part: Part, terms: Sequence[str], code: str) -> Part:
    """The section, without the blocks that are about other terms."""
    keys = {key_of(term, code) for term in terms}
    own = [piece for piece in term_pieces(part, code) if keys & {key_of(name, code) for name in piece.terms}]
    blocks = tuple(block for piece in own for block in piece.blocks)
    return Part(part.path, blocks or part.all_blocks)
