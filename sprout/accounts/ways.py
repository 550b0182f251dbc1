"""Ways to sign in: those that a server has switched on, and what a person must keep to get in again."""

from dataclasses import dataclass
from typing import Literal

from sprout.errors import Conflict

Method = Literal["password", "passkey", "oidc"]


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways of a server.

    Args:
        issuer: the OpenID provider whose identities sign in here, where there is one.
    """

    methods: tuple[Method, ...] = ()
    issuer: str | None = None


class LastWay(Conflict):
    """The change would leave a person without a way to sign in."""

    code = "last_way"

    def __init__(self) -> None:
        super().__init__("This is the only way in which you can sign in. Add another one first.")
