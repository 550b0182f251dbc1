"""Headings of plain text: numbered, bold, in capitals, behind a picture, or short lines of their own.

They count only where a document marks no headings, or a title alone: else a bold line is emphasis and a numbered one an
item. Only within a long section several lines in capitals or bold are its subsections. The kinds are ranked as
documents nest them: chapters, capitals, pictures, numbers by depth, bold or short lines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise

from sprout.learning.structure.blocks import Heading
from sprout.learning.structure.captions import is_caption
from sprout.learning.structure.forms import is_page_number
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.titles import without_signpost
from sprout.learning.structure.tree import Block, Box, Code, ListBlock, Paragraph, Span, SpanKind, Table
from sprout.learning.structure.words import chapter_pattern

MOST_WORDS = 10
MOST_SHORT_WORDS = 8
MOST_CAPITAL_WORDS = 20  # of a title below a chapter's number
LEAST_REPEATS = 4  # a line that stands there so often is a running head
LEAST_TITLED, TITLED_SHARE = 3, 0.6  # of paragraphs right under a short line, from which on these are headings
SHORT_SHARE = 6  # times as many headings of which nearly all are but short lines: all count as such
LEAST_INDENTED = 3
LEAST_LEADING, MOST_LEADING_WORDS = 4, 8  # lines with a colon over lists, and words in one
LEAST_LABELS = 4  # lines in a row
LEAST_WIDTH = 60  # characters of a line of text; those of a poem are shorter
LEAST_PICTURED = 3  # lines behind a picture
LONG_SECTION, LEAST_BOLD = 1_500, 3  # characters of a section, and bold lines that head parts of it
LONGEST_BEFORE_TITLE = 300  # characters: who, where, when
BROKEN_SHARE = 0.5  # of paragraphs that go on in the middle of a sentence, from which on all are but lines of a text
LONG_TEXT, PIECE = 6_000, 800  # characters of a paragraph without an end, as of a transcript, and of a piece of it
LEAST_TEXT_BELOW = 40  # characters that follow a short line which nothing else marks as a heading

_NUMBERED = re.compile(r"(?:§+\s*)?(\d{1,2}(?:\.\d{1,3}){0,4})\.?\)?\s+(?=[^\W\d_])")
_BOLD_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,2})[.)]\s*(?=[^\W\d_])")
_ROMAN = re.compile(r"[IVXLC]{1,7}[.:]?(?:\s+(?=[^\W\d_])|$)")
_ENDS_SENTENCE = re.compile(r"[.!;,…。！]$|[^:]:$")
_LETTER = re.compile(r"[^\W\d_]")
_PAGED = re.compile(
    r"\d{1,4}(?:\s{3,}|\t)(?=[^\W\d_])|(?<=[^\W_])(?:\s{3,}|\t)\d{1,4}$"
)  # a page's number beside its head
_UNFINISHED = re.compile(
    r"(?i)(?: (?:and|or|of|the|in|on|to|for|with|und|oder|der|die|das|von|et|ou|de|du|des|la|le|les|y|del|e|di|da)|&)$"
)
_EQUATION = re.compile(r"=|\d\s*[×*/+]\s*\d|(?<!\d\d)\d\s*[–-]\s*\d(?!\d\d)")  # years are none: "264–146"


class _Rank(IntEnum):
    CHAPTER = 0
    ROMAN = 1
    CAPITALS = 2
    PICTURED = 3
    NUMBERED = 4  # one more for each further number: "2.1" is 5
    BOLD = 10
    SHORT = 11


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: int
    title: str


def with_plain_headings(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the headings of plain text among them, where the document marks none itself."""
    blocks = _with_lines_apart(text, _without_page_heads(text, _without_indented(text, blocks)))
    blocks = _with_run_in_heads(blocks)
    marked = [block for block in blocks if isinstance(block, Heading)]
    if len(marked) > 1 or (marked and marked[0].start - blocks[0].start > LONGEST_BEFORE_TITLE):
        return [one for section in _sections(blocks) for one in _with_bold_headings(text, section)]
    begun = blocks.index(marked[0]) if marked else -1
    found = {at: each for at, each in _candidates(text, blocks) if at > begun}
    pictured = [at for at, each in found.items() if each.rank == _Rank.PICTURED]
    found = {at: each for at, each in found.items() if len(pictured) >= LEAST_PICTURED or at not in pictured}
    repeats = Counter(each.title for each in found.values())
    unmarked = (_Rank.SHORT, _Rank.CAPITALS)
    found = {at: each for at, each in found.items() if repeats[each.title] < LEAST_REPEATS or each.rank not in unmarked}
    others = {at: each for at, each in found.items() if each.rank != _Rank.SHORT}
    if marked or (len(others) >= 2 and len(found) <= SHORT_SHARE * len(others)):
        found = others
    elif len(others) >= 2:
        found = {at: replace(each, rank=_Rank.SHORT) for at, each in found.items()}
    found |= {} if marked or any(each.rank != _Rank.SHORT for each in found.values()) else _lead_ins(blocks)
    levels = _levels({each.rank for each in found.values()}, above=marked[0].level if marked else 0)
    read: list[Block] = []
    for at, block in enumerate(blocks):
        if at in found:
            heading = Heading(block.start, block.end, levels[found[at].rank], found[at].title)
            if read and (joined := _with_title_below(read[-1], heading) or _with_rest_below(read[-1], heading)):
                read[-1] = joined
            else:
                read.append(heading)
        elif read and (titled := _with_title_below(read[-1], block)):
            read[-1] = titled
        else:
            read.append(block)
    return read if marked or found or not read else [*_pieces(text, _with_title(read))]


