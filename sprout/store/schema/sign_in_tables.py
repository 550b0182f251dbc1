"""Tables of the ways to sign in besides passwords: passkeys, linked identities, and attempts that wait for an answer.

Nothing in them lets anybody sign in: public keys, names at providers, and digests.
"""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import BigInteger, UniqueConstraint
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, UtcTime


class PasskeyTable(OrderedModel, table=True):
    """A passkey of a user. `sign_count` is the highest that its authenticator has reported; 0: it does not count."""

    __tablename__ = "passkeys"

    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    credential_id: str = Field(unique=True, sa_type=SafeText)
    public_key: str = Field(sa_type=SafeText)
    sign_count: int = Field(default=0, sa_type=BigInteger)
    transports: JsonValue = Field(sa_type=JSON_VALUE)
    name: str = Field(sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)


class LinkedIdentityTable(OrderedModel, table=True):
    """An identity at an OpenID provider, linked to a user. `name` is what the provider calls them, to be shown."""

    __tablename__ = "linked_identities"
    __table_args__ = (UniqueConstraint("issuer", "subject"), UniqueConstraint("user_id", "issuer"))

    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    issuer: str = Field(sa_type=SafeText)
    subject: str = Field(sa_type=SafeText)
    name: str = Field(sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)


class SignInAttempt(OrderedModel, table=True):
    """An attempt that waits for a browser's answer, once, for minutes: a challenge or a state, and who began it."""

    __tablename__ = "sign_in_attempts"

    secret_digest: str = Field(unique=True, sa_type=SafeText)
    browser_digest: str = Field(sa_type=SafeText)
    purpose: str = Field(sa_type=SafeText)
    user_id: str | None = Field(
        default=None, foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    code_digest: str | None = Field(default=None, sa_type=SafeText)
    expires_at: datetime = Field(index=True, sa_type=UtcTime)
