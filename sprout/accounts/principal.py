"""Principal: who sends a request, and with which rights."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sprout.errors import MissingRight, NotSignedIn
from sprout.learning.paths.repository import DEFAULT_USER_ID

FRESH_FOR = timedelta(minutes=15)


class AccountRole(StrEnum):
    """Role of a person in a deployment. An owner decides about accounts, not about what learners do."""

    LEARNER = "learner"
    TEACHER = "teacher"
    OWNER = "owner"


class Scope(StrEnum):
    """A group of rights, of which a token may have fewer than its account.

    CALENDAR is the feed of due reviews: a calendar program can send no header, so its token stands in the address.
    """

    READ = "read"
    LEARN = "learn"
    SEED = "seed"
    ADMIN = "admin"
    CALENDAR = "calendar"


_WITHOUT_ADMIN = frozenset(Scope) - {Scope.ADMIN}
SCOPES_OF: Mapping[AccountRole, frozenset[Scope]] = {
    AccountRole.LEARNER: _WITHOUT_ADMIN,
    AccountRole.TEACHER: _WITHOUT_ADMIN,
    AccountRole.OWNER: frozenset(Scope),
}


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of a request.

    Args:
        session_id: of the sign-in that the request belongs to, if it belongs to one.
        signed_in_at: when that was.
        by_token: whether a program sends it with an access token, which never stands for the person themselves.
    """

    user_id: str
    role: AccountRole
    scopes: frozenset[Scope]
    session_id: str | None = None
    by_token: bool = False
    signed_in_at: datetime | None = None


LOCAL_LEARNER = Principal(DEFAULT_USER_ID, AccountRole.OWNER, frozenset(Scope))
"""The one person of a server without sign-in."""


class SignInAgain(MissingRight):
    """The change concerns a way into the account or a secret, and the sign-in was too long ago to be sure who asks."""

    code = "sign_in_again"

    def __init__(self) -> None:
        super().__init__("Sign out and in again first: before a change like this one we make sure that it's you.")


def require_fresh_sign_in(caller: Principal, now: datetime) -> None:
    """Raises SignInAgain for one whose sign-in was long ago; without sign-in there is none to renew."""
    if caller.signed_in_at is not None and now - caller.signed_in_at > FRESH_FOR:
        raise SignInAgain


def signed_in(principal: Principal | None) -> Principal:
    """The principal. Raises NotSignedIn where there is none."""
    if principal is None:
        raise NotSignedIn
    return principal
