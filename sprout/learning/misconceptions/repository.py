"""Misconceptions repository: a learner's mix-ups, as the page and the agents read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from sprout.events import Wire


class MixUpEvidence(Wire):
    """An answer that showed a mix-up, or that cleared it.

    Args:
        said: their own words, or the option that they chose; of a drawing the note beside it.
        sure: whether they had said that they were sure.
    """

    answer_id: str
    at: str
    prompt: str
    said: str
    sure: bool


class MixUp(Wire):
    """A belief that has shown in the learner's answers, with what became of it.

    Args:
        id: the same in every path in which the belief has the same words.
        statement: what was believed, as a sentence.
        state: open, treated (a question on it was answered right), or cleared (and so was another, a day later).
        sure: whether they were sure of it.
        contrast: a case in which it and the right idea differ; null without one, and while it would give away the
            answer to a question that is still open.
        evidence: the answers that showed it, oldest first.
        clears_from: from when on a right answer clears it.
        cleared_by: null unless it is cleared.
        relapses: how often it came back after it was cleared.
        node_id: the part that it belongs to; null where that is gone.
    """

    id: str
    statement: str
    state: Literal["open", "treated", "cleared"]
    sure: bool
    contrast: str | None
    evidence: list[MixUpEvidence]
    clears_from: str
    cleared_by: MixUpEvidence | None
    relapses: int
    node_id: str | None
    title: str | None
    concept_id: str | None
    concept_title: str | None
    branch_id: str | None
    branch_title: str | None


@dataclass(frozen=True, slots=True)
class HeldBelief:
    """A belief of a learner that is not cleared, as agents read it.

    Args:
        titles: of the parts that the answers were about.
        sure: whether the learner was sure of it.
    """

    id: str
    statement: str
    contrast: str | None
    titles: tuple[str, ...]
    sure: bool


class Misconceptions(Protocol):
    """Owner-scoped: another learner's rows are treated as missing."""

    async def mix_ups(self, user_id: str, *, branch_id: str | None = None) -> Sequence[MixUp]:
        """The learner's mix-ups in all paths or one: open ones first, then treated, then cleared.

        Raises NotFound: the branch is not the user's.
        """
        ...

    async def cleared_since(self, user_id: str, since: datetime) -> Sequence[str]:
        """The statements of the mix-ups that an answer since then has cleared, the last one first."""
        ...
