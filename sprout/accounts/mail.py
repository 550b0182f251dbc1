"""Mail: a message to one address, and what sends it."""

from dataclasses import dataclass
from typing import Protocol

from sprout.errors import SproutError


class MailNotSent(SproutError):
    """Refusal of a mail by the mail server; the message says to the operator what to mend."""

    code = "mail_not_sent"


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in plain text. Nothing in it is chosen by a learner but their name to sign in, so that it carries no
    advertisement."""

    to: str
    subject: str
    text: str


class Mailer(Protocol):
    async def send(self, mail: Mail) -> None:
        """Hand a mail to the mail server. Raises MailNotSent."""
        ...
