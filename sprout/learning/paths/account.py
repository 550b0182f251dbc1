"""Everything that Sprout keeps of one learner, to be taken away or deleted: the Protocol of what does both."""

from typing import BinaryIO, Protocol


class Account(Protocol):
    async def archive(self, user_id: str) -> BinaryIO:
        """A ZIP file with everything of the learner that may be shown, at its start; whoever reads it closes it."""
        ...

    async def erase(self, user_id: str) -> None:
        """Delete everything of the learner, and overwrite what it was written on; they stay, with nothing.

        Raises Conflict: a run of theirs is going.
        """
        ...
