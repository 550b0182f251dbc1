"""Documents → a path of concepts; passages of one concept → its subconcepts and questions."""

from collections.abc import Sequence

from sprout.offline.graph_plan import Plan, PlannedNode
from sprout.offline.notes.concept_scope import concept_sections
from sprout.offline.notes.language import empty_titles, language_of, phrases
from sprout.offline.notes.parser import Section, parse_sections, skipped_headings, words_of
from sprout.offline.notes.prerequisites import find_edges
from sprout.offline.notes.question_material import NoteQuestion, QuestionMaterial
from sprout.offline.notes.question_selection import question_drafts, select_questions
from sprout.offline.notes.rationale import rationale
from sprout.offline.notes.segments import SegmentationLimits, Unit, describe_unit, units_of
from sprout.offline.notes.terms import Lexicon, build_lexicon
from sprout.offline.notes.titles import titles_of

CONCEPT_WORDS, SUBCONCEPT_WORDS = 80, 8
CONCEPT_SENTENCES = 2
SENTENCES_A_SUBCONCEPT = 3
ITEMS_WANTED = 8
LEAST_OF_A_FULL_PATH = 3


def path_from_notes(documents: Sequence[str], *, least: int, most: int) -> Plan | None:
    """A path of `least` to `most` concepts in the order of the documents, or None where they say nothing."""
    sections = [section for text in documents for section in _below_its_title(parse_sections(text))]
    words = lexicon_of(sections)
    cut = SegmentationLimits(least, most, CONCEPT_WORDS, CONCEPT_SENTENCES, inside=False)
    units = units_of(sections, words, cut)
    if not units:
        return None
    titles = titles_of(units, words, claims=False)
    links = find_edges(units, titles, words)
    say = phrases(words.language)
    closing = rationale(
        titles,
        links,
        say,
        merged=_merged_headings(units),
        left_out=[heading for text in documents for heading in skipped_headings(text)],
        thin=len(units) < least or len(units) < LEAST_OF_A_FULL_PATH <= least,
    )
    return Plan(say.opening, _planned_nodes(units, titles, words, spanning=True), links, closing)


def subconcepts_from_notes(
    passages: Sequence[str], *, least: int, most: int, most_items: int, title: str = "", desc: str = ""
) -> Plan | None:
    """Subconcepts and questions from a concept's own part of the passages, or None where they say nothing.

    Where that part is too short for `least` subconcepts there are fewer: what others are about is left to them. The
    other passages only give terms to tell apart.
    """
    units, titles, words = _segment(passages, least=least, most=most, title=title, desc=desc)
    if not units:
        return None
    links = find_edges(units, titles, words)
    items = select_questions(units, titles, links, words, most=min(most_items, ITEMS_WANTED))
    say = phrases(words.language)
    no_more = say.no_more.format(ideas=len(units), items=len(items))
    ideas = _planned_nodes(units, titles, words, spanning=False)
    return Plan(say.lesson_opening, ideas, links, say.lesson_closing, items, no_more)


def questions_from_notes(
    passages: Sequence[str], *, least: int, most: int, title: str = "", desc: str = ""
) -> list[NoteQuestion]:
    """Everything that could be asked about a concept's own part of the passages."""
    units, titles, words = _segment(passages, least=least, most=most, title=title, desc=desc)
    return question_drafts(QuestionMaterial(units, titles, words)) if units else []


def _segment(
    passages: Sequence[str], *, least: int, most: int, title: str, desc: str
) -> tuple[list[Unit], list[str], Lexicon]:
    """The units of a concept's own part of the passages, their titles, and the terms of all passages."""
    around = [section for text in passages for section in parse_sections(text)]
    sections, words = concept_sections(around, title=title, desc=desc), lexicon_of(around)
    wanted = max(least, min(most, sum(len(section.sentences) for section in sections) // SENTENCES_A_SUBCONCEPT))
    units = units_of(sections, words, SegmentationLimits(wanted, most, SUBCONCEPT_WORDS, 1, inside=True))
    return units, titles_of(units, words, claims=True, besides=title) if units else [], words


def _below_its_title(sections: Sequence[Section]) -> list[Section]:
    """The sections with the document's own title taken moved down: it is the heading of the opening words."""
    top = [section for section in sections if section.level == 1]
    if len(top) == 1 and len(sections) > 1 and top[0] in (sections[0], sections[min(1, len(sections) - 1)]):
        rest = [section for section in sections if section is not top[0]]
        opening = Section(top[0].title, 2, top[0].paragraphs, top[0].bold)
        return [opening, *rest] if opening.paragraphs else rest
    return list(sections)


def lexicon_of(sections: Sequence[Section]) -> Lexicon:
    """The terms of some sections, in the language that they are in."""
    sentences = [sentence for section in sections for sentence in section.sentences]
    language = language_of(words_of(" ".join(sentences)))
    marked = [term for section in sections for term in section.bold]
    return build_lexicon(sentences, language, marked=marked, headings=[section.title for section in sections])


def _planned_nodes(
    units: Sequence[Unit], titles: Sequence[str], words: Lexicon, *, spanning: bool
) -> list[PlannedNode]:
    descs = [describe_unit(unit, words, spanning=spanning) for unit in units]
    return [PlannedNode(title, desc) for title, desc in zip(titles, descs, strict=True)]


def _merged_headings(units: Sequence[Unit]) -> list[str]:
    """Headings that went into another part, without those that say nothing."""
    names = dict.fromkeys(heading for unit in units for heading in unit.merged)
    return [name for name in names if name.casefold() not in empty_titles()]
