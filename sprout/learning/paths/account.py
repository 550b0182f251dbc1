"""Account: export and erasure of everything stored about a learner."""

from typing import BinaryIO, Protocol


class Account(Protocol):
    async def archive(self, user_id: str) -> BinaryIO:
        """A ZIP file, at its start, with everything of the learner that may be shown; the caller closes it."""
        ...

    async def erase(self, user_id: str) -> None:
        """Delete everything of the learner, with the account that they sign in with, and overwrite it.

        Raises Conflict: one of their runs is active, or they are the only owner.
        """
        ...
