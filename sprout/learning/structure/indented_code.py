"""Rule of the Markdown parser for indented code: only what looks like code, for letters and poems are indented too."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

INDENT = 4
MAX_JUDGED_LINES = 40
LEAST_SHARE = 0.35

_PROMPT = re.compile(r"[$>%#]\s*\w|>>>|\.\.\.\s")
_CODE_LINE = re.compile(
    r"[;{}]\s*(?://.*)?$|^\s*[}\])]|\w\([^()]*\)\s*[;:{.]?\s*$|^\s*(?:#include|#!|//|/\*|<[/!?a-zA-Z]|@\w|import\s|"
    r"from\s+[\w.]+\s+import|def\s+\w+\(|class\s+\w+.*[:{]$|return\b.*\w|(?:if|for|while|else|elif|try)\b.*[:{]$|"
    r"(?:git|sudo|npm|pip|cd|ls|docker|curl)\s\S)|[=!<>+\-*/|&:]=|->|=>|::|&&|\|\||\w+\s=\s*[\"'\[{(\w]|</\w|\$\w|\s--?\w"
)


def add_indented_code_rule(parser: MarkdownIt) -> None:
    """Make the parser yield `code_block` tokens for indented code; all other indented text is read as text."""
    parser.block.ruler.before("fence", "indented_code", _indented_code)


def _indented_code(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    prose_until: int = state.env.get("indented_prose_until", 0)
    if state.sCount[start_line] - state.blkIndent < INDENT or start_line < prose_until:
        return False
    last = start_line
    for line in range(start_line, end_line):
        if not state.isEmpty(line):
            if state.sCount[line] - state.blkIndent < INDENT:
                break
            last = line
    if not _looks_like_code(state, start_line, last):
        state.env["indented_prose_until"] = last + 1  # judged once as a whole, else a long poem would take long
        return False
    if not silent:
        token = state.push("code_block", "code", 0)
        token.content = state.getLines(start_line, last + 1, INDENT + state.blkIndent, False) + "\n"
        token.map = [start_line, last + 1]
        state.line = last + 1
    return True


def _looks_like_code(state: StateBlock, first: int, last: int) -> bool:
    judged = range(first, min(last + 1, first + MAX_JUDGED_LINES))
    lines = [state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]][:400] for line in judged]
    written = [line for line in lines if line]
    if _PROMPT.match(written[0]) and len(written[0]) > 2:
        return True
    return sum(_CODE_LINE.search(line) is not None for line in written) >= LEAST_SHARE * len(written)
