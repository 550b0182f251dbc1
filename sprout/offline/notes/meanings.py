"""Meanings of terms that notes state: marked terms, definition lists, and sentences that say what something is."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sprout.learning.structure.glossary import GlossaryEntry
from sprout.learning.structure.heading_roles import named_role
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Definition, ListBlock, Paragraph, SpanKind
from sprout.offline.notes.facts import (
    LED,
    QUESTION,
    is_sentence,
    is_whole,
    iter_paragraphs,
    says_something,
    split_sentences,
    without_article,
)
from sprout.offline.notes.headings import says_nothing
from sprout.offline.notes.language import language
from sprout.offline.notes.terms import Terms
from sprout.offline.notes.words import WORD, key_of, needs_context, stem, word_count, words_of
from sprout.offline.notes.worked import without_worked

MOST_TERM_WORDS = 4
MEANING_WORDS = (3, 32)
SYMBOL_WORDS = 2
MOST_JOINED = 3  # words of "and stop"
MARKED = (SpanKind.STRONG, SpanKind.EMPHASIS)
LEAST_LED = 4  # remarks of a text that a term leads, below which it is rather a label
LED_ITEMS, LED_SHARE = 3, 2 / 3  # of a list, from which on its items are terms with what is said of them
SHARED = 0.5  # of a glossary's words about a term that a sentence of the text has too

_SYMBOL = re.compile(
    r"(?i)^(?:where |with |wobei |mit |où |avec |donde |con |dove |onde |com )?"
    r"(?P<subject>\$[^$]{1,14}\$|[^\W\d_][\d₀-₉]?) (?:is|ist|est|es|è|é) "
    r"(?P<what>(?:the|an?|der|die|das|eine?|la|le|une?|el|los|l[’']|il|lo|uno?|o|uma?)\b.{4,80})$"
)
_CALLED = re.compile(r"(?i)\b(?:called|genannt|heißen|heißt|appelée?s?|llamad[oa]s?|chiamat[oaie]|chamad[oa]s?)\b")
_THAT = re.compile(r"(?i)^(?:that|dass|que) |^qu['’]")
_SENTENCE_MARK = re.compile(r"[.!?:;]")
_NUMBERED = re.compile(r"\d+[.)]?$")
_BEGINS = re.compile(r"[^\W\d_]|\$|[\"“„«'(]")
_FORMULA = re.compile(r"\$[^$]*\$")
_WORDS = re.compile(r"[^\W\d_]{2,}|[\u3040-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class TermMeaning:
    """Term with its meaning, and the sentence that gives both.

    Args:
        key: equal for all forms of the term.
        subject: the term as the sentence has it, with its article.
        loose: what is said after the term is about it, and may not say what it is: "Wind: it blows from the sea".
        place: where its block begins; equal for the items of one list.
    """

    key: str
    term: str
    subject: str
    meaning: str
    sentence: str
    loose: bool = False
    place: int = -1


def meanings_in(blocks: Iterable[Block], code: str, *, known: frozenset[str] = frozenset()) -> list[TermMeaning]:
    """Meanings of terms that the blocks give, one each, in order.

    What leads several remarks is a label and no term, and so is what leads a remark where few others do. Worked parts
    define nothing.

    Args:
        known: keys of terms that a heading names or that are used elsewhere too; without a mark only they count.
    """
    every = [
        replace(one, place=block.start) for block in without_worked(blocks) for one in _meanings_of(block, code, known)
    ]
    labels = Counter(one.key for one in {(one.key, one.meaning): one for one in every if one.loose}.values())
    found: dict[str, TermMeaning] = {}
    for one in every:
        if not one.loose or (labels[one.key] == 1 and len(labels) >= LEAST_LED):
            found.setdefault(one.key, one)
    return [*found.values()]


def glossary_meanings(entries: Iterable[GlossaryEntry], sentences: Sequence[str], code: str) -> Iterator[TermMeaning]:
    """The glossary's entries of which a sentence with the term says the most, each with this sentence."""
    for entry in entries:
        made = glossary_meaning(entry, code)
        telling = _content(entry.definition, code) if made else set()
        for sentence in sentences:
            if not made or f" {made.key} " not in f" {key_of(sentence, code)} ":
                continue
            if telling and len(telling & _content(sentence, code)) >= SHARED * len(telling):
                yield replace(made, sentence=sentence)
                break


