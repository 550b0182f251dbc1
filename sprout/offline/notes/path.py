"""Documents → a path of concepts; passages of one concept → its subconcepts and questions."""

from collections.abc import Sequence

from sprout.offline.notes.items import ItemMaker
from sprout.offline.notes.language import language_of, phrases
from sprout.offline.notes.links import links_of
from sprout.offline.notes.reading import Section, read_sections, words_of
from sprout.offline.notes.terms import Lexicon, lexicon
from sprout.offline.notes.units import Unit, described, titles_of, units_of
from sprout.offline.plan import Idea, Link, Plan

SENTENCES_A_CONCEPT = 2
ITEMS_WANTED = 8


def path_from_notes(documents: Sequence[str], *, least: int, most: int) -> Plan | None:
    """A path of `least` to `most` concepts in the order of the documents, or None where they say nothing."""
    sections = [section for text in documents for section in _below_its_title(read_sections(text))]
    words = _lexicon(sections)
    units = units_of(sections, least=least, most=most, lexicon=words, least_sentences=SENTENCES_A_CONCEPT)
    if not units:
        return None
    titles = titles_of(units, words, claims=False)
    links = links_of(units, titles, words)
    say = phrases(words.language)
    entries = _named(_entries(titles, links), words)
    thin = len(units) < min(3, least)
    closing = (say.rationale_thin if thin else say.rationale).format(entries=entries)
    return Plan(say.opening, _ideas(units, titles, words), links, closing)


def lesson_from_notes(passages: Sequence[str], *, least: int, most: int, most_items: int) -> Plan | None:
    """Subconcepts and questions from a concept's passages, or None where they say nothing."""
    sections = [section for text in passages for section in read_sections(text)]
    words = _lexicon(sections)
    sentences = sum(len(section.sentences) for section in sections)
    wanted = max(least, min(most, sentences // 3))
    units = units_of(sections, least=wanted, most=most, lexicon=words, least_sentences=1)
    if not units:
        return None
    titles = titles_of(units, words, claims=True)
    links = links_of(units, titles, words)
    items = ItemMaker(units, titles, words).items(min(most_items, ITEMS_WANTED))
    say = phrases(words.language)
    return Plan(say.lesson_opening, _ideas(units, titles, words), links, say.lesson_closing, items)


def _below_its_title(sections: Sequence[Section]) -> list[Section]:
    """The sections with the document's own title taken moved down: it is the heading of the opening words."""
    top = [section for section in sections if section.level == 1]
    if len(top) == 1 and len(sections) > 1 and top[0] in (sections[0], sections[min(1, len(sections) - 1)]):
        rest = [section for section in sections if section is not top[0]]
        opening = Section(top[0].title, 2, top[0].paragraphs, top[0].bold)
        return [opening, *rest] if opening.paragraphs else rest
    return list(sections)


def _lexicon(sections: Sequence[Section]) -> Lexicon:
    sentences = [sentence for section in sections for sentence in section.sentences]
    language = language_of(words_of(" ".join(sentences)))
    marked = [term for section in sections for term in section.bold]
    return lexicon(sentences, language, marked=marked, headings=[section.title for section in sections])


def _ideas(units: Sequence[Unit], titles: Sequence[str], words: Lexicon) -> list[Idea]:
    return [Idea(title, described(unit, words)) for unit, title in zip(units, titles, strict=True)]


def _entries(titles: Sequence[str], links: Sequence[Link]) -> list[str]:
    targets = {link.target for link in links}
    return [title for title in titles if title not in targets][:3]


def _named(titles: Sequence[str], words: Lexicon) -> str:
    quoted = [phrases(words.language).quoted.format(title) for title in titles]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {phrases(words.language).and_} {quoted[-1]}"
