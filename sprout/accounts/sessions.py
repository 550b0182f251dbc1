"""Sessions: what signing in begins and a cookie carries on."""

from datetime import timedelta
from typing import Protocol

from sprout.accounts.principal import Principal
from sprout.accounts.security_log import Origin
from sprout.events import Wire

IDLE_END = timedelta(days=14)
ABSOLUTE_END = timedelta(days=90)
SEEN_EVERY = timedelta(minutes=5)
"""Precision of the last use of a session or a token: a write for each request would be too many."""
MAX_SESSIONS = 50
MAX_USER_AGENT = 200


class SessionRow(Wire):
    """A session of the caller. `user_agent` is how its browser names itself."""

    id: str
    created_at: str
    last_seen_at: str
    ends_at: str
    user_agent: str
    current: bool


class Sessions(Protocol):
    """Sessions that have ended are as if they had never been."""

    async def begin(
        self, secret_digest: str, user_id: str, *, user_agent: str, replaces: str | None, origin: Origin
    ) -> None:
        """Begin a session, and end the one that the same browser had, by its digest. Raises NotFound: the account
        is disabled, or gone."""
        ...

    async def find(self, secret_digest: str) -> Principal | None:
        """The user signed in with this secret; None for one that is unknown, idle, over, or of a disabled account."""
        ...

    async def sessions(self, caller: Principal) -> list[SessionRow]:
        """Those of the caller, newest use first."""
        ...

    async def end(self, session_id: str, *, user_id: str, origin: Origin) -> None:
        """End one of the user's sessions. Raises NotFound."""
        ...

    async def end_all(self, user_id: str, *, origin: Origin) -> None:
        """End every session of the user."""
        ...
