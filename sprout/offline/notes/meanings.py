"""Meanings of terms that notes state: marked terms, definition lists, and sentences that say what something is."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sprout.learning.structure.glossary import GlossaryEntry
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Definition, SpanKind, Spans, Table
from sprout.offline.notes.facts import (
    QUESTION,
    iter_paragraphs,
    says_something,
    sentences_in,
    split_sentences,
    steps_of,
    without_article,
)
from sprout.offline.notes.language import language
from sprout.offline.notes.terms import Terms
from sprout.offline.notes.words import WORD, key_of, needs_context, word_count, words_of

MOST_TERM_WORDS = 4
MEANING_WORDS = (3, 32)
SYMBOL_WORDS = 2
CLAUSE_WORDS = 7
MARKED = (SpanKind.STRONG, SpanKind.EMPHASIS)

_AFTER_TERM = re.compile(r"^\s*(?::|：|[–—]|-(?=\s)|=)\s+")
_SYMBOL = re.compile(
    r"(?i)^(?:where |with |wobei |mit |où |avec |donde |con )?(?P<subject>\$[^$]{1,14}\$|[^\W\d_][\d₀-₉]?)"
    r" (?:is|ist|est|es) (?P<what>(?:the|an?|der|die|das|eine?|la|le|une?|el|los|l[’'])\b.{4,80})$"
)
_CALLED = re.compile(r"(?i)\b(?:called|genannt|heißen|heißt|appelée?s?|llamad[oa]s?)\b")
_THAT = re.compile(r"(?i)^(?:that|dass|que) |^qu['’]")
_SENTENCE_MARK = re.compile(r"[.!?:;]")


@dataclass(frozen=True, slots=True)
class TermMeaning:
    """Term with its meaning, and the sentence that gives both.

    Args:
        key: equal for all forms of the term.
        subject: the term as the sentence has it, with its article.
        loose: what is said after the term is about it, and may not say what it is: "Wind: it blows from the sea".
    """

    key: str
    term: str
    subject: str
    meaning: str
    sentence: str
    loose: bool = False


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


def states_something(blocks: Sequence[Block], code: str) -> bool:
    """Whether there is anything in the blocks that could be asked about."""
    listed = any(isinstance(block, Table) or len(steps_of(block)) > 1 for block in blocks)
    return listed or bool(sentences_in(blocks, code)) or bool(meanings_in(blocks, code))


def marked_terms(blocks: Iterable[Block], terms: Terms) -> list[str]:
    """The terms in bold, and those in italics that are more than an emphasis: of several words, or nouns."""
    found: dict[str, str] = {}
    stopwords = language(terms.code).stopwords
    for block in blocks:
        for paragraph in iter_paragraphs(block):
            for span in paragraph.spans:
                term = span.text.strip(" .:;,")
                telling = span.kind is SpanKind.STRONG or " " in term or terms.has(term)
                if span.kind in MARKED and telling and _is_term(term) and not set(words_of(term)) <= stopwords:
                    found.setdefault(key_of(term, terms.code), term)
    return [*found.values()]


def _meanings_of(block: Block, code: str, known: frozenset[str]) -> Iterator[TermMeaning]:
    if isinstance(block, Definition):
        term = text_of_spans(block.term)
        meaning = " ".join(text_of(inner) for inner in (block.meanings[0] if block.meanings else ()))
        if made := _meaning(term, term, meaning, f"{term}: {meaning}", code):
            yield made
        return
    for paragraph in iter_paragraphs(block):
        if led := _led_by_term(paragraph.spans, code):
            yield led
            continue
        marked = {key_of(span.text, code) for span in paragraph.spans if span.kind in MARKED}
        for sentence in split_sentences(paragraph):
            if says_something(sentence, code) and (made := _stated(sentence, marked, known, code)):
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
    meaning = (sentences_of(rest[after.end() :]) or [""])[0]
    made = _meaning(term, term, meaning, text, code)
    return replace(made, loose=not _is_noun_phrase(meaning, code)) if made else None


def _is_noun_phrase(text: str, code: str) -> bool:
    """Whether a text begins as the name of a thing does, or has no verb that gives it away as a sentence."""
    words, given = words_of(text), language(code)
    verbs = given.words.verbs | given.words.plural_verbs
    opens = words[:1] and words[0] in given.words.articles
    joins = words[:1] and words[0] in given.stopwords - given.words.determiners
    short = len(words) <= CLAUSE_WORDS
    return not joins and (bool(opens) or short) and not verbs & set(words[:CLAUSE_WORDS])


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
        generic = not key or (key not in marked and set(words_of(subject)) & given.words.generic)
        if needs_context(sentence if calls else subject, code) or generic or _CALLED.search(meaning):
            continue
        if (sure or introduced) and not given.patterns.ranks.match(meaning) and not _has_relative(subject):
            return _meaning(without_article(subject, code), subject, meaning, sentence, code)
    return None


def _meaning(
    term: str, subject: str, meaning: str, sentence: str, code: str, *, least: int = MEANING_WORDS[0]
) -> TermMeaning | None:
    meaning = _THAT.sub("", " ".join(meaning.split()).strip(" .;,:^"))
    term = term.strip(' .:;,*_"“”„«»')
    key = key_of(term, code)
    if (
        not key
        or not _is_term(term)
        or not least <= word_count(meaning) <= MEANING_WORDS[1]
        or QUESTION.search(meaning)
    ):
        return None
    if f" {key} " in f" {key_of(meaning, code)} " or needs_context(term, code):
        return None
    return TermMeaning(key, term, subject.strip(), _as_part(meaning, code), " ".join(sentence.split()).rstrip(" ^"))


def _as_part(text: str, code: str) -> str:
    """The text as it stands within a sentence: with a small first letter where it begins with a little word."""
    is_little = text.split(maxsplit=1)[0].casefold() in language(code).stopwords
    return f"{text[:1].lower()}{text[1:]}" if is_little else text


def _is_term(text: str) -> bool:
    words = WORD.findall(text)
    return 1 <= len(words) <= MOST_TERM_WORDS and len(text) <= 60 and not _SENTENCE_MARK.search(text)


def _has_relative(subject: str) -> bool:
    return "," in subject or len(subject.split()) > MOST_TERM_WORDS + 1
