"""Prose of a web page in an element that keeps its lines: sentences, not code, laid out by hand."""

import re
from collections.abc import Iterator

LEAST_WORDS, LEAST_LINE_WORDS = 40, 6
MOST_MARKS = 0.01  # of the characters
LEAST_SENTENCES = 3

_MARKS = re.compile(r"[{}\[\]<>=;_\\|#$@^~]")
_SENTENCE_ENDS = re.compile(r"[^\W\d_]{2}[.!?](?=\s|$)")
_PARAGRAPH_ENDS = (".", "!", "?", ":")


def is_laid_out_prose(text: str) -> bool:
    """Whether a text in fixed-width letters is made of sentences, with next to none of the marks of code."""
    lines = [line.split() for line in text.split("\n") if line.strip()]
    words = sum(map(len, lines))
    if words < LEAST_WORDS or words < LEAST_LINE_WORDS * len(lines):
        return False
    marked = len(_MARKS.findall(text)) > MOST_MARKS * len(text)
    return not marked and len(_SENTENCE_ENDS.findall(text)) >= LEAST_SENTENCES


def prose_paragraphs(text: str) -> Iterator[str]:
    """Its paragraphs: a line goes on in the next one unless it ends as a sentence or a lead-in does."""
    said = ""
    for line in (" ".join(line.split()) for line in text.split("\n")):
        said = f"{said} {line}".strip()
        if said.endswith(_PARAGRAPH_ENDS) and line:
            yield said
            said = ""
    if said:
        yield said
