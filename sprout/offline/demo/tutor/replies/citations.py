"""Citations: passages of the learner's notes that the text before a question is taken from."""

from collections.abc import Sequence

from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.demo.tutor.replies.lesson_order import NextQuestion, NextReason

MOST_CITED = 3


def cited_passages(following: NextQuestion, passages: Sequence[Tag]) -> list[str]:
    """Ids of the passages that hold what a new chunk rests on, in the order of the notes."""
    if following.reason is not NextReason.NEW:
        return []
    cited = [folded(sentence) for sentence in following.chunk.rests_on]
    holding = (tag for tag in passages if any(occurs_in(one, folded(tag.text)) for one in cited))
    return [tag.attributes["id"] for tag in holding if tag.attributes.get("id")][:MOST_CITED]
