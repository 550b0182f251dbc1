"""Rule of the Markdown parser for boxes that HTML sets apart: `<div class="note">` on a line of its own, to its end.

What `<details>` hides is such a box where its summary names answers.
"""

import re
from collections.abc import Mapping
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from sprout.learning.structure.heading_roles import Role, named_role
from sprout.learning.structure.words import role_words

_TAG = re.compile(r"<(/?)(?:div|aside|section|details)\b([^<>]{0,1000})>", re.IGNORECASE)
_SUMMARY = re.compile(r"\s*<summary>(.{1,200}?)</summary>\s*", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_KIND = re.compile(r"(?:class|data-type|role)\s*=\s*[\"']([^\"']{1,200})[\"']", re.IGNORECASE)


def add_html_box_rule(parser: MarkdownIt) -> None:
    """Make the parser read such a box as an admonition; one without an end stays text."""
    parser.block.ruler.before("heading", "html_box", _html_box, {"alt": ["paragraph", "reference", "blockquote"]})


def _html_box(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if not state.src.startswith("<", state.bMarks[start_line] + state.tShift[start_line]):
        return False
    closing = _boxes(state).get(start_line, end_line)
    if closing >= end_line:
        return False
    if silent:
        return True
    parent, last = state.parentType, state.lineMax
    state.parentType, state.lineMax = "admonition", closing
    state.push("admonition_open", "div", 1).map = [start_line, closing + 1]
    lines = state.src.split("\n", start_line + 2)
    summary = _SUMMARY.fullmatch(lines[start_line + 1])
    if summary:
        _push_title(state, summary[1], start_line + 1)
    state.md.block.tokenize(state, start_line + 1 + bool(summary), closing)
    state.push("admonition_close", "div", -1)
    state.parentType, state.lineMax = parent, last
    state.line = closing + 1
    return True


def _push_title(state: StateBlock, title: str, line: int) -> None:
    state.push("admonition_title_open", "p", 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.map, token.content, token.children = [line, line + 1], title, []
    state.push("admonition_title_close", "p", -1)


def _boxes(state: StateBlock) -> Mapping[int, int]:
    """Line that opens a box → line that closes it, for the whole text, found once."""
    found: dict[int, int] | None = state.env.get("html_boxes")
    if found is None:
        found = state.env["html_boxes"] = {}
        opened: list[tuple[int, bool]] = []
        headings: list[int] = []
        lines = state.src.split("\n")
        for at, line in enumerate(lines):
            headings += [at] if _HEADING.match(line) else []
            for tag in _TAG.finditer(line):
                if not tag[1]:
                    is_box = _sets_apart(tag[2]) or _hides_answers("".join(lines[at + 1 : at + 2]))
                    opened.append((at, line.strip() == tag[0] and is_box))
                elif opened:
                    begin, is_box = opened.pop()
                    headed = bool(headings) and headings[-1] > begin  # a frame around sections, and no box
                    if is_box and not headed and line.strip() == tag[0]:
                        found[begin] = at
    return found


def _sets_apart(attributes: str) -> bool:
    kinds = {word for kind in _KIND.finditer(attributes) for word in kind[1].lower().split()}
    return bool(kinds & _box_kinds())


def _hides_answers(line: str) -> bool:
    summary = _SUMMARY.fullmatch(line)
    named = named_role(summary[1]) if summary else None
    return named is not None and named.role is Role.ANSWERS


@cache
def _box_kinds() -> frozenset[str]:
    return frozenset(role_words()["lines"]["box_kinds"].split())
