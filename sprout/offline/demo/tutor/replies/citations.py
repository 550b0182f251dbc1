"""Citations: passages of the learner's notes that the text before a question is taken from."""

import re
from collections.abc import Sequence

from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.demo.tutor.replies.lesson_order import NextQuestion, NextReason

MOST_CITED = 3
_MARKUP = re.compile(r"[*_`]")


def cited_passages(following: NextQuestion, passages: Sequence[Tag]) -> list[str]:
    """Ids of the passages that hold what a new chunk rests on, in the order of the notes."""
    if following.reason is not NextReason.NEW:
        return []
    cited = [folded(_MARKUP.sub("", sentence)) for sentence in following.chunk.rests_on]
    texts = [(tag, folded(_MARKUP.sub("", tag.text))) for tag in passages]
    holding = (tag for tag, text in texts if any(occurs_in(one, text) for one in cited))
    return [tag.attributes["id"] for tag in holding if tag.attributes.get("id")][:MOST_CITED]
