"""Flashcards: settled questions and cards of lessons, to learn by heart in another program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.learning.sources import PassageRow

MAX_FLASHCARDS = 5_000


@dataclass(frozen=True, slots=True)
class Flashcard:
    """Something to learn by heart; `id` stays the same whenever it is made. Texts are Markdown.

    Args:
        options: of a choice, in the order in which they are shown.
        why: the reason for the answer.
        source: the passage of the learner's documents that it comes from.
        path_id: stays the same when the path is renamed.
        about: the part of the concept; "" for the whole of it.
    """

    id: str
    front: str
    back: str
    path_id: str
    path: str
    concept: str
    about: str = ""
    options: tuple[str, ...] = ()
    why: str | None = None
    source: PassageRow | None = None


@dataclass(frozen=True, slots=True)
class FlashcardFilter:
    """Which flashcards are wanted; all that is given holds at once.

    Args:
        node_id: a topic, a concept or a part.
        due: only those about parts that are due for review.
        unsettled: the questions that are not settled too, for whom answers are no secret.
    """

    branch_id: str | None = None
    node_id: str | None = None
    due: bool = False
    unsettled: bool = False


class Flashcards(Protocol):
    """Owner-scoped: another learner's branch or node raises NotFound."""

    async def flashcards(self, user_id: str, wanted: FlashcardFilter) -> Sequence[Flashcard]:
        """Worked examples and exercises of lessons, then questions, in the order in which they were made.

        A question is among them once it is settled for the learner: its answer was shown to them, and the same question
        is open nowhere now. The same question asked twice is one card.

        Raises NotFound, Conflict (there are none, or nothing is due), TooLarge.
        """
        ...


WriteFlashcards = Callable[[Sequence[Flashcard]], bytes]
"""Makes a file of flashcards; called in a thread."""
