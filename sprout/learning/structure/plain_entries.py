"""Entries of text that explains terms one after the other, as definitions: "Term: meaning" on a line, a marked term
before its meaning, or a term on a line over its meaning."""

import re
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from statistics import fmean

from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.tree import Block, Definition, ListBlock, Paragraph, Span, SpanKind
from sprout.learning.text.normalization import folded

LEAST_ENTRIES = 5
LEAST_LISTED = 8  # items of a list
ENTRY_SHARE = 0.8  # of the words of neighbouring paragraphs, from which on they are entries
LEAST_DISTINCT = 0.75  # of the terms' first words; speakers of a dialogue are named again, as are "Step 1" and "Step 2"
MOST_TERM_WORDS = 6
MOST_LINES = 600  # of a paragraph: each is compared with all before it
MEANING_WORDS, MOST_LISTED_WORDS = (3, 30), 45  # in the mean; sections are longer

LED = re.compile(
    r"(?P<term>[^\s:：–—=→][^:：–—=→\n]{0,60}?)\s*(?:[:：]\s+|\s[–—-]\s+|\s*(?:->|→)\s+|\s=\s+)(?P<meaning>\S.+)",
    re.DOTALL,
)
_TITLED = re.compile(r"(?P<term>[^.]{2,60})\.\s+(?P<meaning>\S.+)", re.DOTALL)
_MARKED_LINE = re.compile(r"\s*(?:[-*+|>#]|\d+[.)]|```|~~~|$)")
_TERM_ENDS = re.compile(r"[.!?;,:…]$")
_WORD = re.compile(r"[^\W\d_]+")
_MARKED = (SpanKind.STRONG, SpanKind.EMPHASIS)

_Entry = tuple[int, int, str, str]
"""From, to, term, meaning."""


