r"""Rules of the Markdown parser for formulas: `$…$`, `$$…$$`, `\(…\)`, `\[…\]` and LaTeX environments.

Amounts of money are no formulas: a dollar opens one only before a character that is no space, and closes it only after
one, and before no letter or digit. Source of that rule: pandoc's extension tex_math_dollars.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_INLINE_CHARACTERS = 2_000
MAX_BLOCK_LINES = 200

_INLINE_PAIRS = (("$$", "$$"), ("\\\\(", "\\\\)"), ("\\\\[", "\\\\]"), ("\\(", "\\)"), ("\\[", "\\]"))
_DISPLAYED = ("$$", "\\\\[", "\\[")
_BLOCK_PAIRS = (("$$", "$$"), ("\\\\[", "\\\\]"), ("\\[", "\\]"))
_ENVIRONMENT = re.compile(r"\\begin\{((?:equation|align|aligned|gather|multline|eqnarray|displaymath|math)\*?)\}")
_TEX = re.compile(r"[\\^_={}+<>|*/]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_AFTER_BLOCK = re.compile(r"[\s.,;:]*(?:\([\w.-]{1,20}\)|\{[^{}]{0,80}\})?[\s.,;:]*")


def add_math_rules(parser: MarkdownIt) -> None:
    """Make the parser yield `formula` tokens: inline, whose `markup` is "$$" for a displayed one, and as blocks."""
    parser.inline.ruler.before("escape", "formula", _inline_formula)
    parser.block.ruler.before(
        "fence", "formula", _block_formula, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _inline_formula(state: StateInline, silent: bool) -> bool:
    source, at = state.src, state.pos
    if source[at] not in "$\\":
        return False
    content, end = _delimited(source, at) or _in_dollars(source, at) or ("", 0)
    if not content.strip():
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content, token.markup = content.strip(), "$$" if source.startswith(_DISPLAYED, at) else "$"
    state.pos = end
    return True


def _delimited(source: str, at: int) -> tuple[str, int] | None:
    for opening, closing in _INLINE_PAIRS:
        if source.startswith(opening, at):
            begin = at + len(opening)
            end = source.find(closing, begin, begin + MAX_INLINE_CHARACTERS)
            content = source[begin:end]
            if end < begin or (len(opening) == 2 and opening != "$$" and _is_escaped_text(content)):
                return None
            return content, end + len(closing)
    return None


def _in_dollars(source: str, at: int) -> tuple[str, int] | None:
    before = source[at - 1 : at]
    if source[at] != "$" or source.startswith("$$", at) or before.isalnum() or before == "$":
        return None
    end = source.find("$", at + 1, at + MAX_INLINE_CHARACTERS)
    while end > 0 and source[end - 1] == "\\":
        end = source.find("$", end + 1, at + MAX_INLINE_CHARACTERS)
    content = source[at + 1 : end]
    if end < 0 or not content or content[0].isspace() or content[-1].isspace():
        return None
    if source[end + 1 : end + 2].isalnum() or _is_prose(content):
        return None
    return content, end + 1


def _is_escaped_text(content: str) -> bool:
    """Return True for brackets that are only escaped, as in "[link]", "(see above)", "[1]" with backslashes."""
    return not _TEX.search(content) and (bool(_WORD.search(content)) or content.strip().isdigit())


def _is_prose(content: str) -> bool:
    """Return True for what stands between two amounts: "5 to 10", "3,50 oder 4"."""
    return " " in content and not _TEX.search(content) and bool(_WORD.search(content))


def _block_formula(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    first = state.src[state.bMarks[start_line] + state.tShift[start_line] : state.eMarks[start_line]]
    delimiters = _block_delimiters(first)
    if delimiters is None:
        return False
    opening, closing = delimiters
    end = _closing_line(state, start_line, end_line, opening, closing)
    if end is None:
        return False
    content = state.getLines(start_line, end + 1, state.sCount[start_line], False).strip()
    inner = content[len(opening) :].rpartition(closing)[0] if opening else content
    if silent or not inner.strip():
        return bool(inner.strip())
    token = state.push("formula", "", 0)
    token.content = inner.strip()
    token.map = [start_line, end + 1]
    state.line = end + 1
    return True


def _block_delimiters(first: str) -> tuple[str, str] | None:
    for opening, closing in _BLOCK_PAIRS:
        if first.startswith(opening):
            return opening, closing
    environment = _ENVIRONMENT.match(first)
    return ("", f"\\end{{{environment[1]}}}") if environment else None


def _closing_line(state: StateBlock, start_line: int, end_line: int, opening: str, closing: str) -> int | None:
    """The line that ends with the closing delimiter; None where other text follows it, or none comes."""
    searched: dict[str, int] = state.env.setdefault("formula_searched", {})
    last = min(end_line, start_line + MAX_BLOCK_LINES)
    for line in range(start_line if start_line >= searched.get(closing, 0) else last, last):
        begin = state.bMarks[line] + (state.tShift[line] + len(opening) if line == start_line else 0)
        text = state.src[begin : state.eMarks[line]]
        if line > start_line and state.sCount[line] < state.blkIndent and text.strip():
            return None
        found = text.find(closing)
        if found >= 0:
            return line if _AFTER_BLOCK.fullmatch(text, found + len(closing)) else None
    searched[closing] = max(last, searched.get(closing, 0))
    return None
