"""Forms by which blocks show what they are for: links, questions, options, answers, references, tables of contents."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import (
    Block,
    Code,
    Definition,
    Figure,
    Formula,
    ListBlock,
    Paragraph,
    Section,
    Span,
    SpanKind,
    Table,
    children_of,
)
from sprout.learning.structure.words import alternatives, answer_pattern, role_words

MOST_OPTIONS = 10
LEAST_ASKED = 2  # words around a blank: "596 U.S. ___" asks nothing
LONGEST_OPTION = 240
LONGEST_NOTICE = 400
LONGEST_QUESTION_END = 1_000
LINKED, LINK_COLUMNS = 0.6, 2  # of a list of links: items that are links, columns of a table

_QUESTION_END = re.compile(r"(?:[?？؟՞]|(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e])[\s\"'”’»)*\]]*$")  # in Greek ;
_SPOKEN = re.compile(r"[^\W\d_]{2}\w*")
_BLANK = re.compile(r"_{3,}|…{2,}|\.{5,}|\[\s{2,}\]")
_LETTERED = re.compile(r"\(?[a-hA-H][.)]|\[[ x]\]")
_ANSWER_LETTERS = re.compile(r"(?:(?:\(?\d{1,3}[.):]?\s*)?\(?[A-Ha-h][.)]?(?:[\s,;]+|$)){1,200}")
_LEADER = re.compile(r"\S.{0,200}?(?:(?:\.\s?){3,}|\s{3,}|\t)\s*(\d{1,4})")
_ROW_OF_DOTS = re.compile(r"(?:\. ){4,}\.|\w ?\.{5,} ?\d{1,4}$")  # a sentence that is left out has four
_INDEX_ENTRY = re.compile(r"\S.{0,100}?, \d{1,4}(?:[,–-] ?\d{1,4}){0,30}")
_REFERENCE = re.compile(
    r"\(\s*(?:1[5-9]|20)\d\d[a-z]?\s*\)|\bet al\b|\bdoi\b|\bISBN\b|\bpp?\.\s?\d|\bvol\.|\bed(?:s|n)?\.|\bHrsg\b|"
    r"(?:1[89]|20)\d\d[a-z]?\.\s|\barXiv\b|\bIn: |\bVerlag\b|\bPress\b",
    re.IGNORECASE,
)
_AUTHOR_AND_YEAR = re.compile(  # of the styles of APA and Harvard
    r"[A-ZÀ-Þ][\w'’-]+(?:[ -][A-ZÀ-Þ][\w'’-]+)?, ?(?:[A-ZÀ-Þ]\. ?){1,4}[^()]{0,160}"
    r"\((?:1[89]|20)\d\d[a-z]?[^()]{0,20}\)\W"
)
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:page|seite|página|pagina|p\.|s\.)?\s*\d{1,4}(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?[\W_]*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S+")
_COPYRIGHT = re.compile(r"©|\(c\)\s*(?:19|20)\d\d|\bcopyright\b", re.IGNORECASE)


def units_of(section: Section) -> list[Block]:
    """What a section's own text consists of, as one would count questions: its paragraphs and items."""
    units: list[Block] = []
    for block in section.blocks:
        units += block.items if isinstance(block, ListBlock) else [block]
    return [unit for unit in units if not isinstance(unit, Code | Formula | Figure | Table)]


def share(units: Sequence[Block], fits: Callable[[Block], bool]) -> float:
    """The part of the units that fit, 0..1; 0 without any."""
    return sum(map(fits, units)) / len(units) if units else 0.0


def is_question(block: Block) -> bool:
    """Whether a text ends with a question mark, or has a blank to fill in."""
    text = text_of(block).split("\n")[0]
    return bool(_QUESTION_END.search(text) or _BLANK.search(text))


def asks_something(block: Block) -> bool:
    """Whether a text is a question, or opens with a word that asks for something to be done."""
    return is_question(block) or _asking().match(text_of(block)) is not None


def only_asks(block: Block) -> bool:
    """Whether a text tells nothing: a question, or what opens by asking for something to be done."""
    return is_question(block) or _demanding().match(text_of(block)) is not None


def asks_to_choose(text: str) -> bool:
    """Whether a question says that options follow: "Which of the following …"."""
    return _choosing().search(text) is not None


def is_options(block: ListBlock, question: str, *, in_quiz: bool) -> bool:
    """Whether a list holds the options of the question before it.

    Letters or boxes and a question suffice; bullets and numbers need a question that asks to choose or has a blank, or
    a quiz around them.
    """
    if not 2 <= len(block.items) <= MOST_OPTIONS or not question:
        return False
    if any(item.end - item.start > LONGEST_OPTION or len(item.blocks) != 1 for item in block.items):
        return False
    if any(is_question(item) for item in block.items):
        return False
    question = question[-LONGEST_QUESTION_END:]
    blank = bool(_BLANK.search(question)) and len(_SPOKEN.findall(question)) >= LEAST_ASKED
    asked = bool(_QUESTION_END.search(question)) or blank or asks_to_choose(question)
    lettered = all(_LETTERED.fullmatch(item.marker) for item in block.items)
    chosen = asks_to_choose(question) or blank
    return (asked and (lettered or in_quiz)) or (chosen and asked) or (lettered and in_quiz)


def holds_options(block: Block, *, in_quiz: bool) -> bool:
    """Whether an item of a list is a question with its options below it."""
    return isinstance(block, ListBlock) and any(
        isinstance(inner, ListBlock) and is_options(inner, question_of(inner, item.blocks[:at]), in_quiz=in_quiz)
        for item in block.items
        for at, inner in enumerate(item.blocks)
    )


