"""Schemas of responses about accounts."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from sprout.accounts.accounts import AccountRow
from sprout.accounts.principal import AccountRole, Scope
from sprout.events import Wire

Method = Literal["password"]


class SignInMethods(Wire):
    """The ways to sign in; without any, every request is the one learner's."""

    methods: Sequence[Method]
    set_up: bool = Field(description="whether the first owner is still to be made, with a code")


class Caller(Wire):
    """Who calls, and with which rights."""

    user_id: str
    role: AccountRole
    scopes: Sequence[Scope]
    account: AccountRow | None = Field(description="null for the one learner of a server without sign-in")


class PasswordLink(Wire):
    """A link with which a person sets their password, once."""

    path: str = Field(description="to be put behind the server's address")
    expires_at: str


class InvitedPerson(Wire):
    """A new account, and the link that sets its password."""

    account: AccountRow
    link: PasswordLink