def glossary_meaning(entry: GlossaryEntry, code: str) -> TermMeaning | None:
    """The entry as it stands in the glossary, if it is short enough to ask about."""
    return _meaning(entry.term, entry.term, entry.definition, f"{entry.term}: {entry.definition}", code)


def marked_terms(blocks: Iterable[Block], terms: Terms) -> list[str]:
    """The terms in bold that the text uses as nouns or that have several words; in italics those that are both."""
    found: dict[str, str] = {}
    for block in blocks:
        for paragraph in iter_paragraphs(block):
            for span in paragraph.spans if len(paragraph.spans) > 1 else ():  # else a line that is marked as a whole
                term = _without_ending(span.text.strip(" .:;,"), terms.code)
                signs = (span.kind is SpanKind.STRONG, terms.has(term), _is_phrase(term, terms.code))
                acronym = term.isupper() and len(term) > 1  # which names nothing to those who do not know it
                named = _is_term(term) and is_whole(term) and not _is_label(term, terms.code) and not acronym
                if span.kind in MARKED and sum(signs) > 1 and named:
                    found.setdefault(key_of(term, terms.code), term)
    return [*found.values()]


def _without_ending(term: str, code: str) -> str:
    """The term without the little words that it ends with: "differentiable at" before a formula."""
    words = term.split()
    while len(words) > 1 and words[-1].casefold() in language(code).stopwords:
        words.pop()
    return " ".join(words)


def _is_phrase(term: str, code: str) -> bool:
    """Whether several words name a thing: no little word among them but articles and prepositions."""
    given, words = language(code), words_of(term)
    noun = code != "de" or " ".join(term.split()).rpartition(" ")[2][:1].isupper()
    return len(words) > 1 and noun and not set(words) & (given.stopwords - given.words.determiners)


def _content(text: str, code: str) -> set[str]:
    stopwords = language(code).stopwords
    return {stem(word, code) for word in words_of(text) if word not in stopwords}


def _meanings_of(block: Block, code: str, known: frozenset[str]) -> Iterator[TermMeaning]:
    if isinstance(block, Definition):
        term = text_of_spans(block.term)
        meaning = " ".join(text_of(inner) for inner in (block.meanings[0] if block.meanings else ()))
        if made := _meaning(term, term, meaning, f"{term}: {meaning}", code):
            yield made
        return
    led = _led_paragraphs(block, code)
    for paragraph in iter_paragraphs(block):
        if made := led.get(paragraph):
            yield made
            continue
        marked = {key_of(span.text, code): span.text for span in paragraph.spans if span.kind in MARKED}
        for sentence in split_sentences(paragraph):
            if says_something(sentence, code) and (made := _stated(sentence, marked, known, code)):
                yield made


def _led_paragraphs(block: Block, code: str) -> dict[Paragraph, TermMeaning]:
    """The paragraphs that a term leads: a marked one, "**Copper**: a red metal", or any in a list most of which do."""
    found = {paragraph: made for paragraph in iter_paragraphs(block) if (made := _led(paragraph, code))}
    if isinstance(block, ListBlock) and len(found) >= max(LED_ITEMS, LED_SHARE * len(block.items)):
        return found
    return {
        paragraph: made
        for paragraph, made in found.items()
        if paragraph.spans[0].kind in (*MARKED, SpanKind.CODE) and paragraph.spans[0].text.strip(" :：") == made.term
    }


def _led(paragraph: Paragraph, code: str) -> TermMeaning | None:
    text = text_of_spans(paragraph.spans)
    parts = LED.fullmatch(text)
    if parts is None or text.rstrip().endswith((":", "：")):  # it leads a list in
        return None
    term, meaning = parts["term"], sentences_of(parts["meaning"])[0]
    little = language(code).stopwords - language(code).words.determiners
    if _is_label(term, code) or little & set(words_of(term)) or meaning.startswith(("—", "–", "«", "“", '"')):
        return None
    made = _meaning(term, term, meaning, text, code)
    opens, given = (words_of(meaning) or [""])[0], language(code).words
    loose = opens not in given.articles or (opens not in given.indefinite and is_sentence(meaning))
    listed = meaning.count(",") + meaning.count("/") >= word_count(meaning) / 2
    return replace(made, loose=loose) if made and not (loose and listed) else None


