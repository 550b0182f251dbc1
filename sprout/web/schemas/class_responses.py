"""Schemas of responses about classes."""

from pydantic import Field

from sprout.accounts.accounts import AccountRow
from sprout.events import Wire


class CardRow(Wire):
    """A card with which somebody comes back. It is shown this once, and as good as a password."""

    words: str = Field(description="to be typed, in any case and with any signs between")
    path: str = Field(description="to be put behind the server's address, for a QR code")

    @classmethod
    def of(cls, words: str) -> "CardRow":
        return cls(words=words, path=f"/card#{words.replace(' ', '-')}")


class JoinedPupil(Wire):
    """A new account, and its card."""

    account: AccountRow
    card: CardRow
