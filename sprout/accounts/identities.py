"""Identities at an OpenID provider: which account each is linked to, and what provider and repository can do."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from sprout.accounts.security_log import Origin
from sprout.errors import Conflict, NotSignedIn, SproutError
from sprout.events import Wire

MAX_NAME = 100


class LinkedIdentityRow(Wire):
    """An identity that is linked to the caller's account."""

    id: str
    name: str = Field(description="what the provider calls the person")
    created_at: str
    last_used_at: str | None = Field(description="null until it has been used to sign in")


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity at a provider, as its token proves; `subject` never changes, `name` is for people."""

    issuer: str
    subject: str
    name: str


class IdentityRefused(NotSignedIn):
    """The provider's answer proves no identity."""

    code = "oidc_refused"

    def __init__(self) -> None:
        super().__init__("The other site's answer wasn't valid. Try again.")


class IdentityCancelled(NotSignedIn):
    """The provider says that the person, or it, did not want to."""

    code = "oidc_cancelled"

    def __init__(self) -> None:
        super().__init__("The sign-in was cancelled on the other site.")


class IdentityNotLinked(NotSignedIn):
    """The identity is linked to no account, or to a disabled one."""

    code = "oidc_not_linked"

    def __init__(self) -> None:
        super().__init__("This sign-in isn't linked to an account yet. Ask whoever runs this Sprout for a link.")


class IdentityTaken(Conflict):
    """The identity is linked to another account, or the account to another identity."""

    code = "oidc_taken"

    def __init__(self) -> None:
        super().__init__("This sign-in or this account is linked already.")


class ProviderUnavailable(SproutError):
    """The provider does not answer, or not as a provider does."""

    code = "oidc_unavailable"
    retry_after_s = 10.0

    def __init__(self) -> None:
        super().__init__("The other site doesn't answer. Try again in a moment.")


class IdentityProvider(Protocol):
    """An OpenID provider, by the code flow with PKCE."""

    @property
    def issuer(self) -> str: ...

    async def authorization_url(self, *, state: str, nonce: str, verifier: str) -> str:
        """The address where the person signs in there. Raises ProviderUnavailable."""
        ...

    async def redeem(self, code: str, *, nonce: str, verifier: str) -> Identity:
        """The person for whom the provider has given this code. Raises IdentityRefused, ProviderUnavailable."""
        ...


class LinkedIdentities(Protocol):
    """Linked identities, with their record in the log of security events in the same transaction."""

    async def sign_in(self, identity: Identity) -> str | None:
        """The user to whom it is linked, with the use stored; None without a link, or for a disabled account."""
        ...

    async def identities(self, user_id: str) -> list[LinkedIdentityRow]:
        """Those of a user, in the order of creation."""
        ...

    async def link(self, identity: Identity, *, user_id: str, origin: Origin) -> None:
        """Raises IdentityTaken, NotFound: no account."""
        ...

    async def link_by_code(self, code_digest: str, identity: Identity, *, user_id: str, origin: Origin) -> None:
        """Link by a one-time link that is for this user, end all their sessions, and void all their links.

        Raises CodeInvalid, IdentityTaken.
        """
        ...

    async def unlink(self, identity_id: str, *, user_id: str, origin: Origin) -> None:
        """Raises NotFound, LastWay."""
        ...
