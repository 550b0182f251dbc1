"""A place where servers live and die, the model that they ask, and people who order paths from them."""

import asyncio
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from faults.harness.readers import BACK_S, Reader
from faults.harness.server import Place, nursery
from faults.harness.wire import Answer, Cut, asked
from faults.harness.work import SmallPath
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server

WHO = {"userId": DEFAULT_USER_ID}


class StoodStill(Exception):
    """Something did not come to its end in time."""


@dataclass(slots=True)
class Scene:
    """One server's place and everybody around it; `readers` has one for every run that was ordered to be read."""

    place: Place
    readers: list[Reader] = field(default_factory=list)

    async def insisted(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer of whichever life gives one; a server that goes away is asked again."""
        while True:
            try:
                answer = await asked(self.place.port, method, path, body, headers)
            except (Cut, TimeoutError):
                answer = Answer(503, {}, None)
            if answer.status != 503:
                return answer
            await asyncio.sleep(BACK_S)

    async def topic(self, named: str = "Topic") -> str:
        """The id of a fresh root."""
        while True:
            name = f"{named} {new_id()}"  # a fresh one for each attempt: the one before may have arrived all the same
            branch = await self.insisted("POST", "/api/branches", {**WHO, "title": name})
            node = {**WHO, "type": "root", "title": name, "branchId": branch.body["id"]}
            made = await self.insisted("POST", "/api/nodes", node)
            if made.status == 201:
                return str(made.body["id"])

    async def noted(self, topic_id: str) -> None:
        """Send the topic a document; where that dies on its way, the topic has none."""
        files = {"files": ("notes.md", b"# Light\n\nLight is fast.", "text/markdown")}
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{self.place.port}", timeout=BACK_S * 50) as client:
            with suppress(httpx2.TransportError):
                await client.post(f"/api/nodes/{topic_id}/documents", files=files)

    async def ordered(self, topic_id: str | None = None, *, on_busy: str = "attach") -> str:
        """The id of a run that was ordered once, however often that took to arrive."""
        topic_id = topic_id or await self.topic()
        path = f"/api/agents/topics/{topic_id}/run?wait=false&onBusy={on_busy}"
        answer = await self.insisted("POST", path, {**WHO, "small": True}, {"Idempotency-Key": new_id()})
        if answer.status not in {200, 202}:
            raise RuntimeError(f"the run was refused: {answer}")
        return str(answer.body["id"])

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """Have all in the block done in time. Raises StoodStill, with who was still reading what."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            waiting = [f"{one.root_id} after {one.seen[-1:]}" for one in self.readers if not one.at_end]
            raise StoodStill(f"{waiting}\n{self.place.last_words()}") from None

    def reader(self, run_id: str) -> Reader:
        self.readers.append(Reader(self.place.port, run_id))
        return self.readers[-1]


@asynccontextmanager
async def scene(
    pace: Pace,
    *,
    settings: Mapping[str, str] | None = None,
    database: str | None = None,
    warm: bool = True,
    cradle: Process | None = None,
) -> AsyncIterator[Scene]:
    """A scene in a folder of its own, without a server yet.

    Args:
        pace: of the model.
        database: a URL, where it is not a file in the folder.
        warm: whether servers are forked from a nursery, instead of started as a person starts them.
        cradle: a nursery that is there already.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sprout-faults-")))
        model = await stack.enter_async_context(running_offline_server(SmallPath(), pace=pace, keep_requests=0))
        if warm and cradle is None:
            cradle = await stack.enter_async_context(nursery())
        given = {**(settings or {}), **({"DATABASE_URL": database} if database else {})}
        place = Place(folder, model.base_url, cradle, given)
        stack.push_async_callback(place.emptied)
        yield Scene(place)
