"""Attempt cookie: how a browser keeps the secret of an attempt to sign in until it has answered."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from sprout.accounts.attempts import ATTEMPT_LIFETIME
from sprout.web.http.session_cookie import MAX_SECRET


@dataclass(frozen=True, slots=True)
class AttemptCookie:
    """The cookie of a server. It comes back with a provider's redirection, which another site sends: hence `lax`.

    Args:
        secure: whether browsers come over TLS; the name then keeps other hosts of the domain from setting it.
    """

    secure: bool

    @property
    def name(self) -> str:
        return "__Host-sprout-attempt" if self.secure else "sprout-attempt"

    def read(self, request: Request) -> str | None:
        """The secret that the browser sends, if it sends one."""
        secret = request.cookies.get(self.name, "")
        return secret if 0 < len(secret) <= MAX_SECRET else None

    def keep(self, response: Response, secret: str) -> None:
        """Have the browser keep a secret, where no script sees it."""
        lifetime_s = int(ATTEMPT_LIFETIME.total_seconds())
        response.set_cookie(
            self.name, secret, max_age=lifetime_s, path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def forget(self, response: Response) -> None:
        """Have the browser delete its secret."""
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")
