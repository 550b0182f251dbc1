"""Facts that notes state: sentences, definitions, table cells, steps and numbers, each with the words that state it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sprout.learning.structure.glossary import GlossaryEntry
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Definition, ListBlock, ListItem, Paragraph, SpanKind, Spans, Table
from sprout.offline.notes.language import language
from sprout.offline.notes.words import WORD, key_of, needs_context, word_count, words_of

FEWEST_WORDS, MOST_WORDS = 4, 45
MOST_TERM_WORDS = 4
MEANING_WORDS = (3, 32)
SYMBOL_WORDS = 2
LONGEST_CELL = 80
MARKED = (SpanKind.STRONG, SpanKind.EMPHASIS)

_AFTER_TERM = re.compile(r"^\s*(?::|：|[–—]|-(?=\s)|=)\s+")
_QUESTION = re.compile(r"[?？؟]\s*$")
_SHOWS = re.compile(r"[:：]\s*$|https?://|…$|\.\.\.$")
_REFERENCE = re.compile(r"\s*\(?\[(?:link|\d{1,3})\]\)?")
_OPTION = re.compile(r"^:?[a-z]{3,12}:\s\S+\s+:?[a-z]{3,12}:\s")  # of a directive: "class: wide width: 80%"
_SYMBOL = re.compile(
    r"(?i)^(?:where |with |wobei |mit |où |avec |donde |con )?(?P<subject>\$[^$]{1,14}\$|[^\W\d_][\d₀-₉]?)"
    r" (?:is|ist|est|es) (?P<what>(?:the|an?|der|die|das|eine?|la|le|une?|el|los|l[’'])\b.{4,80})$"
)
_SENTENCE_MARK = re.compile(r"[.!?:;]")


@dataclass(frozen=True, slots=True)
class TermMeaning:
    """Term with its meaning, and the sentence that gives both.

    Args:
        key: equal for all forms of the term.
        subject: the term as the sentence has it, with its article.
    """

    key: str
    term: str
    subject: str
    meaning: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Statement:
    """Sentence that stands alone: `subject` is a term that it begins with, `predicate` what it says of it."""

    sentence: str
    key: str = ""
    subject: str = ""
    predicate: str = ""


def sentences_in(blocks: Iterable[Block], code: str) -> list[str]:
    """The sentences of paragraphs and items that say something about their subject: no questions, no lead-ins."""
    return [
        sentence
        for block in blocks
        for paragraph in _paragraphs(block)
        for sentence in _sentences(paragraph)
        if _says_something(sentence, code)
    ]


def meanings_in(blocks: Iterable[Block], code: str, *, known: frozenset[str] = frozenset()) -> list[TermMeaning]:
    """The terms that the blocks define, each once, in order.

    Args:
        known: keys of terms that a heading names or that are used elsewhere too; without a mark only they count.
    """
    found: dict[str, TermMeaning] = {}
    for block in blocks:
        for one in _meanings_of(block, code, known):
            found.setdefault(one.key, one)
    return [*found.values()]


def glossary_meanings(entries: Iterable[GlossaryEntry], text: str, code: str) -> list[TermMeaning]:
    """The glossary's entries whose terms are used in a text."""
    stems = f" {key_of(text, code)} "
    return [
        made
        for entry in entries
        if (made := _meaning(entry.term, entry.term, entry.definition, f"{entry.term}: {entry.definition}", code))
        and f" {made.key} " in stems
    ]


def marked_terms(blocks: Iterable[Block], code: str) -> list[str]:
    """The terms in bold or italics, by their own words, in order."""
    terms: dict[str, str] = {}
    for block in blocks:
        for paragraph in _paragraphs(block):
            for span in paragraph.spans:
                if span.kind in MARKED and _is_term(span.text.strip(" .:;,")):
                    terms.setdefault(key_of(span.text, code), span.text.strip(" .:;,"))
    return [*terms.values()]


