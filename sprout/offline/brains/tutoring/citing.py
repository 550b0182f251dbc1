"""Which passages of the learner's notes the words before a question come from."""

from collections.abc import Sequence

from sprout.learning.text.words import folded, occurs_in
from sprout.offline.brains.request import Tag
from sprout.offline.brains.tutoring.steps import Next, Why

MOST_CITED = 3


def passages_of(following: Next, passages: Sequence[Tag]) -> list[str]:
    """Ids of the passages that hold what a new chunk rests on, in the order of the notes."""
    if following.why is not Why.NEW:
        return []
    said = [folded(sentence) for sentence in following.chunk.rests_on]
    holding = (tag for tag in passages if any(occurs_in(one, folded(tag.text)) for one in said))
    return [tag.attributes["id"] for tag in holding if tag.attributes.get("id")][:MOST_CITED]
