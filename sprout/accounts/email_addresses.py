"""E-mail addresses of accounts: how they are written, and what the repository of them can do."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pydantic import Field

from sprout.accounts.security_log import Origin
from sprout.errors import BadInput
from sprout.events import Wire

MAX_ADDRESS, MAX_LOCAL_PART = 254, 64  # RFC 5321 section 4.5.3.1
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS = re.compile(rf"[a-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,{MAX_LOCAL_PART}}}@{_LABEL}(?:\.{_LABEL})*")


class EmailRow(Wire):
    """The caller's e-mail address. Only one that was confirmed counts."""

    email: str | None = Field(description="the confirmed address, to which a link for a new password is sent")
    waiting: str | None = Field(description="an address whose confirmation is waited for")
    waiting_until: str | None


@dataclass(frozen=True, slots=True)
class RecoverableAccount:
    """An account that can be recovered by mail: what its person signs in with, and their confirmed address."""

    user_id: str
    name: str
    email: str


class EmailAddresses(Protocol):
    """Addresses, with their record in the log of security events in the same transaction."""

    async def of(self, user_id: str) -> EmailRow:
        """Raises NotFound: no account."""
        ...

    async def keep_waiting(
        self, code_digest: str, email: str, *, user_id: str, expires_at: datetime, origin: Origin
    ) -> None:
        """Keep an address that waits for its confirmation with this code, in place of an earlier one.

        Raises NotFound: no account.
        """
        ...

    async def confirm(self, code_digest: str, *, origin: Origin) -> None:
        """Let the address that a code is for count, in place of an earlier one. Raises CodeInvalid."""
        ...

    async def remove(self, user_id: str, *, origin: Origin) -> None:
        """Remove the address, and one that waits; links that were sent to it are void. Raises NotFound: no address."""
        ...

    async def recoverable(self, name_or_email: str) -> list[RecoverableAccount]:
        """The accounts with this name or confirmed address that may sign in and have an address; a few at most."""
        ...


def email_address(text: str) -> str:
    """The address as it is kept, in lower case. Raises BadInput.

    Only ASCII is taken: any mail server delivers it, and browsers send the domains of other scripts so.
    """
    address = text.strip().lower()
    if len(address) > MAX_ADDRESS or _ADDRESS.fullmatch(address) is None:
        message = "email: write an address such as anna@school.example."
        raise BadInput(message, field="email", code="email_unfit")
    return address
