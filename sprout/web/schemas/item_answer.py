"""Schema of an answer to an item of a placement or of a review session."""

from typing import Annotated

from pydantic import Field, StringConstraints

from sprout.web.schemas.requests import Id, UserRequest


class ItemAnswer(UserRequest):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know"."""

    item_id: Id
    answer_text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = Field(
        default=None, description="an answer in words or a number"
    )
    selected_option: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)] | None = Field(
        default=None, description="the option that was chosen, by its text or id"
    )
