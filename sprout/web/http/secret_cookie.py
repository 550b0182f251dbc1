"""Cookies in which a browser keeps a secret where no script sees it: of its session, or of an attempt to sign in."""

from dataclasses import dataclass
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from sprout.accounts.attempts import ATTEMPT_LIFETIME
from sprout.accounts.sessions import ABSOLUTE_END

MAX_SECRET = 200


@dataclass(frozen=True, slots=True)
class SecretCookie:
    """The cookie of a server. It comes back with a provider's redirection, which another site sends: hence `lax`.

    Args:
        secure: whether browsers come over TLS; the name then keeps other hosts of the domain from setting it.
    """

    label: str
    lifetime: timedelta
    secure: bool

    @property
    def name(self) -> str:
        return f"__Host-{self.label}" if self.secure else self.label

    def read(self, request: Request) -> str | None:
        """The secret that the browser sends, if it sends one."""
        secret = request.cookies.get(self.name, "")
        return secret if 0 < len(secret) <= MAX_SECRET else None

    def keep(self, response: Response, secret: str) -> None:
        """Have the browser keep a secret, where no script sees it."""
        lifetime_s = int(self.lifetime.total_seconds())
        response.set_cookie(
            self.name, secret, max_age=lifetime_s, path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def forget(self, response: Response) -> None:
        """Have the browser delete its secret."""
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")


def session_cookie(*, secure: bool) -> SecretCookie:
    """The cookie of a session."""
    return SecretCookie("sprout", ABSOLUTE_END, secure)


def attempt_cookie(*, secure: bool) -> SecretCookie:
    """The cookie of an attempt to sign in, until the browser has answered."""
    return SecretCookie("sprout-attempt", ATTEMPT_LIFETIME, secure)
