"""Facts that notes state: whole sentences, and cells of tables."""

import re
from collections.abc import Iterable, Iterator, Sequence

from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Code, Definition, ListBlock, ListItem, Paragraph, Table, children_of
from sprout.offline.notes.language import language
from sprout.offline.notes.words import singles_out, word_count, words_of

FEWEST_WORDS, MOST_WORDS = 4, 45
LONGEST_CELL = 80
LEAST_ROWS = 4  # one to ask for, and three with wrong cells
LINE_WORDS = 8  # of an item and of a line that say something without a full stop
LEAST_TOLD, LEAST_TOLD_WORDS = 3, 30  # whole sentences, and words in them, of prose that can be told again
LEAST_LISTED, LEAST_LISTED_WORDS = 3, 25  # lines, and words in them, of a list that can be told again
LEAST_RUNNING_WORDS = 60
TOLD_SHARE = 0.85  # of all words

QUESTION = re.compile(r"[?？؟]\s*$")
_SHOWS = re.compile(r"^!\[|^[*_](?![*_])|^[:;,•·|]|[:：]\s*$|https?://|\bISBN\b|\|$|…$|\.\.\.$|\w@\w|\b\d\d?:\d\d\b")
_HOLES = re.compile(
    r"\]\(|"
    r"[\uE000-\uF8FF\uFFFD□]|\\[A-Za-z]{3}|\{[.#]|(?<![\\\w^}])\{[a-z]{2,}\}[`\w]|\w [,.](?: |$)|(?<!\S)\(\s*\)|\( \)|"
    r"(?:(?<!\S)[^\W\d_a](?!\S)\s*){3}|(?:(?<!\S)\d+ ){3}"
)
_REFERENCE = re.compile(r"\s*\[\d{1,3}\]")
_QUOTES = re.compile('[“”„"]')
_ROW_NAME = re.compile(r"[^\W\d_][^\s\d,;:]*(?: [^\s\d,;:()]+){0,2}(?: \([^()]*\))?")
_PROPERTIES = re.compile(
    r"(?i)(?:(?:aspe[ckt]t|cara[ct]t|charact|crit[eèé]r|kriteri|merkmal|eigenschaft|feature|propert|prop[ir][ei]|propri)\w*)?"
)
_SAYS = re.compile(r"[^\W\d_]{2}|\d{4}|\$")  # a word, a year or a formula
_SENTENCE_END = re.compile(r"[.!。！۔।][\"'”’»“)\]」』]{0,3}$")
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
    """Prose test: enough whole sentences in paragraphs, nearly all of the text, which does not end in a colon."""
    if _announces(blocks):
        return False
    paragraphs = [split_sentences(block) for block in blocks if isinstance(block, Paragraph)]
    told = [one for each in paragraphs for one in each if is_sentence(one) and says_something(one, code)]
    words, every = sum(map(word_count, told)), sum(word_count(text_of(block)) for block in blocks)
    return len(told) >= LEAST_TOLD and words >= max(LEAST_TOLD_WORDS, TOLD_SHARE * every)


def running_text(blocks: Sequence[Block]) -> str:
    """The whole of a text that consists of paragraphs and can be told again, however long its sentences are; else
    empty."""
    if not blocks or not all(isinstance(block, Paragraph) for block in blocks) or _announces(blocks):
        return ""
    paragraphs = [text_of(block) for block in blocks]
    sentences = [one for text in paragraphs for one in sentences_of(text)]
    whole = all(is_sentence(text) and not _HOLES.search(_FORMULA.sub("$", text)) for text in paragraphs)
    long = sum(map(word_count, paragraphs)) >= LEAST_RUNNING_WORDS and len(sentences) >= LEAST_TOLD
    return "\n".join(paragraphs) if whole and long else ""


