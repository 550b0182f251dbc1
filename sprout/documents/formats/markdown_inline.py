"""Inline Markdown: spans of text with emphasis, code, scripts, formulas and notes, written so that it reads back.

The text's own characters are escaped where Markdown would take them for markup. Marks are left out where they would
not be read as such: around white space, or beside a letter with punctuation between.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sprout.documents.formats.spans import Span, SpanKind, replace_breaks, split_lines, tidy_spans

_MAY_BE_SPECIAL = re.compile(r"[\\*_`$<&\[\]~]")
_SPECIAL = re.compile(r"\\|\*+|_+|`|\$|<(?=[A-Za-z/!?])|&|\[(?=\^)|\](?=[(\[:])|~{2,}")
_WRITTEN_EDGES = {
    SpanKind.CODE: ("`", "`"),
    SpanKind.FORMULA: ("$", "$"),
    SpanKind.DISPLAY_FORMULA: ("$", "$"),
    SpanKind.NOTE: ("[", "]"),
    SpanKind.PICTURE: ("!", ")"),
}
_ENTITY = re.compile(r"&#?\w{1,32};")
_BACKTICKS = re.compile(r"`+")
_LINE_START = re.compile(
    r"(?P<whole>[-=|:\s]*[-=][-=|:\s]*$|(?P<rule>[_*-])(?:[ \t]*(?P=rule)){2,}[ \t]*$)"
    r"|(?P<mark>#{1,6}(?=[ \t]|$)|[-+*:~](?=[ \t]|$)|>|~{3})|(?P<number>\d{1,9})(?=[.)](?:[ \t]|$))"
)
_STAR_AT_EDGE = re.compile(r"^\*+\s|\s\*+$")  # a star alone is written as it is
_CLOSING_HASHES = re.compile(r"(^|[ \t])(#+)$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile(
    r"(?<!\\)(?P<star>\*{1,3}|`+)(?=\S)(?P<in_stars>.{1,500}?)(?<=[^\s\\])(?P=star)"
    r"|(?<![\\\w])(?P<line>_{1,3})(?=\S)(?P<in_lines>.{1,500}?)(?<=[^\s\\])(?P=line)(?!\w)"
)


def inline_markdown(spans: Iterable[Span]) -> str:
    """One paragraph of inline Markdown: trimmed, white space collapsed, a line for each break."""
    return lines_markdown(split_lines(spans))


def lines_markdown(lines: Iterable[Sequence[Span]]) -> str:
    """One paragraph of inline Markdown from the tidied spans of its lines."""
    return "\n".join([escape_line_start(_line(line)) for line in lines if line])


def heading_markdown(spans: Iterable[Span]) -> str:
    """A heading's content on one line; without marks where all of it has the same."""
    visible = [replace(span, text=" ") if span.kind == SpanKind.BREAK else span for span in spans]
    marked = [span for span in visible if span.text.strip()]
    if all(span.strong for span in marked):
        visible = [replace(span, strong=False) for span in visible]
    if all(span.emphasis for span in marked):
        visible = [replace(span, emphasis=False) for span in visible]
    return _CLOSING_HASHES.sub(r"\1\\\2", _line(tidy_spans(replace_breaks(visible))))


def cell_markdown(spans: Sequence[Span]) -> str:
    """Content of a table's cell, or of another block of one line."""
    if not spans:
        return ""
    return _line(tidy_spans(replace_breaks(spans)))


def _line(spans: Sequence[Span]) -> str:
    """The Markdown of tidied spans; strong ones may have emphasised ones inside."""
    if len(spans) == 1 and not spans[0].strong and not spans[0].emphasis:
        return _literal(spans[0], "", "")
    written = [_literal(span, _edge(spans, at, -1), _edge(spans, at, 1)) for at, span in enumerate(spans)]
    parts: list[str] = []
    at = 0
    while at < len(spans):
        end = at + 1
        while end < len(spans) and spans[end].strong == spans[at].strong:
            end += 1
        inner = _emphasised(spans, written, (at, end), parts[-1] if parts else "")
        after = written[end] if end < len(spans) else ""
        parts.append(_marked(inner, "**", parts[-1] if parts else "", after) if spans[at].strong else inner)
        at = end
    return "".join(parts)


def _emphasised(spans: Sequence[Span], written: Sequence[str], part: tuple[int, int], before: str) -> str:
    """The Markdown of the spans in a range, after what was written before it."""
    parts: list[str] = []
    at, end = part
    while at < end:
        after = at + 1
        while after < end and spans[after].emphasis == spans[at].emphasis:
            after += 1
        inner = "".join(written[at:after])
        if spans[at].emphasis:
            following = written[after] if after < len(written) else ""
            inner = _marked(inner, "*", parts[-1] if parts else before, following, in_words=not spans[at].strong)
        parts.append(inner)
        at = after
    return "".join(parts)


