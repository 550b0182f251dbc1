"""Beliefs behind wrong answers: one id and one statement for each within a topic."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.text.normalization import folded

_AROUND = " .!…\"'“”„‘’«»"  # marks around a sentence, without which it says the same
_ID = re.compile(r"m[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Belief:
    """A misconception as its topic names it.

    Args:
        contrast: a case in which it and the right idea predict different things.
    """

    id: str
    statement: str
    contrast: str | None = None


def belief_id(statement: str) -> str:
    """The id of a belief, made of its words: the same sentence is the same belief, in every copy of a path.

    Capitals, white space, quotes and the full stop make no difference; signs within do, since "=" is not "==".
    """
    key = folded(statement).strip(_AROUND)
    return f"m{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def is_belief_id(text: str) -> bool:
    """Whether the text has the form of an id, and stands for a belief that is named elsewhere."""
    return _ID.fullmatch(text) is not None


def beliefs_in(draft: QuestionDraft) -> dict[str, Belief]:
    """The beliefs that wrong answers to a question reveal, by id; slips are none."""
    found: dict[str, Belief] = {}
    for statement, contrast in _named(draft):
        belief = Belief(belief_id(statement), statement, contrast)
        known = found.setdefault(belief.id, belief)
        if known.contrast is None and contrast is not None:
            found[belief.id] = replace(known, contrast=contrast)
    return found


def rename_beliefs(draft: QuestionDraft, rename: Callable[[str], str | None]) -> QuestionDraft:
    """The draft with each belief in the words that `rename` gives for it, and without one that it has no words for."""

    def renamed(statement: str | None) -> str | None:
        return rename(statement) if statement else None

    wrong = (
        one if one.slip else replace(one, misconception=renamed(one.misconception) or "")
        for one in draft.misconceptions
    )
    return replace(
        draft,
        misconceptions=tuple(one for one in wrong if one.misconception),
        criteria=tuple(replace(one, misconception=renamed(one.misconception)) for one in draft.criteria),
        program_tests=tuple(replace(one, misconception=renamed(one.misconception)) for one in draft.program_tests),
    )


def _named(draft: QuestionDraft) -> Iterator[tuple[str, str | None]]:
    yield from ((one.misconception, one.contrast) for one in draft.misconceptions if not one.slip)
    yield from ((one.misconception, None) for one in draft.criteria if one.misconception)
    yield from ((one.misconception, None) for one in draft.program_tests if one.misconception)
