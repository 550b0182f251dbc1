"""Schemas of the requests about placements."""

from pydantic import Field

from sprout.web.schemas.item_answer import ItemAnswer
from sprout.web.schemas.requests import USER_ID_DESCRIPTION, Id, RequestModel


class NewPlacement(RequestModel):
    """Either a path or a node of one."""

    user_id: Id = Field(description=USER_ID_DESCRIPTION)
    branch_id: Id | None = Field(default=None, description="the path on which to find where one starts")
    node_id: Id | None = Field(default=None, description="the concept or part that one says one knows")


class NewPlacementAnswer(ItemAnswer):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know"."""


class PlacementSkip(RequestModel):
    user_id: Id = Field(description=USER_ID_DESCRIPTION)
    item_id: Id


class PlacementEnd(RequestModel):
    user_id: Id = Field(description=USER_ID_DESCRIPTION)


class NewOverrule(RequestModel):
    """To say what the placement found takes one's own word back."""

    user_id: Id = Field(description=USER_ID_DESCRIPTION)
    node_id: Id = Field(description="the part")
    known: bool = Field(description="whether one knows it")
