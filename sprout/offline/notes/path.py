"""Path from notes: the documents' own outline as concepts, and a concept's sections as subconcepts."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sprout.learning.paths.heading_names import description_of
from sprout.learning.paths.passages import HEADING_SEPARATOR, NAME_SEPARATOR, OPENING
from sprout.learning.paths.quoted_text import quoted_name
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block
from sprout.learning.text.language import DEFAULT_LANGUAGE, leading_language
from sprout.offline.graph_plan import Plan, PlannedNode
from sprout.offline.notes.document import FEWEST_WORDS, Document, Part, read_document
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.language import CODES, language
from sprout.offline.notes.meanings import meanings_in
from sprout.offline.notes.order import Passage, edges_between
from sprout.offline.notes.outline import WHOLE_PATH, Stretch, stretches_of
from sprout.offline.notes.points import points_of
from sprout.offline.notes.rationale import rationale
from sprout.offline.notes.terms import known_terms
from sprout.offline.notes.titles import titles_of
from sprout.offline.notes.words import FIRST_GREEK, key_of, words_of

LEAST_OF_A_FULL_PATH = 3
SHORT_WORDS = 600  # of notes, from which on a short path has another reason
LEAST_WHOLE_PATH = 4  # concepts; a shorter path is the beginning of a whole one
LONGEST_DESC = 600
HEADINGS_OF_A_POINT = 2  # its own and the one above: the passages that are given may hold but one of two equal ones
CHARACTERS_FOR_LANGUAGE = 20_000
LATIN_SHARE = 0.75  # of the letters of a text that is in a language with Latin ones

_FORMULA = re.compile(r"\$[^$\n]{1,500}\$")


@dataclass(frozen=True, slots=True)
class Subconcept:
    """Subconcept of a concept from notes, and what it is about."""

    node: PlannedNode
    point: Stretch


def path_from_notes(texts: Sequence[str], *, least: int, most: int) -> Plan | None:
    """A path of at most `most` concepts in the order of the documents, or None where they say nothing."""
    documents = [read_document(text) for text in texts]
    code = code_of(documents)
    stretches = stretches_of(documents, code, most=most if most >= LEAST_WHOLE_PATH else WHOLE_PATH)
    stretches, rest = stretches[:most], stretches[most:]
    if not any(stretch.tells(code) for stretch in stretches):
        return None
    titles = titles_of(stretches, code)
    suffixes = _suffix_counts(documents)
    descs = [_covers([*_headings(stretch.parts, suffixes), *_terms(stretch)], code) for stretch in stretches]
    passages = [
        _passage(title, [part.title for part in stretch.parts], stretch.blocks, code)
        for title, stretch in zip(titles, stretches, strict=True)
    ]
    given = language(code)
    is_short = sum(document.content.words for document in documents) < SHORT_WORDS
    closing = rationale(
        titles,
        [pair for document in documents for pair in document.left_out],
        given,
        more_parts=len(rest),
        thin=is_short and len(titles) < LEAST_OF_A_FULL_PATH <= least,
    )
    nodes = [PlannedNode(title, desc) for title, desc in zip(titles, descs, strict=True)]
    return Plan(given.phrases.opening, nodes, edges_between(passages, code), closing)


def key_words_alone(texts: Sequence[str]) -> str:
    """Sentence, in their language, about documents without a path that are not short; empty where they are."""
    documents = [read_document(text) for text in texts]
    words = sum(document.content.words for document in documents)
    return language(code_of(documents)).phrases.key_words if words >= FEWEST_WORDS else ""


def subconcepts_of(
    documents: Sequence[Document], parts: Sequence[Part], code: str, *, most: int, concept: PlannedNode
) -> list[Subconcept]:
    """The subconcepts of a concept that these sections make; a single one is all that the concept is."""
    suffixes = _suffix_counts(documents)
    points = points_of(parts, code, most=most, title=concept.title)
    if len(points) == 1 and concept.desc:
        return [Subconcept(PlannedNode(points[0][0], concept.desc), points[0][1])]
    found = []
    for name, point in points:
        headings = _headings(point.parts, suffixes, least=HEADINGS_OF_A_POINT)
        known = {key_of(one, code) for one in (*headings, *(part.title for part in point.parts))}
        terms = [term for term in _terms(point) if key_of(term, code) not in known]
        desc = _covers([*headings, *terms], code)
        found.append(Subconcept(PlannedNode(name, desc), point))
    return found


def passage_of(subconcept: Subconcept, code: str) -> Passage:
    """The text of a subconcept."""
    headings = [part.title for part in subconcept.point.parts]
    return _passage(subconcept.node.title, headings, subconcept.point.blocks, code)


def code_of(documents: Sequence[Document], desc: str = "") -> str:
    """The code of the language that the documents are in, by their first 20,000 characters without formulas; English
    where it is none of `CODES`.

    Args:
        desc: of a concept; where it was made from notes, it begins in their language.
    """
    for code in CODES:
        if desc.startswith(description_of("", language=code)):
            return code
    said = "\n".join(text_of(block) for document in documents for block in document.content.all_blocks)
    words = words_of(_FORMULA.sub(" ", said[:CHARACTERS_FOR_LANGUAGE]))
    latin = [word for word in words if word < FIRST_GREEK]  # a symbol such as "α" tells no language
    is_latin = len("".join(latin)) > LATIN_SHARE * len("".join(words))  # else they are but names and symbols
    found = leading_language(latin) if is_latin else ""
    return found if found in CODES else DEFAULT_LANGUAGE


def _passage(title: str, headings: Sequence[str], blocks: Sequence[Block], code: str) -> Passage:
    sentences = sentences_in(blocks, code)
    known = known_terms([title, *headings], sentences, code)
    defined = {one.key: one.term for one in meanings_in(blocks, code, known=known)}
    return Passage(title, headings, sentences, defined)


def _covers(names: Sequence[str], code: str) -> str:
    listed = ""
    for name in names:
        longer = f"{listed}{NAME_SEPARATOR}{name}" if listed else name
        listed = longer if len(longer) <= LONGEST_DESC or not listed else listed
    return description_of(listed[:LONGEST_DESC], language=code)


def _terms(stretch: Stretch) -> tuple[str, ...]:
    """The terms that say which piece of a section it is."""
    return stretch.terms if any(part.path for part in stretch.parts) else ()


def _headings(parts: Sequence[Part], suffixes: Counter[tuple[str, ...]], *, least: int = 1) -> list[str]:
    """The headings of the parts, each with as many of those above it as it takes to mean one section; text without a
    heading is quoted."""
    found: dict[str, None] = {}
    for is_headed, group in groupby(parts, lambda part: bool(part.path or part.label)):
        if is_headed:
            found |= dict.fromkeys(_heading_name(part, suffixes, least) for part in group)
        else:
            found[quoted_name("\n".join(text_of(block) for part in group for block in part.blocks))] = None
    return [*found]


def _heading_name(part: Part, suffixes: Counter[tuple[str, ...]], least: int) -> str:
    if not part.path:
        return f"{part.label}{OPENING}"
    sizes = range(min(least, len(part.path)), len(part.path))
    length = next((size for size in sizes if suffixes[part.path[-size:]] == 1), len(part.path))
    name = HEADING_SEPARATOR.join(part.path[-length:])
    return f"{name}{OPENING}" if part.opening else name


def _suffix_counts(documents: Sequence[Document]) -> Counter[tuple[str, ...]]:
    """In how many sections each path of headings ends."""
    return Counter(
        part.path[at:]
        for document in documents
        for part in document.content.iter_parts()
        for at in range(len(part.path))
    )