def with_plain_entries(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with neighbouring paragraphs that are entries as definitions."""
    read: list[Block] = []
    for is_text, group in groupby(blocks, lambda block: isinstance(block, Paragraph)):
        run = [*group]
        if is_text:
            read += _read_entries(text, [one for one in run if isinstance(one, Paragraph)])
            continue
        for block in run:
            read += _read_list(block) or (block,)
    return read


def with_entries_apart(text: str) -> str:
    """The text, with each entry of a paragraph that is a list of them as a paragraph of its own, as it is read."""
    return "\n\n".join(map(_apart, text.split("\n\n")))


def _apart(paragraph: str) -> str:
    lines = paragraph.split("\n")
    if len(lines) < LEAST_ENTRIES or any(map(_MARKED_LINE.match, lines)):
        return paragraph
    block = Paragraph(0, len(paragraph), (Span(" ".join(paragraph.split())),))
    for form in (_led, _in_turns, _in_order):
        entries = form(paragraph, block)
        head = _before(paragraph, block, entries)
        if _are_entries(entries, len(text_of(head).split()) if head else 0):
            cuts = sorted({0, *(start for start, *_ in entries), len(paragraph)})
            return "\n\n".join(paragraph[start:end].strip() for start, end in pairwise(cuts))
    return paragraph


def _read_entries(text: str, run: Sequence[Paragraph]) -> Sequence[Block]:
    """The paragraphs, as definitions where one form fits nearly all of them."""
    for form in _FORMS:
        read = [form(text, block) for block in run]
        heads = [_before(text, block, entries) for block, entries in zip(run, read, strict=True)]
        others = sum(len(text_of_spans(head.spans).split()) for head in heads if head)
        if _are_entries([entry for each in read for entry in each], others):
            return [
                one
                for head, entries, block in zip(heads, read, run, strict=True)
                for one in ([block] if _runs_on(block, form) else [*filter(None, [head]), *map(_definition, entries)])
            ]
    return run


def _read_list(block: Block) -> list[Definition]:
    """The items of a list in alphabetical order that are entries, if all of them are."""
    if not isinstance(block, ListBlock):
        return []
    said = [text_of(item.blocks[0]) if item.blocks else "" for item in block.items]
    read = [LED.fullmatch(one) or _TITLED.fullmatch(one) for one in said]
    entries = [
        (item.start, item.end, led["term"], led["meaning"])
        for item, led in zip(block.items, read, strict=True)
        if led and _is_term(led["term"])
    ]
    every = len(entries) == len(block.items) >= LEAST_LISTED and _are_in_order(entries)
    return [*map(_definition, entries)] if every and _are_entries(entries, 0, most_words=MOST_LISTED_WORDS) else []


def _before(text: str, block: Paragraph, entries: Sequence[_Entry]) -> Paragraph | None:
    """Text of a paragraph before its first entry: the end of another, where a passage begins."""
    if not entries:
        return block
    start = entries[0][0]
    said = " ".join(text[block.start : start].split()) if start > block.start else ""
    return Paragraph(block.start, start, (Span(said),)) if said.strip("*_ ") else None


def _are_entries(entries: Sequence[_Entry], other_words: int, *, most_words: int = MEANING_WORDS[1]) -> bool:
    if len(entries) < LEAST_ENTRIES:
        return False
    lengths = [len(meaning.split()) for *_, meaning in entries]
    firsts = {(_WORD.findall(term) or [term])[0].casefold() for *_, term, _ in entries}
    distinct = len(firsts) >= LEAST_DISTINCT * len(entries) or _are_in_order(entries)
    covered = sum(lengths) >= ENTRY_SHARE * (sum(lengths) + other_words)
    told = MEANING_WORDS[0] <= fmean(lengths) <= most_words
    return covered and told and distinct


def _are_in_order(entries: Sequence[_Entry]) -> bool:
    """Whether nearly all terms stand in the order of the alphabet."""
    keys = [_key(term) for *_, term, _ in entries]
    return sum(one < other for one, other in pairwise(keys)) >= ENTRY_SHARE * (len(keys) - 1)


def _definition(entry: _Entry) -> Definition:
    start, end, term, meaning = entry
    return Definition(start, end, (Span(term),), ((Paragraph(start, end, (Span(meaning),)),),))


def _lines(text: str, block: Paragraph) -> list[tuple[int, int, str]]:
    """From, to and words of each line."""
    found, at = [], block.start
    for line in text[block.start : block.end].split("\n"):
        found.append((at, at + len(line), " ".join(line.split())))
        at += len(line) + 1
    return found


def _is_plain(block: Paragraph) -> bool:
    return all(span.kind is SpanKind.PLAIN for span in block.spans)


def _is_term(words: str) -> bool:
    return 1 <= len(words.split()) <= MOST_TERM_WORDS and not _TERM_ENDS.search(words) and bool(_WORD.search(words))


def _led(text: str, block: Paragraph) -> list[_Entry]:
    """Entries with a mark between term and meaning, which may go on over several lines."""
    if not _is_plain(block):
        led = LED.fullmatch(text_of_spans(block.spans))
        return [(block.start, block.end, led["term"], led["meaning"])] if led and _is_term(led["term"]) else []
    found: list[_Entry] = []
    for start, end, line in _lines(text, block):
        led = LED.fullmatch(line)
        if led and _is_term(led["term"]):
            found.append((start, end, led["term"], led["meaning"]))
        elif found:
            begun, _, term, meaning = found[-1]
            found[-1] = (begun, end, term, f"{meaning} {line}")
    return found


def _marked(text: str, block: Paragraph) -> list[_Entry]:
    """A term in bold or italics before its meaning."""
    meaning = text_of_spans(block.spans[1:]).strip()
    if not meaning or block.spans[0].kind not in _MARKED or not _is_term(block.spans[0].text):
        return []
    return [(block.start, block.end, block.spans[0].text, meaning)]


def _runs_on(block: Paragraph, form: Callable[[str, Paragraph], list[_Entry]]) -> bool:
    """Whether another marked term follows in the paragraph, so that it may hold two entries."""
    return form is _marked and any(span.kind is block.spans[0].kind for span in block.spans[1:])


def _over(text: str, block: Paragraph) -> list[_Entry]:
    """A term on a line over its meaning, in a paragraph of their own."""
    (_, _, term), *below = _lines(text, block)
    if not below or not _is_plain(block) or not _is_term(term):
        return []
    return [(block.start, block.end, term, " ".join(line for _, _, line in below))]


def _in_turns(text: str, block: Paragraph) -> list[_Entry]:
    """Terms and meanings on lines in turns."""
    lines = _lines(text, block)
    terms, meanings = lines[::2], lines[1::2]
    fits = len(lines) % 2 == 0 and _is_plain(block) and all(_is_term(term) for _, _, term in terms)
    if not fits or any(len(meaning.split()) < MEANING_WORDS[0] for _, _, meaning in meanings):
        return []
    return [(start, end, term, meaning) for (start, _, term), (_, end, meaning) in zip(terms, meanings, strict=True)]


def _in_order(text: str, block: Paragraph) -> list[_Entry]:
    """Terms on lines in the order of the alphabet, as many as can be, each over the lines that give its meaning."""
    lines = _lines(text, block) if _is_plain(block) else []
    if not 2 * LEAST_LISTED <= len(lines) <= MOST_LINES:
        return []
    keys = [_key(line) if _is_term(line) else "" for *_, line in lines]
    best: list[tuple[int, int]] = []  # of each line as a term: the number of terms up to it, the line of the last one
    for at, key in enumerate(keys):
        before = ((best[one][0], one) for one in range(at - 1) if keys[one] and keys[one] <= key)
        count, last = max(before, default=(0, -1)) if key else (-1, -1)
        best.append((count + 1, last))
    at, terms = max(range(len(lines) - 1), key=lambda one: best[one][0]), []
    while at >= 0:
        terms.append(at)
        at = best[at][1]
    terms.reverse()
    entries = []
    for at, after in pairwise([*terms, len(lines)]):
        meaning = " ".join(line for *_, line in lines[at + 1 : after])
        entries.append((lines[at][0], lines[after - 1][1], lines[at][2], meaning))
    return entries if len(entries) >= LEAST_LISTED else []


def _key(term: str) -> str:
    return " ".join(_WORD.findall(folded(term)))


_FORMS: tuple[Callable[[str, Paragraph], list[_Entry]], ...] = (_led, _marked, _over, _in_turns, _in_order)
