"""Given paths: a teacher's path of which each learner of a class gets a copy that is theirs."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from sprout.errors import NotFound, SproutError
from sprout.events import NodeRow, Wire
from sprout.learning.paths.contents import NewContent
from sprout.learning.paths.path_file import PathFile

log = logging.getLogger(__name__)

INTERVAL_S = 60.0
REQUEST_S = 10.0


class GivenPathRow(Wire):
    """A path that is given to a class: how many learners have got their copy, and how many still wait for it."""

    id: str
    branch_id: str
    title: str
    due_on: str | None
    given_at: str
    copies: int
    waiting: int


class CopiedPathRow(Wire):
    """A path of the caller's that a teacher has given."""

    branch_id: str
    title: str
    due_on: str | None
    given_at: str
    class_name: str
    teacher: str


@dataclass(frozen=True, slots=True)
class PathSource:
    """A path as it is given out, at one moment.

    Args:
        nodes: of the path, parents before their children.
        contents: the active contents, by the ids of their nodes.
    """

    branch_id: str
    file: PathFile
    nodes: Sequence[NodeRow]
    contents: Mapping[str, NewContent]


@dataclass(frozen=True, slots=True)
class LackingCopies:
    """A given path, and the learners who have no copy of it yet."""

    given_id: str
    learners: Sequence[str]


class GivenPaths(Protocol):
    """Scoped to the teacher, as `Classes`; the paths that are given are the teacher's own."""

    async def give(
        self, class_id: str, branch_id: str, *, due_on: str | None, teacher_id: str
    ) -> tuple[GivenPathRow, bool]:
        """The path as it is given, and whether it is since now; else it gets the date.

        Raises NotFound, MissingRight, ClassArchived, InvalidPath.
        """
        ...

    async def given(self, class_id: str, *, teacher_id: str) -> list[GivenPathRow]: ...

    async def withdraw(self, class_id: str, given_id: str, *, teacher_id: str) -> None:
        """Give no more copies; those that were made stay."""
        ...

    async def copies(self, user_id: str) -> list[CopiedPathRow]:
        """Those of the user's paths that teachers have given, in the order of getting them."""
        ...

    async def lacking(self, *, class_id: str | None = None, user_id: str | None = None) -> list[LackingCopies]:
        """Copies still to be made: of one class or all, for one learner or all; nothing of archived classes."""
        ...

    async def source(self, given_id: str) -> PathSource:
        """Raises NotFound."""
        ...

    async def copy(self, given_id: str, source: PathSource, *, user_id: str) -> None:
        """The learner's copy, in one transaction; nothing where there is one or they are in the class no more.

        Raises NotFound (it is given no more), TooLarge (the learner has too many paths).
        """
        ...


@dataclass(frozen=True, slots=True)
class PathGiver:
    """Makes the copies that are lacking, one learner after another, each in a transaction of its own.

    What a crash leaves undone is found again; what two processes do at once is done once.
    """

    given_paths: GivenPaths

    async def give_now(self, *, class_id: str | None = None, user_id: str | None = None) -> None:
        """Copies for a class or for a learner, as many as are made while a request waits; the others follow."""
        with suppress(TimeoutError):
            async with asyncio.timeout(REQUEST_S):
                await self.give_lacking(class_id=class_id, user_id=user_id)

    async def give_lacking(self, *, class_id: str | None = None, user_id: str | None = None) -> None:
        """Copies for all learners who have none yet, in one class or all, or for one of them."""
        for lacking in await self.given_paths.lacking(class_id=class_id, user_id=user_id):
            try:
                source = await self.given_paths.source(lacking.given_id)
            except NotFound:  # withdrawn or deleted meanwhile
                continue
            for learner in lacking.learners:
                await self._copy(lacking.given_id, source, learner)

    async def _copy(self, given_id: str, source: PathSource, learner: str) -> None:
        try:
            await self.given_paths.copy(given_id, source, user_id=learner)
        except SproutError as error:  # of one learner, such as too many paths; the others get theirs
            log.warning("classes.path_not_copied", extra={"given_id": given_id, "reason": error.code})
