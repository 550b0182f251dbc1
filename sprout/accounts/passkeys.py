"""Passkeys (WebAuthn): which ones a person has, and what the repository of them can do."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field, JsonValue

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
    """An unknown passkey, one whose proof does not hold, or one of a disabled account; which of them is not said."""

    code = "wrong_passkey"

    def __init__(self) -> None:
        super().__init__("This passkey isn't accepted here.")


class PasskeyRefused(BadInput):
    """A new passkey whose proof is not for this server."""

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


@dataclass(frozen=True, slots=True)
class PasskeyProof:
    """A browser's answer when one signs in with a passkey. Everything is base64url.

    Args:
        user_handle: whose passkey it is, as its authenticator keeps it; some send none.
    """

    credential_id: str
    client_data: str
    authenticator_data: str
    signature: str
    user_handle: str | None = None

    @property
    def canonical_id(self) -> str:
        """The one way to write the id."""
        return urlsafe_b64encode(_bytes(self.credential_id)).rstrip(b"=").decode()

    @property
    def user_id(self) -> str | None:
        """The user that the handle names; None where it names none."""
        return None if not self.user_handle else _bytes(self.user_handle).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class PasskeyCreation:
    """A browser's answer when a passkey is created. Everything but the transports is base64url."""

    credential_id: str
    client_data: str
    attestation: str
    transports: Sequence[str] = ()


class RelyingParty(Protocol):
    """Options for browsers, and the check of their answers."""

    def creation_options(
        self, challenge: str, *, user_id: str, name: str, display_name: str, known: Sequence[PasskeyHandle]
    ) -> Mapping[str, JsonValue]:
        """Options of `navigator.credentials.create`, as JSON. The passkey is to be found without a name."""
        ...

    def request_options(self, challenge: str, allowed: Sequence[PasskeyHandle] = ()) -> Mapping[str, JsonValue]:
        """Options of `navigator.credentials.get`, as JSON; without `allowed` any passkey of this server will do."""
        ...

    def challenge_of(self, client_data: str) -> str | None:
        """The challenge that a browser's answer is to; None for bytes that are no answer."""
        ...

    def verify_creation(self, created: PasskeyCreation, challenge: str, name: str) -> NewPasskey:
        """The passkey that was created for this challenge. Raises PasskeyRefused."""
        ...

    def verify_proof(self, proof: PasskeyProof, challenge: str, public_key: str | None) -> int:
        """The count of the authenticator that has proved to have the key. Raises WrongPasskey, without a key always,
        after the same work."""
        ...


class Passkeys(Protocol):
    """Passkeys, with their record in the log of security events in the same transaction."""

    async def find(self, credential_id: str) -> KnownPasskey | None:
        """The passkey with this id; None if it is unknown, or of a disabled account."""
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


def _bytes(text: str) -> bytes:
    """Bytes of base64url, whose alphabet the sender's schema has checked."""
    return urlsafe_b64decode(f"{text}===")
