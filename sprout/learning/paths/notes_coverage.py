"""Coverage of a topic's documents by its concepts, section by section.

A concept whose description names headings teaches what stands under them; any other teaches what it and its parts cite.
Exercises, references and the like under a named heading are not taught unless they are named themselves.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow
from sprout.learning.graph.graph import MAX_TITLE, ConceptGraph, Edit
from sprout.learning.paths.heading_names import HeadingName, description_of, heading_names
from sprout.learning.paths.left_out import LeftOutReason, LeftOutSection
from sprout.learning.paths.passages import HEADING_SEPARATOR, OPENING
from sprout.learning.structure.heading_roles import Role
from sprout.learning.structure.outline import OutlinedSection, iter_outline, outline_of
from sprout.learning.text.language import detect_language

SHORT = 40  # words of content that are too few for a lesson
CHARACTERS_FOR_LANGUAGE = 20_000

_BY_WORDS = {  # the reasons of `classify` that are no names of roles
    "table of contents": LeftOutReason.CONTENTS,
    "references": LeftOutReason.REFERENCES,
    "acknowledgements": LeftOutReason.ACKNOWLEDGEMENTS,
    "licence": LeftOutReason.LICENCE,
    "navigation": LeftOutReason.NAVIGATION,
    "index": LeftOutReason.INDEX,
    "list of links": LeftOutReason.LINKS,
    "link": LeftOutReason.LINKS,
    "mostly questions": LeftOutReason.QUESTIONS,
}


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """Place of a passage, and the concepts that cite it, themselves or by a part."""

    id: str
    start: int
    end: int
    page: int | None
    concept_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document that has been read, with its passages in the order of the text."""

    id: str
    name: str
    text: str
    slides: bool
    added_at: str
    passages: tuple[PassagePlace, ...]


