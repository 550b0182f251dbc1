"""Passkeys (WebAuthn): which ones a person has, and what the repository of them can do."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from sprout.accounts.accounts import AccountRow
from sprout.accounts.security_log import Origin
from sprout.errors import BadInput, Conflict, NotSignedIn
from sprout.events import Wire

MAX_PASSKEYS = 20


class PasskeyRow(Wire):
    """A passkey of the caller."""

    id: str
    name: str
    created_at: str
    last_used_at: str | None = Field(description="null until it has been used to sign in")


class WrongPasskey(NotSignedIn):
    """A passkey that nobody has here, whose proof does not hold, or of a disabled account; which is not said."""

    code = "wrong_passkey"

    def __init__(self) -> None:
        super().__init__("This passkey isn't accepted here.")


class PasskeyRefused(BadInput):
    """What a browser sent as a new passkey does not prove to be one for this server."""

    code = "passkey_refused"

    def __init__(self) -> None:
        super().__init__("This passkey couldn't be added. Try again, or use another device.")


class PasskeyKnown(Conflict):
    """The passkey has been added before."""

    code = "passkey_known"

    def __init__(self) -> None:
        super().__init__("This passkey has been added already.")


class TooManyPasskeys(Conflict):
    code = "too_many_passkeys"

    def __init__(self) -> None:
        super().__init__("You have {most} passkeys. Remove one first.", most=MAX_PASSKEYS)


class PasskeyNeeded(Conflict):
    """The last passkey of one who signs in with it after the password, or that without having any."""

    code = "passkey_needed"

    def __init__(self) -> None:
        super().__init__("Signing in with a passkey after the password needs a passkey.")


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """A passkey that was proved to be its sender's.

    Args:
        credential_id, public_key: base64url.
        transports: ways to its authenticator, such as "usb" and "internal", as the browser tells them.
    """

    credential_id: str
    public_key: str
    sign_count: int
    transports: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class KnownPasskey:
    """A passkey by which a proof is checked."""

    user_id: str
    public_key: str


@dataclass(frozen=True, slots=True)
class PasskeyHandle:
    """A passkey as a browser finds it again."""

    credential_id: str
    transports: tuple[str, ...]


class Passkeys(Protocol):
    """Passkeys, with their record in the log of security events in the same transaction."""

    async def find(self, credential_id: str) -> KnownPasskey | None:
        """The passkey with this id; None for one of nobody, or of a disabled account."""
        ...

    async def keep_use(self, credential_id: str, sign_count: int, *, origin: Origin) -> bool:
        """Keep that a passkey was used, with the count of its authenticator. False, and an event in the log: the count
        is not higher than before, so that the passkey may have been copied."""
        ...

    async def passkeys(self, user_id: str) -> list[PasskeyRow]:
        """Those of a user, in the order of creation."""
        ...

    async def handles(self, user_id: str) -> list[PasskeyHandle]: ...

    async def add(self, new: NewPasskey, *, user_id: str, origin: Origin) -> PasskeyRow:
        """Raises PasskeyKnown, TooManyPasskeys, NotFound: no account."""
        ...

    async def add_by_code(self, code_digest: str, new: NewPasskey, *, user_id: str, origin: Origin) -> None:
        """Add a passkey by a link that is for this user, end all their sessions, and void all their links.

        Raises CodeInvalid, PasskeyKnown, TooManyPasskeys.
        """
        ...

    async def remove(self, passkey_id: str, *, user_id: str, origin: Origin) -> None:
        """Raises NotFound, LastWay, PasskeyNeeded."""
        ...

    async def ask_after_password(self, asked: bool, *, user_id: str, origin: Origin) -> AccountRow:
        """Decide whether signing in with the password takes a passkey too. Raises PasskeyNeeded, NotFound."""
        ...
