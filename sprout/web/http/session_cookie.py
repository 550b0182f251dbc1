"""Session cookie: how a browser keeps the secret of its session."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from sprout.accounts.sessions import ABSOLUTE_END

MAX_SECRET = 200


@dataclass(frozen=True, slots=True)
class SessionCookie:
    """The cookie of a server.

    Args:
        secure: whether browsers come over TLS; the name then keeps other hosts of the domain from setting it.
    """

    secure: bool

    @property
    def name(self) -> str:
        return "__Host-sprout" if self.secure else "sprout"

    def read(self, request: Request) -> str | None:
        """The secret that the browser sends, if it sends one."""
        secret = request.cookies.get(self.name, "")
        return secret if 0 < len(secret) <= MAX_SECRET else None

    def keep(self, response: Response, secret: str) -> None:
        """Have the browser keep a secret, where no script sees it."""
        lifetime_s = int(ABSOLUTE_END.total_seconds())
        response.set_cookie(
            self.name, secret, max_age=lifetime_s, path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def forget(self, response: Response) -> None:
        """Have the browser delete its secret."""
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")