class NotesCoverage:
    """Which concept teaches which section of a topic's documents.

    Args:
        concepts: in the order of creation.
    """

    def __init__(self, documents: Sequence[DocumentText], concepts: Sequence[NodeRow]) -> None:
        self._documents = documents
        self._concepts = concepts
        self._outlines = {one.id: outline_of(one.text) for one in documents}
        sections = [each for outline in self._outlines.values() for each in iter_outline(outline) if each.path]
        self._ends = Counter(each.keys[at:] for each in sections for at in range(len(each.keys)))
        self._names: Mapping[str, list[HeadingName]] = {
            one.id: names
            for one in concepts
            if (names := [name for name in heading_names(one.desc or "") if name.keys in self._ends])
        }
        self._taught: dict[tuple[str, int], str] = {}
        for document in documents:
            self._find_taught(document, self._outlines[document.id], None)

    def left_out(self) -> list[LeftOutSection]:
        """The sections that no concept teaches, each once: the largest, without those within it."""
        if not self._concepts:
            return []
        return [
            self._row(document, section, opening=opening)
            for document in self._documents
            for section, opening in self._untaught(document.id, self._outlines[document.id])
        ]

    def bring_in(self, graph: ConceptGraph, document_id: str, start: int, now: datetime) -> Edit:
        """The edit that adds a concept on the section that begins here, behind the one that teaches what precedes it.

        Where one teaches it already there is nothing to add.

        Raises NotFound (the document, the section), BadInput (the section has no words).
        """
        document = next((one for one in self._documents if one.id == document_id), None)
        if document is None:
            raise NotFound("document", document_id)
        section = next(
            (one for one in iter_outline(self._outlines[document_id]) if one.start == start and one.path), None
        )
        if section is None:
            raise NotFound("section", str(start))
        teaching = self._teacher_of(document_id, section)
        if teaching is not None:
            return Edit(graph, (), graph.node(teaching))
        if not section.all_words:
            raise BadInput(
                "There are no words to learn under {title!r}.", field="start", code="section_empty", title=section.title
            )
        desc = self._description(document, section)
        for title in _titles(section, self._outlines[document_id]):
            edit = graph.add(title, desc, now)
            if edit.created or (edit.node is not None and edit.node.desc == desc):
                return _behind(edit, self._concept_before(document_id, section))
        raise AssertionError("the titles never end")

    def _find_taught(self, document: DocumentText, section: OutlinedSection, above: tuple[str, bool] | None) -> None:
        """Note who teaches the section's own text, and below.

        Args:
            above: the concept that names a section over this one, and whether that one is content.
        """
        learned = section.role is Role.CONTENT
        named = self._concept_naming(section, opening=False) if section.path else None
        if named is not None:
            above = (named, learned)
        teaching = above[0] if above is not None and (learned or not above[1]) else None
        teaching = teaching or self._concept_naming(section, opening=True) or self._concept_citing(document, section)
        if teaching is not None and section.path:
            self._taught[document.id, section.start] = teaching
        for below in section.subsections:
            self._find_taught(document, below, above)

    def _concept_naming(self, section: OutlinedSection, *, opening: bool) -> str | None:
        keys = section.keys
        return next(
            (
                concept_id
                for concept_id, names in self._names.items()
                if any(name.opening is opening and name.names(keys) for name in names)
            ),
            None,
        )

    def _concept_citing(self, document: DocumentText, section: OutlinedSection) -> str | None:
        if not section.words:
            return None
        return next(
            (
                concept_id
                for place in _places(document, section.start, section.own_end)
                for concept_id in place.concept_ids
                if concept_id not in self._names
            ),
            None,
        )

    def _untaught(self, document_id: str, section: OutlinedSection) -> Iterator[tuple[OutlinedSection, bool]]:
        """The largest sections of which nothing is taught; of others an untaught text before the subsections."""
        whole = [*iter_outline(section)]
        if section.path and not any((document_id, one.start) in self._taught for one in whole):
            learned = any(one.words and one.role is Role.CONTENT for one in whole)
            if section.all_words and (learned or section.role is not Role.CONTENT):
                yield section, False
                return
        elif section.path and section.words >= SHORT and (document_id, section.start) not in self._taught:
            yield section, True
        for below in section.subsections:
            yield from self._untaught(document_id, below)

    def _row(self, document: DocumentText, section: OutlinedSection, *, opening: bool) -> LeftOutSection:
        words = section.words if opening else section.all_words
        place = next(_places(document, section.start, section.end), None)
        return LeftOutSection(
            document_id=document.id,
            document=document.name,
            start=section.start,
            title=section.title,
            path=[*section.path],
            opening=opening,
            passage_id=place.id if place else None,
            page=place.page if place else None,
            slides=document.slides,
            words=words,
            reason=self._reason(document, section, words),
        )

    def _reason(self, document: DocumentText, section: OutlinedSection, words: int) -> LeftOutReason:
        if section.role is not Role.CONTENT:
            return _BY_WORDS.get(section.reason) or LeftOutReason(section.role.value)
        if document.added_at > self._concepts[0].created_at:
            return LeftOutReason.ADDED_LATER
        if words < SHORT:
            return LeftOutReason.SHORT
        return LeftOutReason.NO_ROOM if self._names else LeftOutReason.NOT_CITED

    def _teacher_of(self, document_id: str, section: OutlinedSection) -> str | None:
        """The concept that teaches the section; of one without words of its own, that of the first one below."""
        sections = [section] if section.words else [*iter_outline(section)]
        found = (self._taught.get((document_id, one.start)) for one in sections)
        return next((one for one in found if one is not None), None)

    def _concept_before(self, document_id: str, section: OutlinedSection) -> str | None:
        """The concept that teaches the nearest section before this one, also of an earlier document."""
        before: str | None = None
        for one in self._documents:
            for each in iter_outline(self._outlines[one.id]):
                if one.id == document_id and each.start >= section.start:
                    return before
                before = self._taught.get((one.id, each.start), before)
        return before

    def _description(self, document: DocumentText, section: OutlinedSection) -> str:
        opening = any((document.id, one.start) in self._taught for one in iter_outline(section))
        keys = section.keys
        sizes = range(1, len(keys))
        size = next((size for size in sizes if self._ends[keys[-size:]] == 1), len(keys))
        heading = HEADING_SEPARATOR.join(section.path[-size:]) + OPENING * opening
        named = (one.desc or "" for one in self._concepts if one.id in self._names)
        opening_words = next(named, "").partition(":")[0]
        if opening_words:  # as the built-in model has begun the others
            return f"{opening_words}: {heading}"
        return description_of(heading, language=detect_language(document.text[:CHARACTERS_FOR_LANGUAGE]))


def _places(document: DocumentText, start: int, end: int) -> Iterator[PassagePlace]:
    """The passages that share characters with this stretch of the text."""
    first = max(bisect_right(document.passages, start, key=lambda place: place.start) - 1, 0)
    for place in document.passages[first:]:
        if place.start >= end:
            return
        if place.end > start:
            yield place


def _titles(section: OutlinedSection, outline: OutlinedSection) -> Iterator[str]:
    """Titles for the concept, the best first; one like "Exercises" stands after the heading above it."""
    longest = MAX_TITLE - len(" (1000)")
    path = section.path[1:] if len(outline.subsections) == 1 and not outline.words else section.path
    title = section.title[:longest]
    above = [f"{one}: {other}"[:longest] for one, other in pairwise(path[-2:])]
    yield from [title, *above] if section.role is Role.CONTENT else [*above, title]
    yield from (f"{title} ({number})" for number in range(2, 1_000))


def _behind(edit: Edit, before: str | None) -> Edit:
    """The edit, with an edge from the concept before the new one; what the learner has begun stays as open as it is."""
    if before is None or edit.node is None or not edit.created:
        return edit
    joined = edit.graph.connect(before, edit.node.id)
    return Edit(joined.graph, (*edit.events, *joined.events), edit.node, created=True)
