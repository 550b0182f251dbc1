"""Path updates: what a teacher has changed in a given path, offered to the learner who has a copy."""

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from sprout.errors import Conflict
from sprout.events import Wire


class AddedNode(Wire):
    """A concept or a part that the teacher has added."""

    title: str
    desc: str | None
    concept: str | None = Field(description="the title of the concept that it is a part of; null for a concept")


class DescribedNode(Wire):
    """A node of the learner's that the teacher describes differently by now."""

    node_id: str
    title: str
    before: str | None
    after: str | None


class PathUpdateRow(Wire):
    """Update of a copy: all that a teacher's path has and its copy lacks. Nothing is ever taken away."""

    version: str = Field(description="names what is offered; to be sent to accept it")
    class_name: str
    teacher: str
    added: Sequence[AddedNode]
    described: Sequence[DescribedNode]


class UpdateChanged(Conflict):
    """The teacher has changed the path since the update was shown."""

    code = "update_changed"

    def __init__(self) -> None:
        super().__init__("Your teacher has changed the path again. Look at the update once more.")


class PathUpdates(Protocol):
    """Scoped to the learner: a branch that is missing or another's raises NotFound."""

    async def update(self, branch_id: str, *, user_id: str) -> PathUpdateRow | None:
        """The offered update; None where there is nothing, for a path of one's own, and after leaving the class.

        Nothing is offered by an archived class, or by one who is no teacher any more.
        """
        ...

    async def accept(self, branch_id: str, version: str, *, user_id: str) -> None:
        """Take over what is offered, in one transaction.

        Raises UpdateChanged (it is not what that version names), TooLarge (the path would have too many nodes).
        """
        ...
