"""Turns of subject in running text: where neighbouring paragraphs share the fewest key terms."""

from collections.abc import Sequence
from itertools import pairwise

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block
from sprout.offline.notes.language import language
from sprout.offline.notes.terms import LEAST_LETTERS
from sprout.offline.notes.words import stem, word_count, words_of

LEAST_SHARE = 0.5  # of the mean length that a stretch has at least
NEIGHBOURS = 2


def cut_at_turns(blocks: Sequence[Block], count: int, code: str) -> list[tuple[Block, ...]]:
    """Up to `count` stretches of the blocks, none much shorter than the others."""
    lengths = [word_count(text_of(block)) for block in blocks]
    least = LEAST_SHARE * sum(lengths) / max(count, 1)
    words = [_content_stems(text_of(block), code) for block in blocks]
    ties = sorted(range(1, len(blocks)), key=lambda at: (_tie(words, at), at))
    cuts = [0, len(blocks)]
    for at in ties:
        before = max(cut for cut in cuts if cut <= at)
        after = min(cut for cut in cuts if cut > at)
        if len(cuts) <= count and at not in cuts and min(sum(lengths[before:at]), sum(lengths[at:after])) >= least:
            cuts.append(at)
    cuts.sort()
    return [tuple(blocks[start:end]) for start, end in pairwise(cuts)]


def _content_stems(text: str, code: str) -> set[str]:
    stopwords = language(code).stopwords
    return {stem(word, code) for word in words_of(text) if len(word) >= LEAST_LETTERS and word not in stopwords}


def _tie(words: Sequence[set[str]], at: int) -> float:
    """The share of the content words that the blocks right before and right after have in common."""
    before = set[str]().union(*words[max(0, at - NEIGHBOURS) : at])
    after = set[str]().union(*words[at : at + NEIGHBOURS])
    return len(before & after) / max(1, min(len(before), len(after)))
