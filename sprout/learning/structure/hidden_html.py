"""Rule of the Markdown parser for HTML that shows no text: comments, scripts, styles and drawings."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_PAIRS = (
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"<script\b", re.IGNORECASE), "</script>"),
    (re.compile(r"<style\b", re.IGNORECASE), "</style>"),
    (re.compile(r"<svg\b", re.IGNORECASE), "</svg>"),
)


def add_hidden_html_rule(parser: MarkdownIt) -> None:
    """Make the parser leave out hidden HTML; an opening without an end stays text."""
    parser.block.ruler.before("heading", "hidden_html", _hidden_html, {"alt": ["paragraph", "reference", "blockquote"]})


def _hidden_html(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("<", begin):
        return False
    closing = next((closing for opening, closing in _PAIRS if opening.match(state.src, begin)), None)
    if closing is None:
        return False
    end = _find_closing(state, closing, begin)
    if end < 0 or end > state.eMarks[end_line - 1]:
        return False
    last = next(line for line in range(start_line, end_line) if end <= state.eMarks[line])
    if state.src[end + len(closing) : state.eMarks[last]].strip():
        return False
    if not silent:
        state.line = last + 1
    return True


def _find_closing(state: StateBlock, closing: str, begin: int) -> int:
    """The offset of the next end after `begin`, -1 without one; a text without any more is searched once."""
    none_after: dict[str, int] = state.env.setdefault("hidden_html_none_after", {})
    if begin >= none_after.get(closing, len(state.src)):
        return -1
    end = state.src.find(closing, begin)
    if end < 0:
        none_after[closing] = begin
    return end
