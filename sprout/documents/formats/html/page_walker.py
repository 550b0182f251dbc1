"""Walk over the blocks of a web page: headings, paragraphs, lists, definitions, boxes, figures, code and tables."""

import re
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.html.page_code import code_language, code_text
from sprout.documents.formats.html.page_content import MOSTLY_LINKS, all_text, is_left_out, link_share, tokens
from sprout.documents.formats.html.page_inline import (
    AROUND,
    MAX_DEPTH,
    PLAIN,
    InlineStyle,
    PageMarks,
    inline_spans,
    text,
    whole_element,
)
from sprout.documents.formats.html.page_prose import is_laid_out_prose, prose_paragraphs
from sprout.documents.formats.html.page_tables import has_header, is_layout, table_rows
from sprout.documents.formats.markdown_writer import MarkdownWriter
from sprout.documents.formats.spans import Span, SpanKind

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "header hgroup hr html legend li main p section summary table tbody td tfoot th thead tr".split()
)
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_BOX_TAGS = frozenset({"div", "section", "p", "details", "fieldset"})
_BOX = re.compile(
    r"(?:admonition|callout|alert|note|tip|hint|warning|caution|danger|important|attention|seealso|info|infobox|example|"
    r"exercise|theorem|definition|lemma|proof|remark|corollary|proposition|box|textbox|markdown-alert|admonitionblock|"
    r"learning[_-]objectives|key[_-]takeaways|merke|hinweis|beispiel|aufgabe|satz|encadre|remarque|exemple|ejemplo|nota|aviso)(?:-(?:note|tip|hint|warning|"
    r"caution|danger|important|info|box|block|primary|secondary|success))?"
)
_SECTIONS = ("h1", "h2", "h3", "table", "main", "article")
_MAX_BOX_ELEMENTS = 400
_NOTE_LABELS = frozenset({"label", "fn-label", "fn-bracket"})
_MAX_BESIDE_PICTURE = 3
_SENTENCE = re.compile(r"\S+\s+\S+\s+\S")


