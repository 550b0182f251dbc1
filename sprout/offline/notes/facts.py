"""Facts that notes state: sentences, statements about terms, cells of tables, and steps."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, ListBlock, ListItem, Paragraph, Table
from sprout.offline.notes.language import language
from sprout.offline.notes.words import key_of, needs_context, word_count, words_of

FEWEST_WORDS, MOST_WORDS = 4, 45
MOST_TERM_WORDS = 4
LONGEST_CELL = 80

QUESTION = re.compile(r"[?？؟]\s*$")
_SHOWS = re.compile(r"[:：]\s*$|https?://|…$|\.\.\.$")
_REFERENCE = re.compile(r"\s*\(?\[(?:link|\d{1,3})\]\)?")
_OPTION = re.compile(r"^:?[a-z]{3,12}:\s\S+\s+:?[a-z]{3,12}:\s")  # of a directive: "class: wide width: 80%"


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
        for paragraph in iter_paragraphs(block)
        for sentence in split_sentences(paragraph)
        if says_something(sentence, code)
    ]


def statements_of(
    sentences: Iterable[str], subjects: frozenset[str], telling: frozenset[str], code: str
) -> list[Statement]:
    """The sentences that stand alone; those that begin with one of the subjects, given as keys, are taken apart.

    Args:
        telling: the subjects that need no article before them.
    """
    return [
        _statement(sentence, subjects, telling, code) for sentence in sentences if not needs_context(sentence, code)
    ]


def steps_of(block: Block) -> list[str]:
    """The items of a numbered list, as one line each; empty for other blocks and where an item has parts of its own."""
    if not isinstance(block, ListBlock) or not block.ordered or any(len(item.blocks) != 1 for item in block.items):
        return []
    steps = [" ".join(text_of(item).split()) for item in block.items]
    fits = all(0 < word_count(step) <= MOST_WORDS and not QUESTION.search(step) for step in steps)
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


def iter_paragraphs(block: Block) -> Iterator[Paragraph]:
    """The paragraphs of a block and of the items within."""
    match block:
        case Paragraph():
            yield block
        case ListBlock():
            for item in block.items:
                yield from iter_paragraphs(item)
        case ListItem():
            for inner in block.blocks:
                yield from iter_paragraphs(inner)
        case _:
            return


def split_sentences(paragraph: Paragraph) -> list[str]:
    """The sentences, without references by number."""
    return [" ".join(_REFERENCE.sub("", sentence).split()) for sentence in sentences_of(text_of(paragraph))]


def says_something(sentence: str, code: str) -> bool:
    """Whether a sentence states something: no question, no lead-in, not about the notes themselves."""
    if (
        QUESTION.search(sentence)
        or _SHOWS.search(sentence)
        or _OPTION.match(sentence)
        or language(code).patterns.meta.search(sentence)
    ):
        return False
    letters = sum(letter.isalpha() or letter.isspace() for letter in sentence)
    unspaced = word_count(sentence) > len(sentence.split())
    wordy = letters > 0.6 * len(sentence) or "$" in sentence
    return (unspaced or word_count(sentence) >= FEWEST_WORDS) and word_count(sentence) <= MOST_WORDS and wordy


def without_article(subject: str, code: str) -> str:
    """A subject without the article that it begins with."""
    words = subject.split()
    first = words_of(words[0])[:1] if words else []
    if len(words) > 1 and first and first[0] in language(code).words.articles:
        return " ".join(words[1:])
    return re.sub(r"^[lL]['’]", "", subject)


def _statement(sentence: str, subjects: frozenset[str], telling: frozenset[str], code: str) -> Statement:
    """The sentence, taken apart where it begins with a subject and a verb of the language follows."""
    given, words = language(code), sentence.strip(" .").split()
    opening = (words_of(sentence) or [""])[0]
    if opening in given.words.determiners - given.words.articles:  # "no water", "some cells": not of all of it
        return Statement(sentence)
    named = opening in given.words.articles
    for size in range(min(MOST_TERM_WORDS + 1, len(words) - 2), 0, -1):
        subject, verb = " ".join(words[:size]), words[size].casefold()
        key = key_of(subject, code)
        is_verb = verb in given.words.verbs | given.words.plural_verbs or (
            code == "de" and words[size].islower() and verb.endswith(given.verb_endings) and verb not in given.stopwords
        )  # German nouns show themselves by their capitals, so that what follows one is a verb
        if key in subjects and is_verb and (named or key in telling):
            return Statement(sentence, key, subject, " ".join(words[size:]))
    return Statement(sentence)
