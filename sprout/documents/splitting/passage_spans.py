"""Passage spans: a text split at its headings and blocks into pieces of similar size."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sprout.documents.formats.markdown_inline import plain_title
from sprout.documents.splitting.markdown_blocks import Block, parse_blocks
from sprout.learning.paths.passages import HEADING_SEPARATOR
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.repeated_headings import levels_of
from sprout.learning.structure.tree import iter_sections
from sprout.learning.text.normalization import one_line

MIN_CHARACTERS = 300
TARGET_CHARACTERS = 600
LEAST_BEFORE_LABEL = 200
MAX_CHARACTERS = 1_500
MAX_PARAGRAPH_CHARACTERS = 3_000
MAX_CODE_CHARACTERS = 6_000
MAX_HEADING = 120
MAX_HEADING_MARKDOWN = 240
MOST_MARKS = 16  # characters of a heading's line beside its title: stars, a colon
LONGEST_READ = 500_000  # characters of a text whose lines are looked at for headings: that takes up to 2 s

_LABEL = re.compile(
    r"\*\*[^*\n]{2,80}\*\*|\S{1,40}(?: \S{1,40}){0,6}(?<![.!?;,])\s*\Z"
)  # a bold beginning, a short line
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？]")
_NEWLINE = re.compile(r"\n")
_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """The characters from `start` to `end`, the path of headings above them, and the page that they begin on."""

    heading: str | None
    start: int
    end: int
    page: int | None = None


def split_into_spans(text: str, page_starts: Sequence[int] = ()) -> Iterator[PassageSpan]:
    """The spans of a text in order, each with the path of headings above it.

    A span grows block by block to 600 characters or some more, up to 1,500; it is shorter at the end of a section and
    before a line that says what comes next, and begins with the headings that it is the first under. A paragraph is
    split only beyond 3,000 characters, at the end of a sentence if possible; fenced code only beyond 6,000, at the end
    of a line. Together the spans hold all of the text but white space.

    Args:
        page_starts: where each page begins, in order; an empty page begins where the next one does.
    """
    for path, blocks in _sections(text):
        for start, end in _pack_blocks(text, blocks):
            yield PassageSpan(path, start, end, bisect_right(page_starts, start) if page_starts else None)


def _sections(text: str) -> Iterator[tuple[str | None, list[Block]]]:
    """The blocks under each heading, with the path to it; headings without text of their own go to the next."""
    above: list[tuple[int, str]] = []
    blocks: list[Block] = []
    parsed = _with_plain_headings(text, [*parse_blocks(text)])
    levels = iter(levels_of([(block.level, block.title) for block in parsed if block.kind == "heading"]))
    for block in parsed:
        if block.kind == "heading":
            its_level = next(levels)
            if any(other.kind != "heading" for other in blocks):
                yield _heading_path(above), blocks
                blocks = []
            above = [(level, title) for level, title in above if level < its_level]
            above.append((its_level, plain_title(one_line(block.title)[:MAX_HEADING_MARKDOWN])[:MAX_HEADING]))
        blocks.append(block)
    if blocks:
        yield _heading_path(above), blocks


def _with_plain_headings(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with the headings among them that nothing marks: lines in capitals, in bold, behind a picture."""
    if len(text) > LONGEST_READ:
        return [*blocks]
    marked = {block.start for block in blocks if block.kind == "heading"}
    plain = deque(one for one in iter_sections(read_structure(text)) if one.level and one.start not in marked)
    read: list[Block] = []
    for block in blocks:
        start = block.start
        while plain and plain[0].start < block.end:
            section = plain.popleft()
            if section.start < start or block.kind != "text":
                continue
            newline = text.find("\n", section.start, block.end)
            end = block.end if newline < 0 else newline
            read += [Block(start, section.start)] if text[start : section.start].strip() else []
            says_more = end - section.start > len(section.title) + MOST_MARKS  # as of "**3) Cells:** they …"
            end, start = (section.start, section.start) if says_more else (end, end + 1)
            read.append(Block(section.start, end, "heading", section.level, section.title))
        read += [replace(block, start=start)] if text[start : block.end].strip() else []
    return read


def _heading_path(above: Sequence[tuple[int, str]]) -> str | None:
    return HEADING_SEPARATOR.join(title for _, title in above if title) or None


def _pack_blocks(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Spans of whole blocks; headings go with what follows, and a short rest with what went before."""
    start = end = blocks[0].start
    section_end = blocks[-1].end
    only_headings = True
    for block in blocks:
        for piece_start, piece_end in _split_block(text, block):
            is_label = block.kind == "text" and _LABEL.match(text, piece_start, piece_end)
            most = LEAST_BEFORE_LABEL if is_label else TARGET_CHARACTERS
            full = end - start >= most and section_end - piece_start >= MIN_CHARACTERS
            too_long = end - start >= MIN_CHARACTERS and piece_end - start > MAX_CHARACTERS
            if not only_headings and (full or too_long):
                yield start, end
                start = piece_start
            end = piece_end
            only_headings = only_headings and block.kind == "heading" and end - start <= MAX_PARAGRAPH_CHARACTERS
    yield start, end


def _split_block(text: str, block: Block) -> Iterator[tuple[int, int]]:
    code = block.kind == "code"
    huge = MAX_CODE_CHARACTERS if code else MAX_PARAGRAPH_CHARACTERS
    longest = huge if code else MAX_CHARACTERS
    start, last = block.start, block.start + len(text[block.start : block.end].rstrip())
    while last - start > (huge if start == block.start else longest):
        end = (_line_end if code else _sentence_end)(text, start, start + longest)
        yield start, end
        start = end + 1 if code and text[end] == "\n" else _after_space(text, end)
    yield start, last


def _line_end(text: str, start: int, latest: int) -> int:
    newline = text.rfind("\n", (start + latest) // 2, latest)
    return latest if newline < 0 else newline


def _sentence_end(text: str, start: int, latest: int) -> int:
    """The last good place to cut in the second half: after a sentence, a line or a word; else `latest`."""
    half = (start + latest) // 2
    for good in (_SENTENCE_END, _NEWLINE, _WHITE_SPACE):
        places = [match.start() + len(match[0].rstrip()) for match in good.finditer(text, half, latest)]
        if places:
            return places[-1]
    return latest


def _after_space(text: str, at: int) -> int:
    gap = _WHITE_SPACE.match(text, at)
    return gap.end() if gap else at
