"""Markdown parser of stored texts: CommonMark with tables, definition lists, footnotes and formulas."""

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from sprout.learning.structure.answer_lines import add_answer_line_rule
from sprout.learning.structure.hidden_html import add_hidden_html_rule
from sprout.learning.structure.html_boxes import add_html_box_rule
from sprout.learning.structure.indented_code import add_indented_code_rule
from sprout.learning.structure.math_rules import add_math_rules

MAX_BRACKETS = 100_000  # reading links takes about 10 µs for each, also where none is one


class MarkdownParser:
    """Parser of one text: blocks first, the inline text of each when it is asked for."""

    def __init__(self, source: str) -> None:
        self._parser = _parser(links=source.count("[") <= MAX_BRACKETS)
        self._env: dict[str, object] = {}
        self.block_tokens = self._parser.parse(source, self._env)

    def inline_tokens(self, content: str) -> list[Token]:
        """The tokens of inline text."""
        tokens: list[Token] = []
        self._parser.inline.parse(content, self._parser, self._env, tokens)
        return tokens


@cache
def _parser(*, links: bool) -> MarkdownIt:
    """CommonMark's HTML blocks are off, so that their text is read."""
    parser = MarkdownIt("commonmark").enable("table").use(deflist_plugin).use(admon_plugin)
    parser.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    add_math_rules(parser)
    add_hidden_html_rule(parser)
    add_html_box_rule(parser)
    add_indented_code_rule(parser)
    add_answer_line_rule(parser)
    parser.disable(["code", "html_block", "inline", "text_join"])
    if not links:
        parser.disable(["link", "image", "footnote_ref", "reference"])
    return parser