def statements_of(sentences: Iterable[str], subjects: frozenset[str], code: str) -> list[Statement]:
    """The sentences that stand alone; those that begin with one of the subjects, given as keys, are taken apart."""
    return [_statement(sentence, subjects, code) for sentence in sentences if not needs_context(sentence, code)]


def steps_of(block: Block) -> list[str]:
    """The items of a numbered list, as one line each; empty for other blocks and where an item has parts of its own."""
    if not isinstance(block, ListBlock) or not block.ordered or any(len(item.blocks) != 1 for item in block.items):
        return []
    steps = [" ".join(text_of(item).split()) for item in block.items]
    fits = all(0 < word_count(step) <= MOST_WORDS and not _QUESTION.search(step) for step in steps)
    return steps if fits and len(set(steps)) == len(steps) else []


def cells_of(table: Table) -> Iterator[tuple[str, str, str, list[str]]]:
    """Row name, column name, cell, and the other cells of the column; for columns in which all cells differ."""
    names = [text_of_spans(row[0]) for row in table.rows]
    if len(set(names)) < len(names):
        return
    for at, head in enumerate(table.head[1:], start=1):
        column = text_of_spans(head)
        cells = [text_of_spans(row[at]) for row in table.rows]
        if column and all(0 < len(cell) <= LONGEST_CELL for cell in cells) and len(set(cells)) == len(cells):
            for name, cell in zip(names, cells, strict=True):
                if name:
                    yield name, column, cell, [other for other in cells if other != cell]


def _paragraphs(block: Block) -> Iterator[Paragraph]:
    match block:
        case Paragraph():
            yield block
        case ListBlock():
            for item in block.items:
                yield from _paragraphs(item)
        case ListItem():
            for inner in block.blocks:
                yield from _paragraphs(inner)
        case _:
            return


def _sentences(paragraph: Paragraph) -> list[str]:
    """The sentences, without references by number."""
    return [" ".join(_REFERENCE.sub("", sentence).split()) for sentence in sentences_of(text_of(paragraph))]


def _says_something(sentence: str, code: str) -> bool:
    if (
        _QUESTION.search(sentence)
        or _SHOWS.search(sentence)
        or _OPTION.match(sentence)
        or language(code).patterns.meta.search(sentence)
    ):
        return False
    letters = sum(letter.isalpha() or letter.isspace() for letter in sentence)
    unspaced = word_count(sentence) > len(sentence.split())
    wordy = letters > 0.6 * len(sentence) or "$" in sentence
    return (unspaced or word_count(sentence) >= FEWEST_WORDS) and word_count(sentence) <= MOST_WORDS and wordy


def _meanings_of(block: Block, code: str, known: frozenset[str]) -> Iterator[TermMeaning]:
    if isinstance(block, Definition):
        term = text_of_spans(block.term)
        meaning = " ".join(text_of(inner) for inner in (block.meanings[0] if block.meanings else ()))
        if made := _meaning(term, term, meaning, f"{term}: {meaning}", code):
            yield made
        return
    for paragraph in _paragraphs(block):
        if led := _led_by_term(paragraph.spans, code):
            yield led
            continue
        marked = {key_of(span.text, code) for span in paragraph.spans if span.kind in MARKED}
        for sentence in _sentences(paragraph):
            if _says_something(sentence, code) and (made := _stated(sentence, marked, known, code)):
                yield made


def _led_by_term(spans: Spans, code: str) -> TermMeaning | None:
    """A paragraph or an item that begins with a marked term and a colon or dash: "**Copper**: a red metal"."""
    if len(spans) < 2 or spans[0].kind not in (*MARKED, SpanKind.CODE):
        return None
    term, text = spans[0].text.strip(), text_of_spans(spans)
    rest = text_of_spans(spans[1:])
    if term.endswith((":", "：")):
        term, rest = term.rstrip(" :："), f": {rest.lstrip(' :：')}"
    after = _AFTER_TERM.match(rest)
    if not after or not _is_term(term):
        return None
    meaning = sentences_of(rest[after.end() :])[:1]
    return _meaning(term, term, meaning[0] if meaning else "", text, code)


