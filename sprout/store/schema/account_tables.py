"""Tables of accounts: who signs in, with which sessions and tokens, and the log of what happened to them.

Of secrets only digests are kept.
"""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, false
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, UtcTime, one_of

ROLES = ("learner", "teacher", "owner")
PURPOSES = ("sign_in", "password", "email")


class AccountTable(OrderedModel, table=True):
    """An account of a user. `name_key` makes names unique, however they are written."""

    __tablename__ = "accounts"
    __table_args__ = (one_of("role", ROLES),)

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", unique=True, sa_type=SafeText)
    name: str = Field(sa_type=SafeText)
    name_key: str = Field(unique=True, sa_type=SafeText)
    display_name: str = Field(sa_type=SafeText)
    role: str = Field(sa_type=SafeText)
    password_hash: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    disabled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    card_digest: str | None = Field(default=None, unique=True, index=True, sa_type=SafeText)
    passkey_after_password: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    email: str | None = Field(default=None, index=True, sa_type=SafeText)


class AccountSession(OrderedModel, table=True):
    """A sign-in of a browser, until it is ended, idle for too long, or `ends_at` is reached."""

    __tablename__ = "account_sessions"

    secret_digest: str = Field(unique=True, sa_type=SafeText)
    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    last_seen_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    ends_at: datetime = Field(sa_type=UtcTime)
    user_agent: str = Field(sa_type=SafeText)


class AccessToken(OrderedModel, table=True):
    """A token with which a program calls for a user."""

    __tablename__ = "access_tokens"

    secret_digest: str = Field(unique=True, sa_type=SafeText)
    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    name: str = Field(sa_type=SafeText)
    scopes: JsonValue = Field(sa_type=JSON_VALUE)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)


class OneTimeCode(OrderedModel, table=True):
    """A code that does something for an account, or, without one, makes the first owner.

    `email` is the address that it confirms.
    """

    __tablename__ = "one_time_codes"
    __table_args__ = (one_of("purpose", PURPOSES),)

    secret_digest: str = Field(unique=True, sa_type=SafeText)
    user_id: str | None = Field(
        default=None, foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)
    purpose: str = Field(default="sign_in", sa_type=SafeText, sa_column_kwargs={"server_default": "sign_in"})
    email: str | None = Field(default=None, sa_type=SafeText)


class SecurityEvent(OrderedModel, table=True):
    """An event of the security log. It goes with the user that it is about; who did it may be gone."""

    __tablename__ = "security_events"
    __table_args__ = (Index(None, "at"),)

    kind: str = Field(sa_type=SafeText)
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    user_id: str | None = Field(default=None, foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    actor_id: str | None = Field(
        default=None, foreign_key="users.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    address: str = Field(sa_type=SafeText)
    detail: str | None = Field(default=None, sa_type=SafeText)
