"""Writer of pages: their blocks in one Markdown text, with what a page break or a figure parts joined again."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.pdf.blocks import Block
from sprout.documents.formats.pdf.hyphenation import continues, join_sentences
from sprout.documents.limits import ReadingLimits

PARAGRAPH_BREAK = "\n\n"
ASIDES = frozenset({"caption", "table", "box", "note"})
MAX_ASIDES = 12


class PageWriter:
    """Writes the blocks of one page after another.

    The last paragraph is held until it is known whether the next page, or what follows a figure, continues it;
    captions, tables, boxes and footnotes that come in the middle of its sentence are written after it.
    """

    def __init__(self, limits: ReadingLimits, words: frozenset[str]) -> None:
        self._out = MarkdownWriter(limits)
        self._words = words
        self._pending: Block | None = None
        self._separator = PARAGRAPH_BREAK
        self._asides: list[Block] = []
        self._list: Block | None = None
        self._heading: Block | None = None

    def write_page(self, blocks: Sequence[Block], *, is_new: bool = True) -> None:
        """Write the next page, or where it is not new the next slide on this one."""
        first = next((block for block in blocks if block.kind not in ASIDES), None)
        if first is None or self._pending is None or not self._continued_by(first):
            self._flush()
            between = self._separator
        else:
            between = self._join(first)
        if is_new:
            self._out.begin_page()
        self._separator = between
        for block in blocks:
            self._write(block)

    def finish(self, unread: Sequence[int]) -> DocumentText:
        """The whole text. Raises UnreadableDocument if it is empty."""
        self._flush()
        return self._out.finish(unread_pages=unread)

    def _write(self, block: Block) -> None:
        if block.kind in ASIDES:
            self._write_aside(block)
        elif block.kind in ("text", "item"):
            if self._pending is not None and self._continued_by(block):
                text, joint = join_sentences(self._pending.text, block.text, self._words)
                self._pending = replace(self._pending, text=f"{text}{joint}{block.text}")
                return
            if self._pending is not None:  # else the asides still wait for the end of this paragraph
                self._flush()
            self._pending = block
        else:
            self._flush()
            self._emit(block)

    def _continued_by(self, block: Block) -> bool:
        return self._pending is not None and block.kind == "text" and continues(self._pending.text, block.text)

    def _write_aside(self, block: Block) -> None:
        waits = self._pending is not None and continues(self._pending.text, "a")
        if waits and len(self._asides) < MAX_ASIDES:
            self._asides.append(block)
        else:
            self._flush()
            self._emit(block)

    def _join(self, following: Block) -> str:
        """Write the pending paragraph; what stands between it and the block that continues it."""
        assert self._pending is not None
        text, joint = join_sentences(self._pending.text, following.text, self._words)
        self._emit(replace(self._pending, text=text))
        self._pending = None
        return joint

    def _flush(self) -> None:
        """Write the pending paragraph, and the asides that came in the middle of it."""
        if self._pending is not None:
            self._emit(self._pending)
        self._pending = None
        asides, self._asides = self._asides, []
        for block in asides:
            self._emit(block)

    def _emit(self, block: Block) -> None:
        separator, self._separator = self._separator, PARAGRAPH_BREAK
        self._heading = self._heading if block.kind == "heading" else None
        before, self._list = self._list, block if block.kind == "item" else None
        self._out.end_items(min(block.level, self._out.depth) if block.kind == "item" else 0)
        match block.kind:
            case "heading" if self._heading == block:  # a bookmark above its page, and the title printed below
                return
            case "heading":
                self._out.write_heading(block.level, block.text)
                self._heading = block
            case "item":
                first = before is None or (not block.level and (before.marker == "-") != (block.marker == "-"))
                self._out.begin_item(block.marker, first=first)
                self._out.write_paragraph(block.text)
            case "code":
                self._out.write_code(block.text)
            case "table":
                self._out.write_table(block.rows, header=block.header)
            case "box":
                with self._out.quote():
                    self._out.write_markdown(quoted(block.blocks))
            case _:
                self._out.write_paragraph(block.text, separator=separator)


def quoted(blocks: Sequence[Block]) -> str:
    """The blocks of a box as Markdown, without the marks of a quotation."""
    writer = PageWriter(ReadingLimits(), frozenset())
    writer.write_page([Block("text", f"**{block.text}**") if block.kind == "heading" else block for block in blocks])
    return writer.finish(()).text