def _stated(sentence: str, marked: set[str], known: frozenset[str], code: str) -> TermMeaning | None:
    """A sentence that says what something is, if the term is marked, known, or introduced by "a"."""
    given = language(code)
    bare = sentence.strip(" .")
    if symbol := _SYMBOL.match(bare):
        return _meaning(symbol["subject"], symbol["subject"], symbol["what"], sentence, code, least=SYMBOL_WORDS)
    for pattern in (given.patterns.called, given.patterns.means, given.patterns.definition):
        match = pattern.match(bare)
        if not match:
            continue
        subject, meaning = match["subject"].strip(), match["what"]
        key, first = key_of(subject, code), (words_of(subject) or [""])[0]
        calls = pattern is given.patterns.called
        article = first in given.words.articles or (code == "de" and subject[:1].isupper())
        sure = key in marked or key in known or (calls and article)
        introduced = first in given.words.indefinite and pattern is given.patterns.definition
        if needs_context(sentence if calls else subject, code) or key in given.words.generic:
            continue
        if (sure or introduced) and not given.patterns.ranks.match(meaning) and not _has_relative(subject):
            return _meaning(_without_article(subject, code), subject, meaning, sentence, code)
    return None


def _meaning(
    term: str, subject: str, meaning: str, sentence: str, code: str, *, least: int = MEANING_WORDS[0]
) -> TermMeaning | None:
    meaning = " ".join(meaning.split()).strip(" .;,:")
    term = term.strip(' .:;,*_"“”„«»')
    key = key_of(term, code)
    if (
        not key
        or not _is_term(term)
        or not least <= word_count(meaning) <= MEANING_WORDS[1]
        or _QUESTION.search(meaning)
    ):
        return None
    if f" {key} " in f" {key_of(meaning, code)} " or needs_context(term, code):
        return None
    return TermMeaning(key, term, subject.strip(), _as_part(meaning, code), " ".join(sentence.split()))


def _as_part(text: str, code: str) -> str:
    """The text as it stands within a sentence: with a small first letter where it begins with a little word."""
    is_little = text.split(maxsplit=1)[0].casefold() in language(code).stopwords
    return f"{text[:1].lower()}{text[1:]}" if is_little else text


def _is_term(text: str) -> bool:
    words = WORD.findall(text)
    return 1 <= len(words) <= MOST_TERM_WORDS and len(text) <= 60 and not _SENTENCE_MARK.search(text)


def _has_relative(subject: str) -> bool:
    return "," in subject or len(subject.split()) > MOST_TERM_WORDS + 1


def _without_article(subject: str, code: str) -> str:
    words = subject.split()
    first = words_of(words[0])[:1] if words else []
    if len(words) > 1 and first and first[0] in language(code).words.articles:
        return " ".join(words[1:])
    return re.sub(r"^[lL]['’]", "", subject)


def _statement(sentence: str, subjects: frozenset[str], code: str) -> Statement:
    """The sentence, taken apart where it begins with a subject and a verb of the language follows."""
    given, words = language(code), sentence.strip(" .").split()
    opening = (words_of(sentence) or [""])[0]
    if opening in given.words.determiners - given.words.articles:  # "no water", "some cells": not of all of it
        return Statement(sentence)
    for size in range(min(MOST_TERM_WORDS + 1, len(words) - 2), 0, -1):
        subject, verb = " ".join(words[:size]), words[size].casefold()
        key = key_of(subject, code)
        is_verb = verb in given.words.verbs | given.words.plural_verbs
        if key in subjects and is_verb:
            return Statement(sentence, key, subject, " ".join(words[size:]))
    return Statement(sentence)
