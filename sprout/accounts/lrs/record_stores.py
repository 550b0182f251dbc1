"""Learning record stores: where a class's statements are sent to, if its teacher says so."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol
from urllib.parse import urlsplit

from pydantic import Field

from sprout.errors import BadInput, SproutError
from sprout.events import Wire
from sprout.public_address import is_safe_url

MAX_ADDRESS = 500


class StoreProblem(StrEnum):
    """Why a record store did not take statements."""

    UNREACHABLE = "lrs_unreachable"
    NOT_ALLOWED = "lrs_not_allowed"
    CREDENTIALS = "lrs_credentials"
    REFUSED = "lrs_refused"
    NO_STORE = "lrs_no_store"
    BUSY = "lrs_busy"


SENTENCES = {
    StoreProblem.UNREACHABLE: "The record store can't be reached. What waits is sent once it can.",
    StoreProblem.NOT_ALLOWED: "The record store is in a network that this server may not call. "
    "Whoever runs this server can allow it.",
    StoreProblem.CREDENTIALS: "The record store doesn't accept the key and secret. "
    "Check them there and save them again.",
    StoreProblem.REFUSED: "The record store refuses these statements. Ask whoever runs it what it expects.",
    StoreProblem.NO_STORE: "There is no record store at this address. Check it: it often ends with /xapi.",
    StoreProblem.BUSY: "The record store has a fault or is overloaded. What waits is sent later.",
}


class RecordStoreFailed(SproutError):
    """A record store that did not take statements; nothing is lost, and trying again may help.

    Args:
        retry_after_s: as the store says.
    """

    def __init__(self, problem: StoreProblem, *, retry_after_s: float = 0) -> None:
        super().__init__(SENTENCES[problem], code=problem.value)
        self.problem, self.retry_after_s = problem, retry_after_s


class StatementsKnown(SproutError):
    """A record store has at least one of the statements already, with other content (409), and took none of them."""

    code = "lrs_known"

    def __init__(self) -> None:
        super().__init__("The record store has one of these statements already.")


class BatchTooLarge(SproutError):
    """A record store takes fewer statements at once (413)."""

    code = "lrs_too_large"

    def __init__(self) -> None:
        super().__init__("The record store takes fewer statements at once.")


class NoRecordStoreAddress(BadInput):
    """An address that no statement may be sent to."""

    code = "lrs_address"

    def __init__(self) -> None:
        super().__init__(
            "Give the https address of a record store, such as https://lrs.example/xapi.", field="endpoint"
        )


class SecretMissing(BadInput):
    """A store at another address or with another key, without a secret: the one that is kept is not for it."""

    code = "lrs_secret_missing"

    def __init__(self) -> None:
        super().__init__("Give the secret that goes with this address and key.", field="secret")


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """A record store and the credentials there."""

    endpoint: str
    key: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoreChange:
    """Settings by a teacher; without a secret, the one that is kept for this address and key."""

    endpoint: str
    key: str
    secret: str | None = field(repr=False)
    with_names: bool = False


class StoreTrouble(Wire):
    """Why the last attempt failed, in a sentence."""

    code: str
    message: str


class RecordStoreRow(Wire):
    """The record store of a class. Its secret is never shown."""

    endpoint: str
    key: str
    names: bool = Field(description="whether learners' display names are sent; else opaque ids alone")
    sent: int = Field(description="statements that it has taken")
    waiting: int = Field(description="statements that are still to be sent")
    last_sent_at: str | None
    next_try_at: str
    problem: StoreTrouble | None = Field(description="of the last attempt")


class StoreAnswer(Wire):
    """Description that a record store gives of itself."""

    ok: bool
    versions: list[str] = Field(description="of xAPI that it speaks")
    problem: StoreTrouble | None


def trouble(code: str) -> StoreTrouble:
    """A problem that was stored, as it is shown."""
    return StoreTrouble(code=code, message=SENTENCES[StoreProblem(code)])


def checked_endpoint(text: str) -> str:
    """The address without a slash at its end. Raises NoRecordStoreAddress: it is not https nor this machine."""
    endpoint = text.strip().rstrip("/")
    try:
        parts = urlsplit(endpoint)
        is_plain = not (parts.query or parts.fragment or parts.username or parts.password) and parts.port != 0
    except ValueError:
        raise NoRecordStoreAddress from None
    if not is_plain or not is_safe_url(endpoint) or any(sign.isspace() or not sign.isprintable() for sign in endpoint):
        raise NoRecordStoreAddress
    return endpoint


class RecordStores(Protocol):
    """Scoped to the teacher, as `Classes`. Each raises NotFound for a class that is not the teacher's."""

    async def one(self, class_id: str, *, teacher_id: str) -> RecordStoreRow | None: ...

    async def set(self, class_id: str, change: StoreChange, *, teacher_id: str) -> RecordStoreRow:
        """Everything that there is, is sent to a store at another address. Raises SecretMissing, MissingRight."""
        ...

    async def access(self, class_id: str, change: StoreChange, *, teacher_id: str) -> StoreAccess:
        """Access with which the change would send. Raises SecretMissing."""
        ...

    async def remove(self, class_id: str, *, teacher_id: str) -> None:
        """Send nothing any more; what waits is forgotten."""
        ...


class RecordStoreClient(Protocol):
    """Speaks xAPI to record stores."""

    async def about(self, access: StoreAccess) -> list[str]:
        """The versions that the store speaks. Nothing is sent. Raises RecordStoreFailed."""
        ...

    async def send(self, access: StoreAccess, statements: bytes) -> None:
        """Have all statements of a JSON array stored. Raises StatementsKnown, BatchTooLarge, RecordStoreFailed."""
        ...