def _pieces(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks; a plain paragraph without an end as several, each of some lines."""
    for block in blocks:
        source = text[block.start : block.end]
        if isinstance(block, Heading) or len(source) <= LONG_TEXT or text_of(block).split() != source.split():
            yield block
            continue
        start = end = block.start
        for line in source.splitlines(keepends=True):
            end += len(line)
            if end - start > PIECE or end == block.end:
                yield Paragraph(start, end, (Span(" ".join(text[start:end].split())),))
                start = end


def _sections(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    """The blocks from one heading to the next."""
    starts = [at for at, block in enumerate(blocks) if isinstance(block, Heading)]
    for start, end in pairwise([0, *starts, len(blocks)]):
        yield blocks[start:end]


def _with_bold_headings(text: str, section: Sequence[Block]) -> Sequence[Block]:
    """A section that begins with its heading; where it is long, lines in capitals, bold or over lists head parts."""
    if not section or not isinstance(section[0], Heading) or section[-1].end - section[0].end < LONG_SECTION:
        return section
    found = [*_candidates(text, section)]
    in_capitals = {at: one for at, one in found if one.rank == _Rank.CAPITALS}
    marked = (in_capitals, {at: one for at, one in found if one.rank == _Rank.BOLD or _is_bold(section[at])})
    heads = next((heads for heads in marked if len(heads) >= LEAST_BOLD), None) or _lead_ins(section)
    level = min(section[0].level + 1, 6)
    return [
        Heading(block.start, block.end, level, heads[at].title) if at in heads else block
        for at, block in enumerate(section)
    ]


def _with_title(blocks: list[Block]) -> list[Block]:
    """The blocks of a text without headings; where it begins with a list of lines, the first of them is the title."""
    first, *others = blocks
    opening = first.spans[0] if isinstance(first, Paragraph) else Span("")
    title, _, rest = opening.text.partition("\n")
    if not (isinstance(first, Paragraph) and rest) or len(title.split()) > MOST_SHORT_WORDS or ":" in title:
        return blocks
    if others and others[0].start == first.start:  # a picture among the lines has no place of its own
        return blocks
    level, said = 1, (replace(opening, text=rest), *first.spans[1:])
    heading = Heading(first.start, first.start + len(title), level, title)
    return [heading, Paragraph(first.start + len(title), first.end, said), *others]


def _without_page_heads(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks without the heads of pages, "THE BEE   41": the first of each is the line that it repeats."""
    kept: list[Block] = []
    heads: list[str] = []
    for block in blocks:
        line = text[block.start : block.end].strip() if isinstance(block, Paragraph) else ""
        if is_page_number(line):
            continue
        if line.count("\n") == 0 and (paged := _PAGED.search(line)):
            head = f"{line[: paged.start()]} {line[paged.end() :]}".strip()
            if any(head.casefold() in one.casefold() for one in heads):
                continue
            heads.append(head)
            block = Paragraph(block.start, block.end, (Span(head),))
        kept.append(block)
    return kept


def _without_indented(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with headings as plain lines, where most are indented: there "#" marks the items of a list."""
    headings = [block for block in blocks if isinstance(block, Heading)]
    indented = [block for block in headings if text[max(0, block.start - 1) : block.start + 1] in (" #", "\t#")]
    if len(indented) < max(LEAST_INDENTED, len(headings) / 2):
        return list(blocks)
    return [Paragraph(one.start, one.end, (Span(one.title),)) if isinstance(one, Heading) else one for one in blocks]


def _lead_ins(blocks: Sequence[Block]) -> dict[int, _Candidate]:
    """The short lines with a colon that lead in lists, by place, where there are so many that they head the text (one
    fewer where it begins with one); then also those that lack the colon."""
    found, bare = {}, {}
    for at, (block, below) in enumerate(pairwise(blocks)):
        title = text_of_spans(block.spans) if isinstance(block, Paragraph) and isinstance(below, ListBlock) else ""
        if not title[:1].isupper() or "\n" in title or len(title.split()) > MOST_LEADING_WORDS:
            continue
        if title.endswith(":") and title.count(":") == 1:
            found[at] = _Candidate(_Rank.SHORT, title.rstrip(": "))
        elif not _ENDS_SENTENCE.search(title):
            bare[at] = _Candidate(_Rank.SHORT, title)
    return found | bare if len(found) >= LEAST_LEADING - (0 in found) else {}


def _with_lines_apart(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks, with the short line right over each paragraph as one of its own, where most have one."""
    texts = [block for block in blocks if isinstance(block, Paragraph)]
    apart = {block: parted for block in texts if (parted := _line_apart(text, block))}
    if len(apart) < max(LEAST_TITLED, TITLED_SHARE * len(texts)):
        apart = {block: parted for block, parted in apart.items() if _in_capitals(text_of_spans(parted[0].spans))}
    if any(isinstance(block, Heading) for block in blocks) or len(apart) < LEAST_TITLED:
        return blocks
    return [
        one for block in blocks for one in (apart.get(block, (block,)) if isinstance(block, Paragraph) else (block,))
    ]


def _with_run_in_heads(blocks: list[Block]) -> list[Block]:
    """The blocks, with the bold number and name that a paragraph begins with, "**3) Cells:** they …", as one of its own
    where it comes after the number before it."""
    read: list[Block] = []
    last = ""
    for block in blocks:
        opening = block.spans[0] if isinstance(block, Paragraph) else Span("")
        number = _BOLD_NUMBER.match(opening.text) if opening.kind is SpanKind.STRONG else None
        follows = bool(number and _comes_after(number[1], last))
        if isinstance(block, Paragraph) and len(block.spans) > 1 and follows and opening.text.endswith(":"):
            end = block.start + 1
            read += [Paragraph(block.start, end, (opening,)), Paragraph(end, block.end, block.spans[1:])]
        else:
            read.append(block)
        last = number[1] if number else last
    return read


def _comes_after(number: str, other: str) -> bool:
    """Whether a number is the next of its depth: "3" after "2", "1.3" after "1.2"."""
    *above, own = number.split(".")
    *above_other, before = other.split(".")
    return above == above_other and before.isdigit() and int(own) == int(before) + 1


def _line_apart(text: str, block: Paragraph) -> tuple[Paragraph, Paragraph] | None:
    """A paragraph's first line and the rest, if it is a short line and others are long."""
    first, *rest = text[block.start : block.end].split("\n")
    title, opening = first.strip(), block.spans[0]
    wide = max(map(len, rest), default=0) >= LEAST_WIDTH or (_in_capitals(title) and not _in_capitals("".join(rest)))
    if not rest or not wide or not opening.text.startswith(title):
        return None
    if not 1 <= len(title.split()) <= MOST_SHORT_WORDS or _ENDS_SENTENCE.search(title) or not title[:1].isupper():
        return None
    after = block.start + len(first)
    said = opening.text[len(title) :].lstrip()
    spans = ((replace(opening, text=said),) if said else ()) + block.spans[1:]
    return Paragraph(block.start, after, (replace(opening, text=title),)), Paragraph(after + 1, block.end, spans)


def _with_title_below(number: Block, title: Block) -> Heading | None:
    """A chapter's number alone over the line that is its title, as one heading: "IV." over "The Storm"."""
    if not isinstance(number, Heading) or not _is_number(number.title):
        return None
    said = ""
    if isinstance(title, Heading) and not _is_number(title.title):
        said = title.title
    elif isinstance(title, Paragraph):
        line = text_of_spans(title.spans)
        most = MOST_CAPITAL_WORDS if _in_capitals(line) else MOST_SHORT_WORDS
        short = len(line.split()) <= most and "\n" not in line and not _ENDS_SENTENCE.search(line)
        said = line if short and _LETTER.search(line) else ""
    whole = f"{number.title.rstrip('.: ')}. {said}"
    return Heading(number.start, title.end, number.level, whole) if said else None


def _with_rest_below(start: Block, rest: Heading) -> Heading | None:
    """A heading that stands on two lines, "TIDES AND" over "CURRENTS", as one."""
    if not isinstance(start, Heading) or start.level != rest.level or not _UNFINISHED.search(start.title):
        return None
    return Heading(start.start, rest.end, start.level, f"{start.title} {rest.title}")


def _levels(ranks: set[int], *, above: int) -> dict[int, int]:
    """Rank → level, without gaps, from one below the title's."""
    return {rank: min(above + at, 6) for at, rank in enumerate(sorted(ranks), start=1)}


def _candidates(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, _Candidate]]:
    """The place of each heading; the last block is none, for nothing is under it."""
    labels = 0  # lines of a few words right before, as a drawing leaves them
    begun = [_goes_on(block) for block in blocks if isinstance(block, Paragraph)]
    broken = sum(begun) > BROKEN_SHARE * len(begun)
    for at, block in enumerate(blocks[:-1]):
        below = blocks[at + 1]
        if isinstance(block, ListBlock) and (item := _lone_item(text, block, below)):
            yield at, item
        leads_text = isinstance(below, Paragraph)
        found = _candidate(text, block, leads_text=leads_text) if isinstance(block, Paragraph) else None
        told = _has_text(below) and labels < LEAST_LABELS and not (broken or _goes_on(below))
        if found and (found.rank not in (_Rank.SHORT, _Rank.PICTURED) or told):
            yield at, found
        is_label = isinstance(block, Paragraph) and len(text_of_spans(block.spans).split()) <= MOST_SHORT_WORDS
        labels = labels + 1 if is_label and not _has_text(below) else 0


def _goes_on(block: Block) -> bool:
    """Whether a paragraph begins in the middle of a sentence."""
    return isinstance(block, Paragraph) and text_of_spans(block.spans)[:1].islower()


def _candidate(text: str, block: Paragraph, *, leads_text: bool) -> _Candidate | None:
    """The heading that a paragraph may be by its form; a bold line with a colon where it does not lead in a list."""
    title = " ".join(text_of_spans(block.spans).split())
    bare = without_signpost(title)
    lines = text[block.start : block.end].count("\n") + 1
    chapter = chapter_pattern().match(bare)
    bold_number = _BOLD_NUMBER.match(title) if _is_bold(block) else None
    if (
        is_caption(block.spans, "table")
        or not 1 <= len(title.split()) <= (MOST_CAPITAL_WORDS if bold_number else MOST_WORDS)
        or not _LETTER.search(title)
        or _EQUATION.search(title)
        or lines > 2
    ):
        return None
    if bold_number and lines == 1:
        return _Candidate(_Rank.NUMBERED + bold_number[1].count("."), title.rstrip(".: "))
    bare_number = lines == 2 and bool(_is_number(text[block.start : block.end].split("\n", 1)[0]))
    said = title.rstrip(": ") if _NUMBERED.match(title) or (leads_text and _is_bold(block)) else title
    ends = _ENDS_SENTENCE.search(said) and not (chapter or _is_number(title))
    if (lines == 2 and not bare_number) or ends:
        return None
    if chapter and (chapter.end() == len(bare) or bare[chapter.end()] in " :.–—-") and lines == 1 + bare_number:
        return _Candidate(_Rank.CHAPTER, bare)
    return _ranked(title, block)


def _ranked(title: str, block: Paragraph) -> _Candidate | None:
    if (said := without_signpost(title)) != title:
        named = said[:1].isupper() and not _ENDS_SENTENCE.search(said.rstrip(":"))
        return _Candidate(_Rank.PICTURED, said.rstrip(": ")) if named else None
    plain = not _ENDS_SENTENCE.search(title.rstrip(":"))
    if _ROMAN.match(title) and plain | bool(_ROMAN.fullmatch(title)):
        return _Candidate(_Rank.ROMAN, title)
    if (number := _NUMBERED.match(title)) and plain:
        return _Candidate(_Rank.NUMBERED + number[1].count("."), title)
    if _in_capitals(title):
        return _Candidate(_Rank.CAPITALS, title)
    if _is_bold(block):
        return _Candidate(_Rank.BOLD, title.rstrip(": "))
    opens = title[0].isupper() or not (title[0].islower() or title[0].isdigit() or title[0] in "-–—*•|>\"“„«'(")
    says_more = title.endswith(("?", "؟")) or ": " in title
    if plain and opens and len(title.split()) <= MOST_SHORT_WORDS and not says_more:
        return _Candidate(_Rank.SHORT, title)
    return None


def _is_bold(block: Block) -> bool:
    return isinstance(block, Paragraph) and len(block.spans) == 1 and block.spans[0].kind is SpanKind.STRONG


def _is_number(line: str) -> bool:
    """Return True for a line that is a chapter's number alone: "Chapter 4", "IV.", "3."."""
    bare = line.strip()
    chapter = chapter_pattern().match(bare)
    if chapter:
        return not bare[chapter.end() :].strip(" .:–—-")
    return bool(re.fullmatch(r"[IVXLC]{1,7}\.?|\d{1,2}(?:\.\d{1,2}){0,3}\.?", bare))


def _in_capitals(title: str) -> bool:
    letters = [letter for letter in title if letter.isalpha()]
    cased = [letter for letter in letters if letter.upper() != letter.lower()]
    return len(cased) >= 4 and all(letter.isupper() for letter in cased)


def _lone_item(text: str, block: ListBlock, below: Block) -> _Candidate | None:
    """A numbered line that stands alone over a text: a list of one item for the parser, a heading for its reader."""
    if not block.ordered or len(block.items) != 1 or block.lead_in or not _has_text(below):
        return None
    item = block.items[0]
    if len(item.blocks) != 1 or not isinstance(item.blocks[0], Paragraph) or not item.marker[:-1].isdigit():
        return None
    title = text_of_spans(item.blocks[0].spans)
    one_line = "\n" not in text[item.start : item.end]
    ends = _ENDS_SENTENCE.search(title.rstrip(":"))
    if not one_line or len(title.split()) > MOST_WORDS or ends or not _LETTER.match(title):
        return None
    return _Candidate(_Rank.NUMBERED, f"{item.marker} {title}")


def _has_text(block: Block) -> bool:
    long = block.end - block.start >= LEAST_TEXT_BELOW
    return isinstance(block, ListBlock | Table | Code | Box) or (isinstance(block, Paragraph) and long)
