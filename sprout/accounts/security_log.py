"""Security log: who did what to which account or to the model key, when and from where, without any secret."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from sprout.clock import utc_now
from sprout.events import Wire

INTERVAL_S = 600.0


class SecurityEventKind(StrEnum):
    """Kinds of events about an account or the key of the models."""

    ACCOUNT_CREATED = "account_created"
    ACCOUNT_DISABLED = "account_disabled"
    ACCOUNT_ENABLED = "account_enabled"
    CARD_CREATED = "card_created"
    CLASS_JOINED = "class_joined"
    CLASS_LEFT = "class_left"
    DATA_ADOPTED = "data_adopted"
    EMAIL_ASKED = "email_asked"
    EMAIL_CONFIRMED = "email_confirmed"
    EMAIL_REMOVED = "email_removed"
    IDENTITY_LINKED = "identity_linked"
    IDENTITY_UNLINKED = "identity_unlinked"
    LINK_CREATED = "link_created"
    MODEL_KEY_REMOVED = "model_key_removed"
    MODEL_KEY_SET = "model_key_set"
    PASSKEY_ADDED = "passkey_added"
    PASSKEY_OFF_AFTER_PASSWORD = "passkey_off_after_password"  # noqa: S105
    PASSKEY_ON_AFTER_PASSWORD = "passkey_on_after_password"  # noqa: S105
    PASSKEY_REFUSED = "passkey_refused"
    PASSKEY_REMOVED = "passkey_removed"
    PASSWORD_SET = "password_set"  # noqa: S105 - the name of an event
    RECOVERY_REQUESTED = "recovery_requested"
    ROLE_CHANGED = "role_changed"
    SESSION_ENDED = "session_ended"
    SESSIONS_ENDED = "sessions_ended"
    SIGN_IN_FAILED = "sign_in_failed"
    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
    TOKEN_CREATED = "token_created"  # noqa: S105
    TOKEN_REVOKED = "token_revoked"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a change.

    Args:
        address: of the client; "terminal" for a command on the server's machine.
        actor_id: the user who does it, where one is signed in.
    """

    address: str
    actor_id: str | None = None


TERMINAL = Origin("terminal")


class SecurityEventRow(Wire):
    """An event. `actor_id` is who did it.

    `user_id` is whose account it is about; null for an unknown name, and for an event of the server.
    """

    id: str
    kind: SecurityEventKind
    at: str
    user_id: str | None
    name: str | None
    actor_id: str | None
    address: str
    detail: str | None


class SecurityLog(Protocol):
    async def record(
        self, kind: SecurityEventKind, user_id: str | None, *, origin: Origin, detail: str | None = None
    ) -> None:
        """Add an event."""
        ...

    async def delete_before(self, before: datetime) -> None:
        """Delete older events."""
        ...

    async def events(self, *, before: str | None = None, limit: int) -> list[SecurityEventRow]:
        """The newest events, or those before one of them, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class SecurityLogRetention:
    """Deletes events of the log once they are older than it is to go back.

    Args:
        days: that events are kept.
    """

    log: SecurityLog
    days: float

    async def delete_old(self) -> None:
        """Delete the events that are too old by now."""
        await self.log.delete_before(utc_now() - timedelta(days=self.days))