def listed_lines(blocks: Sequence[Block], code: str) -> list[str]:
    """The lines of a text that is a list and can be told again, empty for any other: at least three of them say
    something, and they are nearly all of it."""
    if not any(isinstance(block, ListBlock) for block in blocks) or _announces(blocks):
        return []
    lines = [line for block in blocks for line in _lines(block)]
    told = [line for line in lines if _is_wordy(line) and not _says_nothing(line.rstrip(" :："), code)]
    words, every = sum(map(word_count, told)), sum(word_count(text_of(block)) for block in blocks)
    enough = len(told) >= LEAST_LISTED and words >= max(LEAST_LISTED_WORDS, TOLD_SHARE * every)
    return lines if enough else []


def _lines(block: Block) -> Iterator[str]:
    """The paragraphs of a block, its items and what leads them in."""
    match block:
        case Paragraph():
            yield text_of(block)
        case ListBlock():
            inner = [block.lead_in] if block.lead_in else []
            yield from (line for one in (*inner, *block.items) for line in _lines(one))
        case ListItem():
            yield from (line for one in block.blocks for line in _lines(one))
        case _:
            return


def is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return _SENTENCE_END.search(text) is not None


def cells_of(table: Table, code: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Row name, column name, cell, and the other cells of the column; for columns in which all cells differ.

    Only where each row is called by a name: others are the data of an example, remarks, or two lists side by side; and
    not where the rows are properties, whose cells are of different kinds.
    """
    rows_are, names = text_of_spans(table.head[0]), [text_of_spans(row[0]) for row in table.rows]
    named = not _PROPERTIES.fullmatch(rows_are) and all(map(_ROW_NAME.fullmatch, names))
    if not named or len({*names}) < max(LEAST_ROWS, len(names)):
        return
    for at, head in enumerate(map(text_of_spans, table.head[1:]), start=1):
        cells = [text_of_spans(row[at]) for row in table.rows]
        differ = all(len(cell) <= LONGEST_CELL and _SAYS.search(cell) for cell in cells) and len({*cells}) == len(cells)
        if differ and _SAYS.search(head) and not singles_out(rows_are, head, code=code):
            for name, cell in zip(names, cells, strict=True):
                if not singles_out(name, cell, code=code):
                    yield name, head, cell, [other for other in cells if other != cell]


def row_names(table: Table) -> list[str]:
    """Names of its rows, in small letters."""
    return [text_of_spans(row[0]).casefold() for row in table.rows]


def says_anything(blocks: Iterable[Block], code: str) -> bool:
    """Whether there is a sentence in the blocks, a line or rows as long as one, a term with its meaning, or code."""
    return any(
        isinstance(block, Definition)
        or _has_code(block)
        or (
            isinstance(block, Table)
            and word_count(text_of(block)) >= LINE_WORDS * len(block.rows) >= LINE_WORDS * LEAST_ROWS
            and _is_wordy(text_of(block))
        )
        or any(is_sentence(one) or word_count(one) >= LINE_WORDS for one in sentences_in([block], code))
        for block in blocks
    )


def _has_code(block: Block) -> bool:
    return isinstance(block, Code) or any(map(_has_code, children_of(block)))


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
    """Whether a sentence states something, and whole: no question, no lead-in, no appointment, no lost signs."""
    if _says_nothing(sentence, code) or sentence.isupper():
        return False
    unspaced = word_count(sentence) > len(sentence.split())
    wordy = _is_wordy(sentence) or "$" in sentence
    return (unspaced or word_count(sentence) >= FEWEST_WORDS) and word_count(sentence) <= MOST_WORDS and wordy


def _is_wordy(text: str) -> bool:
    """Whether most of a text are letters."""
    return sum(letter.isalpha() or letter.isspace() for letter in text) > 0.6 * len(text)


def _announces(blocks: Sequence[Block]) -> bool:
    """Whether a text ends in a colon, and so goes on elsewhere."""
    return bool(blocks) and text_of(blocks[-1]).rstrip().endswith((":", "："))


def _says_nothing(text: str, code: str) -> bool:
    return bool(
        QUESTION.search(text) or _SHOWS.search(text) or language(code).patterns.meta.search(text)
    ) or not is_whole(text)


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
