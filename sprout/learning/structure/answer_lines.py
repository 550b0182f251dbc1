"""Rule of the Markdown parser for lines of answers, which end the option above them without an empty line."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from sprout.learning.structure.words import answer_pattern

LONGEST_START = 60


def add_answer_line_rule(parser: MarkdownIt) -> None:
    """Make a line such as "Answer: B" begin a paragraph of its own."""
    parser.block.ruler.before("heading", "answer_line", _answer_line, {"alt": ["paragraph"]})


def _answer_line(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """End the paragraph above; the line itself is left to the rule of paragraphs."""
    if not silent:
        return False
    begin = state.bMarks[start_line] + state.tShift[start_line]
    line = state.src[begin : min(state.eMarks[start_line], begin + LONGEST_START)]
    return ":" in line and answer_pattern().match(line) is not None
