"""Schemas of requests about classes: for teachers, and for those who join."""

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from sprout.web.schemas.account_requests import Code, DisplayName
from sprout.web.schemas.requests import Id, RequestModel

MAX_CODE_DAYS = 366
MAX_CODE_USES = 1_000


def _checked_day(text: str) -> str:
    date.fromisoformat(text)
    return text


Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_checked_day)]


class NewClass(RequestModel):
    """A new class."""

    name: DisplayName


class ClassChange(RequestModel):
    """A change of a class; what is left out stays."""

    name: DisplayName | None = None
    archived: bool | None = Field(
        default=None, description="an archived class can't be joined, and gets no paths; what its learners have stays"
    )


class ClassCodeRequest(RequestModel):
    """A new code of a class, in place of the one before."""

    days: int = Field(default=14, ge=1, le=MAX_CODE_DAYS, description="until it expires")
    uses: int = Field(default=40, ge=1, le=MAX_CODE_USES, description="how many may join with it")


class PathGift(RequestModel):
    """A path of the caller's, to be given to a class; again, to change its date."""

    branch_id: Id
    due_on: Day | None = Field(default=None, description="a date, as in 2026-12-24")


class ContrastRequest(RequestModel):
    """A mix-up of a given path on which those who hold it are to be asked a question."""

    given_id: Id
    mix_up_id: Id


class UpdateAcceptance(RequestModel):
    """The acceptance of what was shown of a path's update."""

    version: Annotated[str, StringConstraints(min_length=1, max_length=100)]


class ClassCode(RequestModel):
    """The code of a class, as it was typed."""

    code: Code


class NewPupil(RequestModel):
    """Somebody without an account, who joins a class."""

    code: Code
    nickname: DisplayName = Field(description="the teacher sees it; no real name is needed")


class CardSignIn(RequestModel):
    """A sign-in with the words of a card."""

    card: Annotated[str, StringConstraints(min_length=1, max_length=200)]
