"""Accounts: people who sign in, and what the repository of accounts can do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from pydantic import Field

from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import Origin
from sprout.errors import Conflict, SproutError
from sprout.events import Wire

CODE_LIFETIME = timedelta(days=7)


class AccountRow(Wire):
    """An account. `user_id` owns what the person learns; `disabled_at` is null for one that may sign in."""

    user_id: str
    name: str
    display_name: str
    role: AccountRole
    created_at: str
    disabled_at: str | None
    has_password: bool = Field(description="false until the person has opened the link that sets one")
    passkey_after_password: bool = Field(description="whether signing in with the password takes a passkey too")


class PersonRow(AccountRow):
    """An account as its owner lists it. `last_seen_at` is null where no use of it is known any more."""

    last_seen_at: str | None = Field(
        description="the newest use of a session, or the newest sign-in in the security log"
    )


class NameTaken(Conflict):
    """Another account has the name, however it is written."""

    code = "name_taken"

    def __init__(self) -> None:
        super().__init__("Another account has this name. Choose a different one.")


class LastOwner(Conflict):
    """The change would leave the deployment without an owner who can sign in."""

    code = "last_owner"

    def __init__(self) -> None:
        super().__init__("This is the only owner. Make somebody else an owner first.")


class CodeInvalid(SproutError):
    """A one-time code that was used, has expired, was replaced, or never was."""

    code = "code_invalid"

    def __init__(self) -> None:
        super().__init__("This link has been used or has expired. Ask for a new one.")


class LinkPurpose(StrEnum):
    """Purpose of a link's code: setting any way to sign in or the password alone, or confirming an e-mail address."""

    SIGN_IN = "sign_in"
    PASSWORD = "password"  # noqa: S105 - the name of a purpose
    EMAIL = "email"


@dataclass(frozen=True, slots=True)
class LinkHolder:
    """The user whom a link is for, and what it does."""

    user_id: str
    purpose: LinkPurpose


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to be made, with a name that `sign_in_name` has let pass."""

    name: str
    display_name: str
    role: AccountRole
    password_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """Credentials of an account. Without a password the account cannot sign in yet."""

    user_id: str
    password_hash: str | None
    disabled: bool
    passkey_after_password: bool = False


class Accounts(Protocol):
    """Accounts, with their record in the log of security events in the same transaction."""

    async def find(self, name: str) -> Credentials | None:
        """The credentials of a name, however it is written."""
        ...

    async def credentials(self, user_id: str) -> Credentials:
        """Raises NotFound."""
        ...

    async def account(self, user_id: str) -> AccountRow:
        """Raises NotFound."""
        ...

    async def accounts(self) -> list[PersonRow]:
        """All accounts, in the order of creation."""
        ...

    async def create(self, new: NewAccount, *, origin: Origin) -> AccountRow:
        """A new account with data of its own. Raises NameTaken."""
        ...

    async def change(
        self,
        user_id: str,
        *,
        origin: Origin,
        display_name: str | None = None,
        role: AccountRole | None = None,
        disabled: bool | None = None,
    ) -> AccountRow:
        """The account, changed; a change of rights ends its sessions. Raises NotFound, LastOwner."""
        ...

    async def keep_rehashed(self, user_id: str, old: str, new: str) -> None:
        """Replace the hash by a stronger one of the same password, if it is still the old one."""
        ...

    async def has_owner(self) -> bool:
        """Whether an owner can sign in."""
        ...


class Passwords(Protocol):
    """Passwords, and the one-time codes of the links that set them."""

    async def set_password(self, user_id: str, password_hash: str, *, origin: Origin) -> None:
        """Set the password, end all sessions, and void all links. Raises NotFound."""
        ...

    async def issue_code(self, code_digest: str, *, user_id: str | None, expires_at: datetime, origin: Origin) -> None:
        """Keep a one-time code in place of earlier ones: of an account, to set its password; without one, for the
        first owner. Raises NotFound."""
        ...

    async def create_owner(self, code_digest: str, new: NewAccount, *, origin: Origin) -> AccountRow:
        """The first owner, for a code; all such codes are void then. One who was made so and has no way to sign in
        yet is found again. Raises CodeInvalid, NameTaken."""
        ...

    async def issue_recovery_code(
        self, code_digest: str, *, user_id: str, expires_at: datetime, origin: Origin
    ) -> None:
        """Keep a code that sets the password alone, beside earlier ones: anybody can ask for one, and is not to void
        those that others have. Raises NotFound."""
        ...

    async def holder_of(self, code_digest: str) -> str:
        """The user whose way to sign in a code sets. Raises CodeInvalid."""
        ...

    async def password_holder_of(self, code_digest: str) -> str:
        """The user whose password a code sets, whatever else it might. Raises CodeInvalid."""
        ...

    async def set_password_by_code(self, code_digest: str, password_hash: str, *, origin: Origin) -> LinkHolder:
        """Set the password that a code is for, as `set_password` does. Raises CodeInvalid."""
        ...
