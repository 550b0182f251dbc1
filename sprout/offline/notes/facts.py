"""Facts that notes state: sentences and cells of tables."""

import re
from collections.abc import Iterable, Iterator, Sequence

from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Definition, ListBlock, ListItem, Paragraph, Table
from sprout.offline.notes.language import language
from sprout.offline.notes.words import word_count, words_of

FEWEST_WORDS, MOST_WORDS = 4, 45
LONGEST_CELL = 80
LEAST_ROWS = 4  # one to ask for, and three with wrong cells
LINE_WORDS = 8  # of an item and of a line that say something without a full stop
LEAST_TOLD, LEAST_TOLD_WORDS = 3, 40  # whole sentences, and words in them, of prose that can be told again
TOLD_SHARE = 0.85  # of all words
LEAST_STEP = 2  # words
LEAST_TELLING = 4  # letters

QUESTION = re.compile(r"[?？؟]\s*$")
LED = re.compile(r"(?P<term>[^\s:：–—=][^:：–—=]{0,60}?)\s*(?:[:：]\s+|\s[–—-]\s+|\s=\s+)(?P<meaning>\S.+)", re.DOTALL)
_SHOWS = re.compile(r"^!\[|[:：]\s*$|https?://|\bISBN\b|^\||\|$|…$|\.\.\.$|\w@\w|\b\d\d?:\d\d\b")
_HOLES = re.compile(
    r"[\uE000-\uF8FF\uFFFD□]|\w [,.](?: |$)|(?<!\S)\(\s*\)|\( \)|(?:(?<!\S)[^\W\d_a](?!\S)\s*){3}|(?:(?<!\S)\d+ ){3}"
)
_REFERENCE = re.compile(r"\s*\(?\[(?:link|\d{1,3})\]\)?")
_NEEDS_FIGURE = re.compile(r"(?<!\()\[link\]")  # "The steps are depicted in [link]."
_QUOTES = re.compile('[“”„"]')
_ROW = re.compile(r"[^\W\d_]{2}|\d{3}")  # a name, or a year; a row's number alone says nothing
_NAME = re.compile(r"[^\W\d_]{2}|\d\W?\d|\$")
_SENTENCE_END = re.compile(r"[.!。！۔।][\"'”’»“)\]」』]{0,3}$")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_FORMULA = re.compile(r"\$[^$]*\$")


def sentences_in(blocks: Iterable[Block], code: str) -> list[str]:
    """The sentences of paragraphs and items that say something about their subject: no questions, no lead-ins."""
    return [
        sentence
        for block in blocks
        for paragraph in iter_paragraphs(block)
        for sentence in split_sentences(paragraph)
        if says_something(sentence, code)
    ]


def is_prose(blocks: Sequence[Block], code: str) -> bool:
    """Whether nearly all of what stands there is whole sentences in paragraphs, and enough of them to be told."""
    paragraphs = [split_sentences(block) for block in blocks if isinstance(block, Paragraph)]
    told = [one for each in paragraphs for one in each if is_sentence(one) and says_something(one, code)]
    words, every = sum(map(word_count, told)), sum(word_count(text_of(block)) for block in blocks)
    return len(told) >= LEAST_TOLD and words >= max(LEAST_TOLD_WORDS, TOLD_SHARE * every)


def steps_of(block: Block, title: str, code: str) -> list[str]:
    """The steps of a numbered list that its lead-in, or the title above it, calls steps; none where one is unclear."""
    if not isinstance(block, ListBlock) or not block.ordered:
        return []
    lead_in = text_of(block.lead_in) if block.lead_in is not None else ""
    steps = [sentences[0] for item in block.items if (sentences := sentences_of(text_of(item).partition("\n")[0]))]
    clear = len({*steps}) == len(block.items) and all(len(one) <= LONGEST_CELL and is_whole(one) for one in steps)
    worded = all(len(words_of(one)) >= LEAST_STEP and not _SHOWS.search(one) for one in steps)
    named = language(code).patterns.steps.search(f"{title} {lead_in}")
    return steps if clear and worded and named else []


def is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return _SENTENCE_END.search(text) is not None


def cells_of(table: Table) -> Iterator[tuple[str, str, str, list[str]]]:
    """Row name, column name, cell, and the other cells of the column; for columns in which all cells differ and whose
    name does not say that it is another list of what the first column lists."""
    names = [text_of_spans(row[0]) for row in table.rows]
    if len(names) < LEAST_ROWS or len(set(names)) < len(names) or not all(map(_ROW.search, names)):
        return
    rows_are = {word for word in words_of(text_of_spans(table.head[0])) if len(word) >= LEAST_TELLING}
    for at, head in enumerate(table.head[1:], start=1):
        column = text_of_spans(head)
        cells = [text_of_spans(row[at]) for row in table.rows]
        differ = all(0 < len(cell) <= LONGEST_CELL for cell in cells) and len({*cells}) == len(cells)
        if differ and not rows_are & {*words_of(column)} and _LETTERS.search(column) and all(map(_NAME.search, cells)):
            for name, cell in zip(names, cells, strict=True):
                if not set(words_of(name)) & set(words_of(cell)):  # else the row itself tells
                    yield name, column, cell, [other for other in cells if other != cell]


def places_of(table: Table) -> list[tuple[str, str]]:
    """Row name and column name of each cell."""
    columns = [text_of_spans(head) for head in table.head[1:]]
    return [(text_of_spans(row[0]), column) for row in table.rows for column in columns]


def says_anything(blocks: Iterable[Block], code: str) -> bool:
    """Whether there is a sentence in the blocks, a line as long as one, or a term with its meaning."""
    return any(
        isinstance(block, Definition)
        or any(is_sentence(one) or word_count(one) >= LINE_WORDS for one in sentences_in([block], code))
        for block in blocks
    )


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
    """The sentences, without references by number, and without those that need what they refer to."""
    sentences = (one for one in sentences_of(text_of(paragraph)) if not _NEEDS_FIGURE.search(one))
    return [" ".join(_REFERENCE.sub("", sentence).split()) for sentence in sentences]


def says_something(sentence: str, code: str) -> bool:
    """Whether a sentence states something, and whole: no question, no lead-in, no appointment, no lost signs."""
    if (
        QUESTION.search(sentence)
        or _SHOWS.search(sentence)
        or not is_whole(sentence)
        or sentence.isupper()
        or language(code).patterns.meta.search(sentence)
    ):
        return False
    letters = sum(letter.isalpha() or letter.isspace() for letter in sentence)
    unspaced = word_count(sentence) > len(sentence.split())
    wordy = letters > 0.6 * len(sentence) or "$" in sentence
    return (unspaced or word_count(sentence) >= FEWEST_WORDS) and word_count(sentence) <= MOST_WORDS and wordy


def is_whole(text: str) -> bool:
    """Whether quotation marks, parentheses and formulas close what they open, and no signs were lost."""
    if _HOLES.search(_FORMULA.sub("$", text)):
        return False
    paired = all(text.count(opening) == text.count(closing) for opening, closing in ("«»", "()"))
    return paired and len(_QUOTES.findall(text)) % 2 == 0 and text.count("$") % 2 == 0


def without_article(subject: str, code: str) -> str:
    """A subject without the article that it begins with."""
    words = subject.split()
    first = words_of(words[0])[:1] if words else []
    if len(words) > 1 and first and first[0] in language(code).words.articles:
        return " ".join(words[1:])
    return re.sub(r"^(?:[lL]|[uU]n)['’]", "", subject)
