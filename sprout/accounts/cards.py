"""Cards: five pronounceable words with which a learner without a password comes back. Only their digest is kept.

A word is a proquint (D. S. Wilkerson, A Proposal for Proquints, 2009): 16 random bits that are typed alike in any
language. Five have 80 bits, so that a plain digest is enough.
"""

import re
import secrets
from typing import Protocol

from sprout.accounts.secret_values import digest_of
from sprout.accounts.security_log import Origin
from sprout.errors import Conflict, NotSignedIn

WORDS = 5
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"


class WrongCard(NotSignedIn):
    """Words that are no account's card, or no longer, or that of a disabled account."""

    code = "wrong_card"

    def __init__(self) -> None:
        super().__init__("This card isn't valid. Check each word, or ask your teacher for a new card.")


class NoCard(Conflict):
    """The learner came with an account of their own, which no teacher gives access to."""

    code = "no_card"

    def __init__(self) -> None:
        super().__init__("This learner didn't join with a card, or signs in another way by now.")


class Cards(Protocol):
    async def find(self, card_digest: str) -> str | None:
        """The user whose card it is; None for one that is void, or of a disabled account."""
        ...

    async def renew(self, class_id: str, learner_id: str, card_digest: str, *, teacher_id: str, origin: Origin) -> None:
        """Replace the card that a learner got when joining this class, and end their sessions.

        Raises NotFound, NoCard, MissingRight: the user is no teacher any more.
        """
        ...


def new_card() -> str:
    """The words of a new card, with spaces between."""
    return " ".join(_word() for _ in range(WORDS))


def card_digest(words: str) -> str:
    """Digest of a card, however its words are typed: only letters count."""
    return digest_of("card:" + re.sub(r"[^a-z]", "", words.casefold()))


def _word() -> str:
    return "".join(secrets.choice(_VOWELS if at % 2 else _CONSONANTS) for at in range(5))
