"""Items of reviews: which question about a part is asked next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sprout.learning.questions.questions import QuestionDraft, prompt_key


class ItemSource(Protocol):
    """Source of fresh questions beside those that were asked."""

    def items(self, topic: str, concept: str, part: str) -> Sequence[QuestionDraft]:
        """Valid questions about a part, by the titles; none where nothing is prepared."""
        ...


class NoItems:
    """Nothing is prepared."""

    def items(self, topic: str, concept: str, part: str) -> Sequence[QuestionDraft]:
        return ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be asked.

    Args:
        question_id: of the question that was asked with this prompt; None for a prepared one.
        seen_at: when the prompt was answered last; None if never.
        is_marked_by_code: whether its answer need not be compared by the learner.
        clears: whether a right answer clears a misconception of the learner.
    """

    prompt: str
    is_marked_by_code: bool
    question_id: str | None = None
    prepared: QuestionDraft | None = None
    seen_at: datetime | None = None
    clears: bool = False


def is_marked_at_once(draft: QuestionDraft) -> bool:
    """Whether its answer need not be compared by the learner."""
    return draft.format != "open_ended" or bool(draft.accepted)


def choose_item(candidates: Sequence[Candidate]) -> Candidate | None:
    """The question to ask: a fresh one, else the one that was seen the longest ago; None if there is none.

    Those that code marks come first, since only they are evidence; among them what can clear a misconception. One
    prompt is one item.
    """
    newest: dict[str, Candidate] = {}
    for one in candidates:
        key = prompt_key(one.prompt)
        known = newest.get(key)
        if known is None or _is_later(one, known):
            newest[key] = one
    by_code = [one for one in newest.values() if one.is_marked_by_code]
    return min(by_code or newest.values(), key=_seen, default=None)


def has_fresh(candidates: Sequence[Candidate]) -> bool:
    """Whether the question that would be asked was never answered."""
    chosen = choose_item(candidates)
    return chosen is not None and chosen.seen_at is None


def _is_later(one: Candidate, other: Candidate) -> bool:
    return one.seen_at is not None and (other.seen_at is None or one.seen_at > other.seen_at)


def _seen(candidate: Candidate) -> tuple[bool, bool, float]:
    seen_at = candidate.seen_at
    return not candidate.clears, seen_at is not None, seen_at.timestamp() if seen_at else 0.0
