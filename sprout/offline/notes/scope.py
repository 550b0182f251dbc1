"""Scope of a concept or subconcept in notes: what its description names, by heading and by term."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sprout.learning.paths.passages import BEGINNING, HEADING_SEPARATOR, NAME_SEPARATOR, OPENING, named_in
from sprout.learning.structure.titles import heading_key
from sprout.learning.structure.tree import Block, Definition
from sprout.offline.notes.document import Document, Part
from sprout.offline.notes.glossary import entries_in
from sprout.offline.notes.outline import WHOLE_PATH, is_one_subject, stretches_of, term_pieces
from sprout.offline.notes.titles import TO, titles_of
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
    whole = [document.content for document in documents if document.content.words]
    if terms:  # of text without a heading: in a document with headings the text before the first
        whole = [replace(part, parts=()) for part in whole if not part.parts or part.blocks] or whole
    if entries := _entries(whole, [*terms, *title.split(TO)], code):
        return [Part((), entries)]
    if is_one_subject(whole):
        return whole
    pieces = stretches_of(documents, code, most=WHOLE_PATH)
    cut = dict(zip(titles_of(pieces, code), pieces, strict=True))  # as the path was, where all of the text is here
    if title in cut:
        return [*cut[title].parts]
    said = title.rpartition(": ")[2]
    run = densest_run([block for part in whole for block in part.all_blocks], [*terms, said, *_words(said)], code)
    return [Part((), run)] if run else whole


def _entries(whole: Sequence[Part], names: Sequence[str], code: str) -> tuple[Block, ...]:
    """From the first to the last of these terms, where a text only explains terms."""
    blocks = tuple(block for part in whole for block in part.all_blocks)
    keys = {key_of(name, code) for name in names}
    named = [at for at, term in enumerate(entries_in(blocks)) if key_of(term, code) in keys]
    entries = [block for block in blocks if isinstance(block, Definition)]
    return tuple(entries[named[0] : named[-1] + 1]) if named else ()


def _words(title: str) -> list[str]:
    return [word for word in title.split() if len(word) > 3]


def _named_parts(documents: Sequence[Document], name: str) -> Iterator[Part]:
    """The sections with these headings at the end of their path; a document's title names what stands before them."""
    if name == BEGINNING:
        yield from (replace(one.content, parts=()) for one in documents if one.content.blocks)
        return
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