def _is_label(term: str, code: str) -> bool:
    """Whether a term only says what kind of remark follows, or which one: "Note", "Step 2"."""
    given, words = language(code), words_of(term)
    little = all(word in given.words.generic | given.stopwords or word.isdigit() or len(word) < 2 for word in words)
    named = named_role(term) is not None or says_nothing(term)
    opens = words[:1] and words[0] in given.stopwords - given.words.articles
    return little or named or bool(opens) or bool(_NUMBERED.search(term) and " " in term)


def _stated(sentence: str, marked: Mapping[str, str], known: frozenset[str], code: str) -> TermMeaning | None:
    """A sentence that says what something is, surely: a name is given, or the term is marked, known or set apart."""
    given = language(code)
    bare = sentence.strip(" .")
    if given.words.pointing & set(words_of(sentence)):
        return None
    if symbol := _SYMBOL.match(bare):
        return _meaning(symbol["subject"], symbol["subject"], symbol["what"], sentence, code, least=SYMBOL_WORDS)
    names = (given.patterns.called, given.patterns.named)
    for pattern in (*names, given.patterns.means, given.patterns.definition):
        match = pattern.match(bare)
        if not match:
            continue
        subject, meaning = match["subject"].strip(), match["what"]
        if pattern in names:
            subject = next((term for term in marked.values() if " " in term and term in subject), subject)
        called = pattern is given.patterns.called
        opens = called and (words_of(meaning) or [""])[0] in given.stopwords - given.words.articles and "," in meaning
        ranked = pattern not in names and given.patterns.ranks.match(meaning)
        long = "," in subject or len(subject.split()) > MOST_TERM_WORDS + 1
        rest = bare[match.end("subject") :].split() if called and subject not in marked.values() else []
        opens = opens or (rest[:1] == [given.phrases.and_] and len(rest) <= MOST_JOINED)  # one of two names
        if needs_context(sentence if called else subject, code) or opens or ranked or long:
            continue
        defined = pattern is given.patterns.definition and _is_set_apart(subject, meaning, code)
        sure = pattern in names or defined or key_of(subject, code) in known
        is_term = sure and _may_be_term(subject, code, is_named=pattern in names)
        if (is_term or key_of(subject, code) in marked) and not _CALLED.search(meaning):
            return _meaning(without_article(subject, code), subject, meaning, sentence, code)
    return None


def _may_be_term(subject: str, code: str, *, is_named: bool) -> bool:
    """Whether a subject that nothing marks opens with no little word and is no general noun."""
    given, words = language(code), words_of(without_article(subject, code))
    first = (words_of(subject) or [""])[0]
    general = set(words) & given.words.generic
    return first not in given.stopwords - given.words.articles and not (general == set(words) if is_named else general)


def _is_set_apart(subject: str, meaning: str, code: str) -> bool:
    """Whether a subject is "a thing", or a name without an article of which is said what tells it from its kind."""
    given, words = language(code), words_of(subject)
    if words[:1] and words[0] in given.words.articles:
        return words[0] in given.words.indefinite
    bare = subject[:1].isupper() and not set(words) & given.stopwords
    return bare and given.patterns.apart.search(meaning) is not None


def _meaning(
    term: str, subject: str, meaning: str, sentence: str, code: str, *, least: int = MEANING_WORDS[0]
) -> TermMeaning | None:
    meaning = _THAT.sub("", " ".join(meaning.split()).strip(" .;,:^"))
    term = term.strip(' .:;,*_"“”„«»')
    key = key_of(term, code)
    if (
        not key
        or not _is_term(term)
        or _without_ending(term, code) != " ".join(term.split())
        or not least <= word_count(meaning) <= MEANING_WORDS[1]
        or not _BEGINS.match(meaning)
        or (len(key) > 1 and set(words_of(term)) <= language(code).stopwords)
        or QUESTION.search(meaning)
        or not (is_whole(term) and is_whole(meaning))
        or len(_WORDS.findall(_FORMULA.sub("", meaning))) < SYMBOL_WORDS
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
    opens = text[:1].isalnum() or text[:1] == "$"
    return 1 <= len(words) <= MOST_TERM_WORDS and len(text) <= 60 and opens and not _SENTENCE_MARK.search(text)
