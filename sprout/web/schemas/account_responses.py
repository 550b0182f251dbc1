"""Schemas of responses about accounts."""

from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from sprout.accounts.accounts import AccountRow
from sprout.accounts.principal import AccountRole, Scope
from sprout.accounts.ways import Method
from sprout.events import Wire


class SignInMethods(Wire):
    """The ways to sign in; without any, every request is the one learner's."""

    methods: Sequence[Method]
    set_up: bool = Field(description="whether the first owner is still to be made, with a code")
    provider: str = Field(description="what people call the OpenID provider; may be empty")
    recovery: bool = Field(description="whether a link for a new password is sent by e-mail")


class PasskeyOptions(Wire):
    """What a browser is to hand to `navigator.credentials`; bytes are base64url."""

    public_key: Mapping[str, JsonValue]


class ProviderAddress(Wire):
    """Where a browser is to go to sign in."""

    url: str


class Caller(Wire):
    """Who calls, and with which rights."""

    user_id: str
    role: AccountRole
    scopes: Sequence[Scope]
    account: AccountRow | None = Field(description="null for the one learner of a server without sign-in")


class PasswordLink(Wire):
    """A link with which a person sets their password, or chooses another way to sign in, once."""

    path: str = Field(description="to be put behind the server's address")
    expires_at: str


class InvitedPerson(Wire):
    """A new account, and the link with which its person chooses how to sign in."""

    account: AccountRow
    link: PasswordLink