def question_of(block: ListBlock, before: Sequence[Block]) -> str:
    """What a list answers: its lead-in, or the text before it; a numbered question may be a list of one item."""
    if block.lead_in:
        return text_of(block.lead_in)
    for block_before in reversed(before):
        if isinstance(block_before, Paragraph):
            return text_of(block_before)
        if isinstance(block_before, ListBlock) and len(block_before.items) == 1 and not block_before.lead_in:
            return text_of(block_before)
        if not isinstance(block_before, Figure | Formula | Code):
            break
    return ""


def is_list_of_objectives(block: Block) -> bool:
    """Whether a list says what its reader will be able to do: "After this section you will be able to: …"."""
    said = text_of(block.lead_in) if isinstance(block, ListBlock) and block.lead_in else ""
    announces = said.endswith((":", "：", "…")) and len(said) <= 200
    return announces and _notices("objectives").search(said) is not None


def is_answer_letters(text: str) -> bool:
    """Whether a text is nothing but letters of options: "B", "1. A 2. C 3. B"."""
    bare = text.strip()
    return 0 < len(bare) <= 2_000 and _ANSWER_LETTERS.fullmatch(bare) is not None


def is_answer(block: Block) -> bool:
    """Whether a paragraph says that it is an answer: "Answer: …", "Lösung: …"."""
    return isinstance(block, Paragraph) and answer_pattern().match(text_of(block)) is not None


def is_link(block: Block) -> bool:
    """Whether a text is little more than links, or an address after the name of what is there."""
    return _is_linked(_spans(block))


def _is_linked(spans: Iterable[Span]) -> bool:
    links = words = 0
    for span in spans:
        words += len(span.text)
        addresses = sum(len(found[0]) for found in _ADDRESS.finditer(span.text))
        links += len(span.text) if span.kind is SpanKind.LINK else addresses
    return links > 0 and links >= 0.6 * words


def is_list_of_links(block: Block) -> bool:
    """Whether most items of a list are links, or most rows of a table that has but their names beside them."""
    if isinstance(block, Table):
        linked = [any(map(_is_linked, row)) for row in (block.head, *block.rows)]
        return len(block.head) <= LINK_COLUMNS and sum(linked) >= LINKED * len(linked)
    return isinstance(block, ListBlock) and share(block.items, is_link) >= LINKED


def is_reference(block: Block) -> bool:
    """Whether a text is an entry of a bibliography, by year, pages, publisher."""
    text = text_of(block)
    return len(text) <= 600 and len(_REFERENCE.findall(text)) >= 2


def opens_as_reference(text: str) -> bool:
    """Whether a text begins as an entry of a bibliography does: "Mayr, E. (1942). …"."""
    return len(text) <= 600 and _AUTHOR_AND_YEAR.match(text) is not None


def is_list_of_references(block: Block) -> bool:
    """Whether most items of a list, three at least, are references."""
    return isinstance(block, ListBlock) and len(block.items) >= 3 and share(block.items, is_reference) >= 0.6


def has_leader(text: str) -> bool:
    """Whether a row of dots leads from something to its page, as print does."""
    return _ROW_OF_DOTS.search(text) is not None


def has_page_numbers(raw: str) -> bool:
    """Whether most lines, three at least, end with page numbers that ascend, as in a table of contents."""
    lines = [line[:300].strip() for line in raw.split("\n") if line.strip()]
    pages = [int(found[1]) for line in lines if (found := _LEADER.fullmatch(line))]
    return len(pages) >= max(3, 0.6 * len(lines)) and pages == sorted(pages) and pages[0] < pages[-1]


def has_index_entries(raw: str) -> bool:
    """Whether most lines, three at least, are words with the pages that they stand on."""
    lines = [line[:300].strip() for line in raw.split("\n") if line.strip()]
    return len(lines) >= 3 and sum(_INDEX_ENTRY.fullmatch(line) is not None for line in lines) >= 0.6 * len(lines)


def is_page_number(text: str) -> bool:
    """Whether a text is nothing but a page number."""
    return len(text) <= 24 and _PAGE_NUMBER.fullmatch(text) is not None


def is_notice(text: str) -> bool:
    """Whether a short text is a notice of copyright or licence."""
    return len(text) <= LONGEST_NOTICE and bool(_COPYRIGHT.search(text) or _notices("licence").search(text))


def ends_work(title: str) -> bool:
    """Whether a heading says that the work itself ends before it, as e-books have it."""
    return _notices("work_end").search(title) is not None


def is_navigation(text: str) -> bool:
    """Whether a short text leads through a site: "Back to top"."""
    return len(text) <= 60 and _notices("navigation").search(text) is not None


def is_definition(block: Block) -> bool:
    """Whether a block is an entry of a definition list."""
    return isinstance(block, Definition)


def _spans(block: Block) -> Iterator[Span]:
    if isinstance(block, Paragraph):
        yield from block.spans
    for inner in children_of(block):
        yield from _spans(inner)


@cache
def _asking() -> re.Pattern[str]:
    lines = role_words()["lines"]
    return _opening((lines["asks"], lines["demands"]))


@cache
def _demanding() -> re.Pattern[str]:
    return _opening((role_words()["lines"]["demands"],))


def _opening(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:\d+[.)]\s*)?{alternatives(words)}(?!\w)", re.IGNORECASE)


@cache
def _choosing() -> re.Pattern[str]:
    words = alternatives(role_words()["lines"]["chooses"])
    return re.compile(
        rf"(?<![^\W\u3000-\uffff]){words}(?![^\W\u3000-\uffff])|\bis called\W*$", re.IGNORECASE
    )  # 下列 stands between letters


@cache
def _notices(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){alternatives(role_words()['lines'][kind])}(?!\w)", re.IGNORECASE)