def _marked(inner: str, mark: str, before: str, after: str, *, in_words: bool = True) -> str:
    """The text with a mark around it; white space and, where needed, punctuation at its ends stay outside.

    Args:
        in_words: whether the marks may stand within a word, where nested ones would not be read in pairs.
    """
    start, end = _markable(inner, before[-1:], after[:1])
    core = inner[start:end]
    left, right = (inner[start - 1] if start else before[-1:]), (inner[end] if end < len(inner) else after[:1])
    nested_at_word = (core.startswith("*") and _is_word(left)) or (core.endswith("*") and _is_word(right))
    within_word = not in_words and bool(left.strip() or right.strip())
    if not core or "*" in (left, right) or nested_at_word or within_word or _STAR_AT_EDGE.search(core):
        return inner
    return f"{inner[:start]}{mark}{core}{mark}{inner[end:]}"


def _markable(inner: str, before: str, after: str) -> tuple[int, int]:
    """Range of the text around which marks are read as such; empty if there is none."""
    start, end = len(inner) - len(inner.lstrip()), len(inner.rstrip())
    while start < end and not _flanks(inner[start], inner[start - 1] if start else before):
        if inner[start] in "`$[!":  # code, formulas and pictures are whole
            return 0, 0
        start += 1 + (inner[start] == "\\")
    while start < end and not _flanks(inner[end - 1], inner[end] if end < len(inner) else after):
        if inner[end - 1] in "`$":
            return 0, 0
        end -= 1
        end -= _is_escaped(inner, end)
    return start, max(start, end)


def _is_escaped(text: str, at: int) -> bool:
    """Whether a backslash escapes the character."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def _flanks(inside: str, outside: str) -> bool:
    """Whether a mark between these characters is one: punctuation inside needs space or punctuation outside.

    Source: left- and right-flanking delimiter runs; CommonMark 0.31, 6.2.
    """
    return not inside.isspace() and (not _is_punctuation(inside) or not _is_word(outside))


def _is_word(character: str) -> bool:
    return bool(character) and not character.isspace() and not _is_punctuation(character)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _edge(spans: Sequence[Span], at: int, step: int) -> str:
    """The character beside a span as it is written; empty at the end of the line."""
    beside = at + step
    if not 0 <= beside < len(spans):
        return ""
    first, last = _WRITTEN_EDGES.get(spans[beside].kind, (spans[beside].text[0], spans[beside].text[-1]))
    return last if step < 0 else first


def _literal(span: Span, before: str, after: str) -> str:
    match span.kind:
        case SpanKind.CODE:
            return code_span(span.text)
        case SpanKind.FORMULA | SpanKind.DISPLAY_FORMULA:
            return f"${span.text}$"
        case SpanKind.NOTE:
            return f"[^{span.text}]"
        case SpanKind.PICTURE:
            return f"![{escape_text(span.text.replace('[', '(').replace(']', ')'))}]()"
    if span.strong or span.emphasis:  # the marks around it are beside it
        before, after = before.strip() or "*", after.strip() or "*"
    return escape_text(span.text, before, after)


def code_span(code: str) -> str:
    """Code between as many backticks as it needs."""
    runs = {len(found) for found in _BACKTICKS.findall(code)}
    fence = next("`" * length for length in range(1, len(runs) + 2) if length not in runs)
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{space}{code}{space}{fence}"


def escape_text(text: str, before: str = "", after: str = "") -> str:
    """The text with a backslash before each character that Markdown would take for markup.

    Args:
        before: the character before the text; empty at the start of a line.
        after: the character after it.
    """
    if not _MAY_BE_SPECIAL.search(text):
        return text
    parts: list[str] = []
    at = 0
    for found in _SPECIAL.finditer(text + after):
        start, end = found.start(), min(found.end(), len(text))
        if start >= len(text):
            break
        left = text[start - 1] if start else before
        right = text[end] if end < len(text) else after
        if text[start] == "&":
            escaped = _ENTITY.match(text, start) is not None or (end == len(text) and (right == "#" or _is_word(right)))
            run = "\\&" if escaped else "&"
        else:
            run = _escaped_run(text[start:end], left, right, inside=bool(start) and end < len(text))
        parts += (text[at:start], run)
        at = end
    return "".join([*parts, text[at:]])


def _escaped_run(run: str, left: str, right: str, *, inside: bool) -> str:
    """A run of one special character, escaped if it could be markup between these characters."""
    if run[0] in "*_":
        if (not left or left.isspace()) and (not right or right.isspace()):
            return run
        if run[0] == "_" and inside and _is_word(left) and _is_word(right):
            return run
    if run == "\\" and inside and _is_word(right):
        return run
    return "".join(f"\\{character}" for character in run)


def escape_line_start(line: str) -> str:
    """The line with a backslash before what Markdown would take for a block: a heading, an item, a quote, a rule."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    return f"{found['number']}\\{line[found.end() :]}" if found["number"] else f"\\{line}"


def plain_title(markdown: str) -> str:
    """A heading as it is read: without marks and backslashes; formulas stay as LaTeX."""
    for _ in range(2):  # emphasis within strong text
        markdown = _MARKS.sub(lambda found: found["in_stars"] or found["in_lines"], markdown)
    return _ESCAPED.sub(r"\1", markdown)
