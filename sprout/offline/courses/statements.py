"""Statements of a lesson's text: which of its sentences can be quoted alone."""

import re
from collections.abc import Iterator

SHORTEST_PASSAGE, LONGEST_PASSAGE = 6, 45  # words
SHORTEST_WITH_NUMBER = 8  # words: “17 September 1793, the Law of Suspects.” says nothing

_QUOTATION = re.compile(r"“[^“”]*”")
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_LIST_MARK = re.compile(r"^\s*(?:\d+\.|[-*•])\s+")
_EMPHASIS = re.compile(r"(?<![\w`])\*{1,2}([^*`\n]+)\*{1,2}(?![\w`])")
_SUPPOSED = re.compile(
    r"\b(?:claim|premise)(?: \w)?:|\b(?:wrong idea|(?:the|this) idea|if (?:\w+ )*(?:were|was|began|stopped)|would)\b"
)


def lines_of(text: str) -> Iterator[str]:
    """The paragraphs of a text without its programs, tables and marks of lists."""
    for line in _FENCED.sub("\n", text).splitlines():
        if not line.lstrip().startswith("|"):
            yield " ".join(_EMPHASIS.sub(r"\1", _LIST_MARK.sub("", line)).split())


def quotation_depth(text: str) -> int:
    """Number of quotations that the text leaves open; below 0 where it closes one."""
    return text.count("“") - text.count("”")


def is_statement(text: str) -> bool:
    """Return True if it asserts something: no question, nothing that is only quoted, or that a mix-up predicts."""
    least = SHORTEST_WITH_NUMBER if any(map(str.isdigit, text)) else SHORTEST_PASSAGE
    is_short = least <= len(text.split()) <= LONGEST_PASSAGE
    is_speech = not _QUOTATION.sub("", text).strip(" .") or quotation_depth(text) != 0
    asserts = not is_speech and not text.rstrip("”\"'").endswith("?")
    return is_short and asserts and not _SUPPOSED.search(text.casefold())
