"""Schemas of requests about classes: for teachers, and for those who join."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from sprout.accounts.classes import MODEL_SWITCH, ModelSwitch
from sprout.accounts.lrs.record_stores import MAX_ADDRESS
from sprout.learning.marking.decisions import Decision
from sprout.web.schemas.account_requests import Code, DisplayName
from sprout.web.schemas.requests import Id, RequestModel

MAX_CODE_DAYS = 366
MAX_CODE_USES = 1_000


def _checked_day(text: str) -> str:
    date.fromisoformat(text)
    return text


Dollars = Annotated[float | None, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Tokens = Annotated[int | None, Field(ge=0, le=10**12)]
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
    model: ModelSwitch | None = Field(default=None, description=MODEL_SWITCH)


class ClassBudget(RequestModel):
    """The budget of a class, all of it; what is left out or null has the limit of the settings."""

    usd_per_day: Dollars = None
    usd_per_month: Dollars = None
    tokens_per_day: Tokens = None
    tokens_per_month: Tokens = None


class ClassCodeRequest(RequestModel):
    """A new code of a class, in place of the one before."""

    days: int = Field(default=14, ge=1, le=MAX_CODE_DAYS, description="until it expires")
    uses: int = Field(default=40, ge=1, le=MAX_CODE_USES, description="how many may join with it")


class PathGift(RequestModel):
    """A path of the caller's, to be given to a class; again, to change its date."""

    branch_id: Id
    due_on: Day | None = Field(default=None, description="a date, as in 2026-12-24")


class DeskVerdict(RequestModel):
    """A decision about an answer."""

    decision: Decision = Field(description="`drop` says that the question is at fault: it counts for no one")


class NewShare(RequestModel):
    """The class whose teacher may read a conversation."""

    class_id: Id


class ContrastRequest(RequestModel):
    """A mix-up of a given path on which those who hold it are to be asked a question."""

    given_id: Id
    mix_up_id: Id


class StatementsQuery(RequestModel):
    """What a file of statements says of learners."""

    names: Literal["true", "false"] | None = Field(
        default=None, description="`true` names learners as the class knows them; else there are opaque ids alone"
    )


class RecordStoreChange(RequestModel):
    """The record store of a class, to be kept or tried."""

    endpoint: Annotated[str, StringConstraints(min_length=1, max_length=MAX_ADDRESS)] = Field(
        description="the https address under which it has `/statements` and `/about`"
    )
    key: Annotated[str, StringConstraints(pattern=r"^[^:\x00-\x1f]{1,200}$")] = Field(description="its user name")
    secret: Annotated[str, StringConstraints(max_length=500)] | None = Field(
        default=None, description="never shown again; left out, it is the one that is kept for this address and key"
    )
    names: bool = Field(default=False, description="send learners' display names too")


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
