"""Slides that are built up step by step, of which each shows what the one before it showed, and more."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

LEAST_LINES = 2  # of a slide: a title alone opens a part of the talk


def are_shown_again(slides: Sequence[Sequence[str]]) -> list[bool]:
    """Whether the next slide has the same first line as each, and all its other lines too."""
    shown = [
        len(slide) >= LEAST_LINES and slide[:1] == after[:1] and Counter(slide) <= Counter(after)
        for slide, after in pairwise(slides)
    ]
    return [*shown, False][: len(slides)]
