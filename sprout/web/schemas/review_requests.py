"""Schemas of the requests about reviews."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sprout.agents.tutor.task import MAX_CRITERIA
from sprout.events import Mark
from sprout.learning.marking.grading import MAX_MISCONCEPTION
from sprout.learning.reviews.cards import MAX_RETENTION, MIN_RETENTION
from sprout.learning.reviews.workload import Minutes
from sprout.learning.text.language import PageLanguage
from sprout.web.schemas.item_answer import ItemAnswer
from sprout.web.schemas.requests import SURE_DESCRIPTION, Id, UserRequest

MAX_SECONDS = 86_400


class CalendarQuery(UserRequest):
    language: PageLanguage = Field(default="en", description="of the events")
    access_token: str | None = Field(
        default=None,
        max_length=200,
        description="one with the scope `calendar` alone, for a program without headers",
    )


class NewReviewSession(UserRequest):
    minutes: Minutes | None = Field(default=None, description="its size; by default what is left of the day's")
    branch_id: Id | None = Field(default=None, description="only this path; by default all")


class NewReviewAnswer(ItemAnswer):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know"."""

    seconds: float | None = Field(
        default=None,
        ge=0,
        le=MAX_SECONDS,
        allow_inf_nan=False,
        description="that the answer took while the question was visible; by default what the server has measured",
    )
    sure: bool | None = Field(default=None, description=SURE_DESCRIPTION)


class ReviewSelfMark(UserRequest):
    item_id: Id
    verdicts: dict[str, Mark] = Field(
        min_length=1, max_length=MAX_CRITERIA, description="met, partly or missing by the id of each criterion"
    )
    misconception: Annotated[str, StringConstraints(max_length=MAX_MISCONCEPTION)] | None = Field(
        default=None, description="one of those that were offered, if it is the learner's"
    )


class NewReviewGrade(UserRequest):
    item_id: Id
    grade: Literal["again", "hard", "good", "easy"] = Field(description="one of the result's `choices`")


class ReviewSkip(UserRequest):
    item_id: Id


class ReviewSettingsChange(UserRequest):
    """What is left out stays."""

    minutes: Minutes | None = Field(default=None, description="the size of a day")
    retention: float | None = Field(
        default=None,
        ge=MIN_RETENTION,
        le=MAX_RETENTION,
        allow_inf_nan=False,
        description="the probability of recall at which a part comes back",
    )
    time_zone: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = Field(
        default=None, description="such as Europe/Berlin"
    )
    day_starts_at: int | None = Field(default=None, ge=0, le=23, description="the hour at which a day begins")
