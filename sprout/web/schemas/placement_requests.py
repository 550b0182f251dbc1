"""Schemas of the requests about placements."""

from pydantic import Field

from sprout.web.schemas.item_answer import ItemAnswer
from sprout.web.schemas.requests import Id, UserRequest


class NewPlacement(UserRequest):
    """Either a path or a node of one."""

    branch_id: Id | None = Field(default=None, description="the path on which to find where one starts")
    node_id: Id | None = Field(default=None, description="the concept or part that one says one knows")


class NewPlacementAnswer(ItemAnswer):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know"."""


class PlacementSkip(UserRequest):
    item_id: Id


class PlacementEnd(UserRequest):
    """The end of a placement, now."""


class NewOverrule(UserRequest):
    """To say what the placement found takes one's own word back."""

    node_id: Id = Field(description="the part")
    known: bool = Field(description="whether one knows it")