class PageWalker:
    """Walks the elements in order and collects the content of the current block."""

    def __init__(self, out: MarkdownWriter, marks: PageMarks) -> None:
        self._out = out
        self._marks = marks
        self._spans: list[Span] = []
        self._in_list = False
        self._in_box = False
        self._in_note = False
        self._handlers = {
            "pre": self._write_code,
            "table": self._walk_table,
            "dl": self._walk_definitions,
            "figure": self._walk_figure,
            "figcaption": self._write_caption,
            "blockquote": self._walk_box,
            "aside": self._walk_aside,
            **dict.fromkeys(_LISTS, self._walk_list),
            **dict.fromkeys(_HEADINGS, self._write_heading),
        }

    def walk(self, element: Any, depth: int = 0, style: InlineStyle = PLAIN) -> None:
        """The element and all below it."""
        tag = element.tag
        if not isinstance(tag, str):
            return
        whole = whole_element(element, style, self._marks)
        if whole is not None:
            self._spans += whole
            return
        if is_left_out(element) or self._is_note(element):
            return
        if depth > MAX_DEPTH:
            raise unreadable(UnreadableReason.HOSTILE, detail="depth")
        handler = self._handlers.get(tag)
        if tag == "img":
            self._add_picture(element)
        elif handler is not None:
            self.end_block()
            handler(element, depth)
            self.end_block()
        elif tag in _BOX_TAGS and element.attrib and self._is_box(element):
            self._walk_box(element, depth)
        else:
            self._walk_children(element, tag, depth, self._style(element, tag, style))

    def write_notes(self) -> None:
        """Write the footnotes, in the order of their references."""
        self._in_note = True
        for holder, label in self._marks.notes.holders.items():
            with self._out.note(label):
                self._walk_children(holder, "li", 0, PLAIN)
                self.end_block()

    def end_block(self) -> None:
        """Write the current block."""
        if self._spans:
            spans, self._spans = self._spans, []
            self._out.write_spans(spans)

    def _walk_children(self, element: Any, tag: str, depth: int, style: InlineStyle) -> None:
        if tag in _BLOCKS:
            self.end_block()
        before, after = AROUND.get(tag, ("", ""))
        self._spans += text(before + (element.text or ""), style, self._marks)
        for child in element:
            self.walk(child, depth + 1, style)
            self._spans += text(child.tail, style, self._marks)
        self._spans += text(after, style, self._marks)
        if tag in _BLOCKS:
            self.end_block()

    def _walk_apart(self, element: Any, depth: int) -> None:
        """Walk the content of a container, in which lists begin anew."""
        in_list, self._in_list = self._in_list, False
        self._walk_children(element, "div", depth, PLAIN)
        self._in_list = in_list

    def _is_note(self, element: Any) -> bool:
        """Whether the element is written as a footnote, or is the label of the one that is being written."""
        if not self._in_note:
            return element in self._marks.notes.holders
        return not _NOTE_LABELS.isdisjoint(tokens(element))

    def _is_box(self, element: Any) -> bool:
        if self._in_box or not any(_BOX.fullmatch(name) for name in tokens(element)):
            return False
        for count, inside in enumerate(element.iter()):
            is_title = count == 1 and inside.tag == "h3"
            if count > _MAX_BOX_ELEMENTS or (inside.tag in _SECTIONS and not is_title):
                return False
        return True

    def _style(self, element: Any, tag: str, style: InlineStyle) -> InlineStyle:
        if self._in_box and element.attrib and any(name.endswith("title") for name in tokens(element)):
            return InlineStyle(strong=True)
        return style.within(element, tag) if tag != "body" else style

    def _write_heading(self, element: Any, depth: int) -> None:
        if self._in_box:  # it has no section: what follows the box is not under it
            self._out.write_spans([*inline_spans(element, self._marks, InlineStyle(strong=True))])
            return
        self._out.write_heading_spans(_HEADINGS[element.tag], inline_spans(element, self._marks))

    def _write_code(self, element: Any, depth: int) -> None:
        text, language = code_text(element), code_language(element)
        if language or not is_laid_out_prose(text):
            self._out.write_code(text, language=language)
            return
        for paragraph in prose_paragraphs(text):
            self._out.write_paragraph(paragraph)

    def _write_caption(self, element: Any, depth: int) -> None:
        self._out.write_caption(inline_spans(element, self._marks))

    def _add_picture(self, image: Any) -> None:
        """Add the description of a picture that stands alone in its block and in no link."""
        parent = image.getparent()
        if parent is not None and parent.tag == "picture":
            parent = parent.getparent()
        if parent is None or parent.tag == "a" or len(parent) > _MAX_BESIDE_PICTURE:
            return
        alternative = (image.get("alt") or "").strip()
        if _SENTENCE.match(alternative) and not all_text(parent).strip():
            self._spans.append(Span(alternative, SpanKind.PICTURE))

    def _walk_table(self, element: Any, depth: int) -> None:
        caption = element.find("caption")
        if caption is not None:
            self._out.write_spans(inline_spans(caption, self._marks))
        if not is_layout(element):
            self._out.write_table(table_rows(element, self._marks), header=has_header(element))
            return
        for child in element:
            if child is not caption:
                self.walk(child, depth + 1)
                self.end_block()

    def _walk_list(self, element: Any, depth: int) -> None:
        """Write the items; content between two items belongs to the first."""
        if next(element.iter(*_HEADINGS), None) is not None:  # a list that lays out sections
            self._walk_apart(element, depth)
            return
        first, self._in_list = not self._in_list, True
        outer, in_list = self._out.depth, not first
        number = _start(element)
        for child in element:
            if child.tag == "li":
                self._out.end_items(outer)
                self._out.begin_item(f"{number}." if element.tag == "ol" else "-", first=first)
                number, first = number + 1, False
            self.walk(child, depth + 1)
            self.end_block()
        self._out.end_items(outer)
        self._in_list = in_list

    def _walk_definitions(self, element: Any, depth: int) -> None:
        """Write terms with their meanings; a meaning without a term is text."""
        terms: list[Span] = []
        defined = False
        for child in (part for group in element for part in (group if group.tag == "div" else [group])):
            if child.tag == "dt" and not is_left_out(child):
                terms += [Span(", ")] if terms else []
                terms += inline_spans(child, self._marks)
                defined = False
            elif child.tag == "dd" and (defined or any(span.text.strip() for span in terms)):
                self._out.write_term(terms)
                terms, defined = [], True
                with self._out.definition():
                    self._walk_apart(child, depth + 1)
            else:
                self.walk(child, depth + 1)
                self.end_block()
        self._out.write_term(terms)

    def _walk_box(self, element: Any, depth: int) -> None:
        self.end_block()
        in_box, self._in_box = self._in_box, True
        with self._out.quote():
            self._walk_apart(element, depth)
        self._in_box = in_box

    def _walk_aside(self, element: Any, depth: int) -> None:
        if link_share(element) < MOSTLY_LINKS:
            self._walk_box(element, depth)

    def _walk_figure(self, element: Any, depth: int) -> None:
        self._walk_children(element, "figure", depth, PLAIN)
        image = next(element.iter("img"), None)
        if image is not None and next(element.iter("figcaption"), None) is None:
            self._out.write_caption([Span(image.get("alt") or "")])


def _start(element: Any) -> int:
    value = element.get("start") or ""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else 1
