"""Contrast questions: sent by a teacher to the learners of a class who hold a mix-up."""

from datetime import timedelta
from typing import Protocol

from sprout.errors import Conflict
from sprout.events import Wire

SEND_AGAIN_AFTER = timedelta(days=1)


class ContrastRow(Wire):
    """A contrast question that was sent, and to how many learners."""

    at: str
    to: int


class ContrastSentAlready(Conflict):
    """The same one was sent within a day."""

    code = "contrast_sent_already"

    def __init__(self) -> None:
        super().__init__("A question on this mix-up was sent within the last day. Wait for the answers first.")


class NothingToSend(Conflict):
    """Nobody holds the mix-up, or there is no question on it that can be asked of those who do."""

    code = "nothing_to_send"

    def __init__(self) -> None:
        super().__init__("Nobody can be asked a question on this mix-up now.")


class Contrasts(Protocol):
    """Scoped to the teacher: a class or given path that is missing or another's raises NotFound."""

    async def send(self, class_id: str, given_id: str, mix_up_id: str, *, teacher_id: str) -> ContrastRow:
        """Send each learner who holds the mix-up a question on it, first in their next review session.

        Raises NotFound, MissingRight, ClassArchived, ContrastSentAlready, NothingToSend.
        """
        ...
