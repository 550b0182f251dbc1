"""Schemas of requests about accounts: signing in, passwords, tokens, people."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sprout.accounts.principal import Scope
from sprout.accounts.tokens import MAX_DAYS
from sprout.learning.text.language import PageLanguage
from sprout.web.schemas.requests import PageSize, RequestModel

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
DisplayName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Password = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Code = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Role = Literal["learner", "teacher", "owner"]


class SignInRequest(RequestModel):
    """A sign-in with a password."""

    name: Name
    password: Password


class OwnerSetUp(RequestModel):
    """The first owner, with the code that the server prints at its start."""

    code: Code
    name: Name = Field(description="to sign in with")
    display_name: DisplayName | None = Field(default=None, description="by default the name")
    password: Password


class PasswordFromLink(RequestModel):
    """A password, with the code of the link that sets it."""

    code: Code
    password: Password


class RecoveryRequest(RequestModel):
    """A forgotten password."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=300)] = Field(
        description="to sign in with, or the confirmed e-mail address"
    )
    language: PageLanguage = Field(default="en", description="of the mail")


class EmailChange(RequestModel):
    """One's own e-mail address, which a link is sent to."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=300)]
    language: PageLanguage = Field(default="en", description="of the mail")


class EmailConfirmation(RequestModel):
    """The code of the link that was sent to an e-mail address."""

    code: Code


class PasswordChange(RequestModel):
    """A change of one's own password."""

    old_password: Password
    new_password: Password


class AccountChange(RequestModel):
    """A change of one's own account."""

    display_name: DisplayName


class TokenRequest(RequestModel):
    """A new access token."""

    name: DisplayName = Field(description="what it is for")
    scopes: list[Literal["read", "learn", "seed", "admin", "calendar"]] = Field(min_length=1, max_length=len(Scope))
    days: int = Field(default=90, ge=1, le=MAX_DAYS, description="until it expires")


class NewPerson(RequestModel):
    """A new account, whose password its person sets with a link."""

    name: Name = Field(description="to sign in with")
    display_name: DisplayName | None = Field(default=None, description="by default the name")
    role: Role = "learner"


class PersonChange(RequestModel):
    """A change of somebody's account; what is left out stays."""

    display_name: DisplayName | None = None
    role: Role | None = None
    disabled: bool | None = Field(default=None, description="a disabled account can't sign in; its data stays")


class SecurityLogQuery(RequestModel):
    before: Annotated[str, StringConstraints(max_length=100)] | None = Field(
        default=None, description="the event after which the page begins"
    )
    limit: PageSize | None = Field(default=None, description="1 to 200, by default 50")
