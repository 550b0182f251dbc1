"""Directives of MyST and Jupyter Book: fences whose braces say that they are a figure, a formula or a box."""

import re
from collections.abc import Callable

from sprout.learning.structure.plain_view import text_of_spans
from sprout.learning.structure.tree import Block, Box, Code, Figure, Formula, Paragraph, Spans

_NAME = re.compile(r"\{([\w-]{2,30})\}\s*(.{0,300})")
_OPTIONS = re.compile(r"\A---\n.{0,2000}?\n---(?:\n|\Z)|\A(?::[\w-]{1,40}:[^\n]{0,300}(?:\n|\Z))+", re.DOTALL)
_FIGURES = frozenset(("figure", "image"))
_BOXES = frozenset(
    "admonition attention caution danger error hint important note seealso tip warning topic sidebar example theorem "
    "lemma definition proof remark dropdown".split()
)
_ALT = re.compile(r":alt:\s*([^\n]{1,500})|(?:^|\n)alt:\s*([^\n]{1,500})")


def read_directive(info: str, content: str, start: int, end: int, inline: Callable[[str], Spans]) -> Block:
    """The block that a fence stands for: code, unless it is a directive for something else.

    Args:
        info: what follows the fence on its line.
        inline: reads inline text.
    """
    directive = _NAME.fullmatch(info.strip())
    if directive is None:
        return Code(start, end, info.strip().split(" ", 1)[0].strip("{}."), content.strip("\n"))
    name, argument = directive[1].lower(), directive[2].strip()
    options = _OPTIONS.match(content)
    body = (content[options.end() :] if options else content).strip("\n")
    if name == "math" and body.strip():
        return Formula(start, end, body.strip())
    if name in _FIGURES:
        alt = _ALT.search(options[0]) if options else None
        return Figure(start, end, (alt[1] or alt[2]).strip() if alt else "", inline(body))
    if name in _BOXES:
        paragraphs = (inline(part) for part in re.split(r"\n\s*\n", body))
        blocks = tuple(Paragraph(start, end, spans) for spans in paragraphs if spans)
        return Box(start, end, text_of_spans(inline(argument)), blocks)
    language = argument if name in ("code", "code-block", "code-cell", "sourcecode") else name
    return Code(start, end, language, body)
