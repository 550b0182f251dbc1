"""Meanings of terms that notes state: definitions, lists of what things are, and sentences that define."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.structure.plain_entries import LED
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Definition, ListBlock, ListItem, Paragraph, SpanKind
from sprout.offline.notes.facts import (
    QUESTION,
    is_whole,
    iter_paragraphs,
    says_something,
    split_sentences,
    without_article,
)
from sprout.offline.notes.headings import says_nothing
from sprout.offline.notes.language import language
from sprout.offline.notes.words import WORD, key_of, needs_context, word_count, words_of

MOST_TERM_WORDS = 4
MEANING_WORDS = (3, 32)
LEAST_STATED = 4  # words of a meaning in a sentence, "a" not counted: "a simple example" is none
LEAST_CAPITALS = 7  # letters of a word that is no acronym
LEAST_LABELLED, LABELLED_SHARE = 4, 0.8  # items of a list that say something of what they name
DEFINING_SHARE = 2 / 3  # of a list's items, from which on it says what things are
MARKED = (SpanKind.STRONG, SpanKind.EMPHASIS)
LEAST_MARKED = 3  # terms, from which on they name a text better than the words that it uses most

_SENTENCE_MARK = re.compile(r"[.,!?:;]| [+=] ")
_BEGINS = re.compile(r"[^\W\d_]|\$|[\"“„«'(]")
_ELSEWHERE = re.compile(r"(?i)(?:see|cf|siehe|vgl|zie|voir|véase|ver|vedi)\b")  # "see Energy, 1c"
_NEXT_ENTRY = re.compile(r"\w [-–][^\W\d_]")  # "… they buy Demand -how much …", which another line began
_ASIDE = re.compile(r"\([^()]*\)")
_OPENING_ASIDE = re.compile(r"^\([^()]*\):?\s*")  # what the letters of a term stand for
_UNCLOSED = re.compile(r"\s*\([^()]*$")  # of "**spin (s**)"
_FORMULA = re.compile(r"\$[^$]*\$")
_COMPUTES = re.compile(r" [+=−] ")
_CASE = re.compile(r"(?i)\b(?:example|beispiel|exemple|ejemplo|esempio|exemplo)\b")  # "A good example of it is …"
_SYMBOL = re.compile(r"[A-Z][a-z]?|(?=.*[\d₀-₉⁰-⁹⁺⁻])(?:[A-Z][a-z]?[\d₀-₉⁰-⁹⁺⁻]*){1,4}")  # "HA" is said of any acid
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W\d_]{2,}|[\u3040-\u9fff]{2}")


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

    def shares_word(self, other: "TermMeaning") -> bool:
        """Whether one term has a word of the other, so that what is said of one may be true of both."""
        return bool({*self.key.split()} & {*other.key.split()})


def meanings_in(blocks: Sequence[Block], code: str, *, known: frozenset[str] = frozenset()) -> list[TermMeaning]:
    """Meanings of terms that the blocks give, one each, in order.

    What leads a remark is as often a label, "Age: young", and is a term only in a list that says what things are.

    Args:
        known: keys of terms that a heading names or that are used elsewhere too; without a mark only they count.
    """
    found: dict[str, TermMeaning] = {}
    for block in blocks:
        for one in _meanings_of(block, code, known):
            found.setdefault(one.key, one)
    return [*found.values()]


def marked_terms(blocks: Sequence[Block], code: str) -> tuple[str, ...]:
    """The terms that the author has set in bold, else in italics, in their order, without the labels of remarks; empty
    where they are so few that they do not say what the text is about."""
    spans = [span for block in blocks for paragraph in iter_paragraphs(block) for span in paragraph.spans]
    for kind in MARKED:
        terms = [_UNCLOSED.sub("", span.text).strip(" .,:;–-") for span in spans if span.kind is kind]
        found = {key_of(term, code): term for term in reversed(terms) if _is_term(term) and names_thing(term, code)}
        if len(found) >= LEAST_MARKED:
            return tuple(reversed(found.values()))
    return ()


def in_capitals(term: str) -> bool:
    """Whether a term stands in capitals as labels do, "COMPLICATIONS", and is no acronym."""
    return term.isupper() and max(map(len, WORD.findall(term))) >= LEAST_CAPITALS


def _meanings_of(block: Block, code: str, known: frozenset[str]) -> Iterator[TermMeaning]:
    if isinstance(block, Definition):
        term = text_of_spans(block.term)
        said = " ".join(text_of(inner) for inner in (block.meanings[0] if block.meanings else ()))
        meaning = _OPENING_ASIDE.sub("", next(iter(sentences_of(said)), ""))
        is_told = not (needs_context(meaning, code) or language(code).patterns.meta.search(meaning))
        if is_told and (made := _meaning(term, term, meaning, f"{term}: {meaning}", code)):
            yield made
        return
    defined = _defined_in_list(block, code) if isinstance(block, ListBlock) else {}
    for paragraph in iter_paragraphs(block):
        if made := defined.get(paragraph):
            yield made
            continue
        marked = {key_of(span.text, code) for span in paragraph.spans if span.kind in MARKED}
        for sentence in split_sentences(paragraph):
            if says_something(sentence, code) and (made := _stated(sentence, known | marked, code)):
                yield made


def _defined_in_list(block: ListBlock, code: str) -> dict[Paragraph, TermMeaning]:
    """The paragraphs of a list that say what a term is, "copper: a red metal", if most of its items do."""
    found = {paragraph: made for paragraph in iter_paragraphs(block) if (made := _defined_by_mark(paragraph, code))}
    return found if len(found) >= DEFINING_SHARE * len(block.items) else {}


def _defined_by_mark(paragraph: Paragraph, code: str) -> TermMeaning | None:
    text = text_of_spans(paragraph.spans)
    parts = LED.fullmatch(text)
    if parts is None or not names_thing(parts["term"], code):
        return None
    meaning = sentences_of(parts["meaning"])[0]
    is_kind = {*words_of(meaning)[:1]} & language(code).words.indefinite
    return _meaning(parts["term"], parts["term"], meaning, text, code) if is_kind else None


def _stated(sentence: str, known: Collection[str], code: str) -> TermMeaning | None:
    """A sentence that says what something is, surely: a name is given, or the term is marked, known or "a" thing."""
    given = language(code)
    bare = sentence.strip(" .")
    if given.words.pointing & {*words_of(sentence)[1:]}:
        return None
    if called := given.patterns.called.match(bare):
        subject, meaning = called["subject"].strip(), called["what"]
        joined = bare[called.end("subject") :].split()[:1] == [given.phrases.and_]
        if (
            joined
            or f", {given.phrases.and_} " in meaning
            or needs_context(sentence, code)
            or (bare[0].islower() and not {*words_of(bare)[:1]} & given.words.determiners)  # a sentence's rest
            or {*words_of(meaning)[-1:]} & given.stopwords
        ):
            return None
    elif match := given.patterns.definition.match(bare):
        subject, meaning = match["subject"].strip(), match["what"]
        first, *others = words_of(subject) or [""]
        named = first in given.words.indefinite and not given.words.determiners & {*others}  # "a part of the …" is none
        sure = key_of(subject, code) in known or named
        if not sure or given.patterns.ranks.match(meaning) or needs_context(subject, code):
            return None
    else:
        return None
    beside = given.words.comparing & {*words_of(subject), *words_of(meaning)[:2]}  # with what another sentence names
    bare = without_article(subject, code)
    if _SYMBOL.fullmatch(bare) or len(subject) <= 2 or {*words_of(bare)[:1]} & given.words.determiners:
        return None
    if (
        beside
        or "," in subject
        or _CASE.search(subject)
        or not names_thing(subject, code)
        or given.patterns.called.match(meaning)
    ):
        return None
    least = LEAST_STATED + bool({*words_of(meaning)[:1]} & given.words.indefinite)
    return _meaning(without_article(subject, code), subject, meaning, sentence, code, least=least)


def labelled_in(blocks: Sequence[Block], code: str) -> list[list[TermMeaning]]:
    """Of each list that says something of one thing after the other, "Dopamine: moves the muscles", its items; of one
    that does so here and there, those whose things stand in bold, however deep."""
    found = []
    for block in (one for one in blocks if isinstance(one, ListBlock) and not _defined_in_list(one, code)):
        every = [made for item in block.items if (made := _labelled(item, code))]
        bold = [made for item in _iter_items(block) if _leads_in_bold(item) and (made := _labelled(item, code))]
        read = every if len(every) >= LABELLED_SHARE * len(block.items) else bold
        if len({one.key for one in read}) == len(read) >= LEAST_LABELLED:
            found.append(read)
    return found


def _iter_items(block: Block) -> Iterator[ListItem]:
    for inner in block.items if isinstance(block, ListBlock) else ():
        yield inner
        for below in inner.blocks:
            yield from _iter_items(below)


def _leads_in_bold(item: ListItem) -> bool:
    """Whether what an item says something of is in bold, and nothing else before the colon."""
    first = item.blocks[0] if item.blocks else None
    if not isinstance(first, Paragraph) or first.spans[0].kind is not SpanKind.STRONG:
        return False
    return first.spans[0].text.endswith(":") or (first.spans[1:2] != () and first.spans[1].text.startswith(":"))


def _labelled(item: ListItem, code: str) -> TermMeaning | None:
    first = item.blocks[0] if item.blocks else None
    text = text_of_spans(first.spans) if isinstance(first, Paragraph) else ""
    parts = LED.fullmatch(text)
    if parts is None or not names_thing(parts["term"], code) or says_nothing(parts["term"]):
        return None
    said = sentences_of(parts["meaning"])[0]
    if needs_context(said, code) or language(code).patterns.meta.search(said):
        return None
    return _meaning(parts["term"], parts["term"], said, text, code, least=LEAST_STATED)


def names_thing(term: str, code: str) -> bool:
    """Whether a term opens with no little word and is no general noun."""
    given, words = language(code), words_of(term)
    opens = {*words[:1]} & given.stopwords - given.words.articles
    empty = given.words.generic | given.stopwords
    return not opens and any(word not in empty and not word.isdigit() and len(word) > 1 for word in words)


def _meaning(
    term: str, subject: str, meaning: str, sentence: str, code: str, *, least: int = MEANING_WORDS[0]
) -> TermMeaning | None:
    meaning, term = " ".join(meaning.split()).strip(" .;,:^"), term.strip(' .:;,*_"“”„«»[]-–—')
    key = key_of(term, code)
    if (
        not key
        or not _is_term(term)
        or {*words_of(term)[-1:]} & language(code).stopwords
        or not least <= word_count(_ASIDE.sub("", meaning)) <= MEANING_WORDS[1]
        or not _BEGINS.match(meaning)
        or QUESTION.search(meaning)
        or _NEXT_ENTRY.search(meaning)
        or _ELSEWHERE.match(meaning)
        or not (is_whole(term) and is_whole(meaning))
        or _COMPUTES.search(_FORMULA.sub("", meaning))
        or len(_WORDS.findall(_FORMULA.sub("", meaning))) < 2
        or f" {key} " in f" {key_of(meaning, code)} "
        or _abbreviates(term, meaning)
        or needs_context(term, code)
    ):
        return None
    return TermMeaning(key, term, subject.strip(), meaning, " ".join(sentence.split()).rstrip(" ^"))


def _abbreviates(term: str, meaning: str) -> bool:
    """Whether one of the two is but the initials of the other: "shortened to SER", "BIOS: basic input and …"."""
    initials = _initials(term)
    shortened = len(initials) > 1 and initials in WORD.findall(meaning)
    return shortened or (term.isupper() and len(term) > 1 and term in _initials(meaning))


def _initials(text: str) -> str:
    return "".join(word[0] for word in _LETTERS.findall(text)).upper()


def _is_term(text: str) -> bool:
    words = WORD.findall(text)
    opens = text[:1].isalnum() or text[:1] == "$"
    return 1 <= len(words) <= MOST_TERM_WORDS and len(text) <= 60 and opens and not _SENTENCE_MARK.search(text)
