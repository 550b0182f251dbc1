"""Inline text of a block: Markdown tokens to spans."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from sprout.learning.structure.source import FILLER
from sprout.learning.structure.tree import Span, SpanKind, Spans

_SPACE = re.compile(r"[ \t\u00a0\n]+")
_ADDRESS = re.compile(r"(https?://[^\s<>()\[\]{}\"]{3,500}[^\s<>()\[\]{}\".,;:!?'])")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]{0,20})")
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]{0,2000})\"|'([^']{0,2000})')", re.IGNORECASE)
_CAPTION_TAG = re.compile(r"<figcaption\b|class\s*=\s*[\"'][^\"']{0,200}caption", re.IGNORECASE)
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPTS = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_TAG_KINDS = {
    "b": SpanKind.STRONG,
    "strong": SpanKind.STRONG,
    "i": SpanKind.EMPHASIS,
    "em": SpanKind.EMPHASIS,
    "code": SpanKind.CODE,
}
_BREAKING_TAGS = frozenset("br p div tr td th li summary header h1 h2 h3 h4 h5 h6 figcaption section".split())
_HIDDEN_TAGS = frozenset(("annotation", "script", "style", "svg"))
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class InlineText:
    """Spans of a block.

    Args:
        images: the alternative texts of the images in it, those within links left out.
        is_caption: whether HTML marks the text as the caption of a figure.
        below: the text that stands right behind such a figure.
    """

    spans: Spans
    images: tuple[str, ...] = ()
    is_caption: bool = False
    below: Spans = ()


def inline_text(tokens: Sequence[Token], *, keeps_lines: bool = False) -> InlineText:
    """The spans of inline tokens, white space collapsed and equal neighbours joined.

    Args:
        keeps_lines: whether the author forced each line break, as in a list without marks.
    """
    builder = _SpanBuilder(keeps_lines=keeps_lines)
    for token in tokens:
        builder.add(token)
    end = builder.figure_end if builder.figure_end is not None else len(builder.spans)
    spans, below = tidy_spans(builder.spans[:end]), tidy_spans(builder.spans[end:])
    return InlineText(spans, tuple(builder.images), builder.is_caption, below)


def tidy_spans(spans: Sequence[Span]) -> Spans:
    """The spans without empty ones, equal neighbours joined, white space collapsed and taken off both ends."""
    joined: list[Span] = []
    for span in spans:
        same = joined and (joined[-1].kind, joined[-1].target) == (span.kind, span.target)
        if same and span.kind not in (SpanKind.FORMULA, SpanKind.FOOTNOTE):
            joined[-1] = replace(span, text=joined[-1].text + span.text)
        elif span.text:
            joined.append(span)
    collapsed: list[Span] = []
    for span in joined:
        text = _collapse(span.text) if span.kind not in (SpanKind.FORMULA, SpanKind.CODE) else span.text
        if not collapsed or collapsed[-1].text.endswith((" ", "\n")):
            text = text.lstrip()
        if text:
            collapsed.append(replace(span, text=text))
    while collapsed and not collapsed[-1].text.strip():
        collapsed.pop()
    if collapsed:
        collapsed[-1] = replace(collapsed[-1], text=collapsed[-1].text.rstrip())
    return tuple(collapsed)


def _collapse(text: str) -> str:
    return _SPACE.sub(lambda found: "\n" if "\n" in found[0] else " ", text)


@dataclass(slots=True)
class _SpanBuilder:
    spans: list[Span] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    is_caption: bool = False
    figure_end: int | None = None
    keeps_lines: bool = False
    _open: list[SpanKind] = field(default_factory=list)
    _target: str | None = None
    _script: str = ""
    _hidden: str = ""

    def add(self, token: Token) -> None:
        match token.type:
            case "text" | "text_special":
                self._add_text(token.content)
            case "code_inline":
                self.spans.append(Span(token.content, SpanKind.CODE))
            case "formula":
                self.spans.append(Span(token.content, SpanKind.FORMULA))
            case "softbreak" if not self.keeps_lines:
                self._add_text("" if self.spans and _CJK.match(self.spans[-1].text[-1:]) else " ")
            case "softbreak" | "hardbreak":
                self._add_text("\n")
            case "footnote_ref":
                self.spans.append(Span(str(token.meta["label"]), SpanKind.FOOTNOTE))
            case "image":
                if self._target is None:
                    self.images.append(_collapse(token.content).strip())
            case "html_inline":
                self._add_html(token.content)
            case _:
                self._add_mark(token)

    def _add_mark(self, token: Token) -> None:
        kind = {"strong": SpanKind.STRONG, "em": SpanKind.EMPHASIS}.get(token.tag)
        if token.type == "link_open":
            self._target = str(token.attrs.get("href", ""))
        elif token.type == "link_close":
            self._target = None
        elif kind and token.nesting > 0:
            self._open.append(kind)
        elif kind:
            self._close(kind)

    def _close(self, kind: SpanKind) -> None:
        if kind in self._open:
            self._open.reverse()
            self._open.remove(kind)
            self._open.reverse()

    def _add_html(self, content: str) -> None:
        self.is_caption = self.is_caption or bool(_CAPTION_TAG.search(content))
        tag = _TAG.match(content)
        name = tag[2].lower() if tag else ""
        closes = bool(tag and tag[1])
        if closes and name == "figure" and self.is_caption:
            self.figure_end = len(self.spans)
        if name in _HIDDEN_TAGS:
            self._hidden = "" if closes else name
        if name in _BREAKING_TAGS:
            self._add_text("\n" if name == "br" else " ")
        elif name == "img" and self._target is None:
            alt = _ALT.search(content)
            self.images.append((alt[1] or alt[2] or "").strip() if alt else "")
        elif name in ("sup", "sub"):
            self._script = "" if closes else name
        elif name in _TAG_KINDS:
            self._close(_TAG_KINDS[name]) if closes else self._open.append(_TAG_KINDS[name])

    def _add_text(self, content: str) -> None:
        text = "" if self._hidden else content.replace(FILLER, "")
        if self._script:
            text = _scripted(text, self._script)
        if self._target is not None:
            self.spans.append(Span(text, SpanKind.LINK, self._target))
            return
        kind = SpanKind.STRONG if SpanKind.STRONG in self._open else self._open[-1] if self._open else SpanKind.PLAIN
        for at, part in enumerate(_ADDRESS.split(text)):
            self.spans.append(Span(part, SpanKind.LINK, part) if at % 2 else Span(part, kind))


def _scripted(text: str, script: str) -> str:
    """Superscript or subscript as Unicode has it; else a superscript keeps its meaning by a "^"."""
    table = _SUPERSCRIPTS if script == "sup" else _SUBSCRIPTS
    if text and all(ord(letter) in table for letter in text):
        return text.translate(table)
    return f"^{text}" if script == "sup" and text.strip() else text
