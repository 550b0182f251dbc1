"""Content of a slide's shape: lines of text, code, a table, or the description of a picture."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sprout.documents.formats.markdown_writer import MarkdownWriter
from sprout.documents.formats.spans import LINE_BREAK, Span, SpanKind

_IN_CODE = (SpanKind.CODE, SpanKind.BREAK)


def has_text(spans: Iterable[Span]) -> bool:
    """Whether anything of it can be seen."""
    return any(span.text.strip() for span in spans)


@dataclass(frozen=True, slots=True)
class SlideLine:
    """A paragraph, how deep it is indented, from 0, and whether it is numbered."""

    spans: Sequence[Span]
    level: int = 0
    numbered: bool = False

    @property
    def is_code(self) -> bool:
        """Whether all of it is in a font for code."""
        return all(span.kind in _IN_CODE for span in self.spans if span.text.strip())


@dataclass(frozen=True, slots=True)
class SlideContent:
    """Content of one shape; one of its parts is filled.

    Args:
        header: whether the first of the rows is marked as their head.
    """

    lines: Sequence[SlideLine] = ()
    rows: Sequence[Sequence[Sequence[Span]]] = ()
    header: bool = False
    description: str = ""

    def write(self, out: MarkdownWriter) -> None:
        """Write it: one line is a paragraph, more are a list, code is fenced."""
        if self.rows:
            out.write_table(self.rows, header=self.header)
        elif self.description:
            out.write_caption([Span(self.description)])
        elif self.lines and all(line.is_code for line in self.lines):
            out.write_code(_code(self.lines))
        elif len(self.lines) == 1:
            out.write_spans(self.lines[0].spans)
        else:
            self._write_list(out)

    def _write_list(self, out: MarkdownWriter) -> None:
        around = out.depth
        counts: defaultdict[int, int] = defaultdict(int)
        for at, line in enumerate(self.lines):
            level = min(line.level, out.depth - around)
            for deeper in [depth for depth in counts if depth > level or (depth == level and not line.numbered)]:
                del counts[deeper]
            counts[level] += line.numbered
            out.end_items(around + level)
            out.begin_item(f"{counts[level]}." if line.numbered else "-", first=at == 0)
            if line.is_code and LINE_BREAK in line.spans:
                out.write_code(_code([line]))
            else:
                out.write_spans(line.spans)
        out.end_items(around)


def _code(lines: Iterable[SlideLine]) -> str:
    return "\n".join("".join(span.text for span in line.spans) for line in lines)
