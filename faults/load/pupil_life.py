"""Life of a pupil from the code of the class to the deletion of the account, with all that a pupil does in between."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from faults.learners.pupil import Pupil
from sprout.offline.courses.catalogue import courses

POLL_S = 0.2
WAIT_S = 60.0
EVENTS_BEFORE_THE_CUT = 20
NOTES = "".join(
    f"# Part {number}\n\nA **term {number}** is what this part is about, and it is explained here at some length.\n\n"
    for number in range(1, 20)
).encode()


@dataclass(slots=True)
class LifeFigures:
    """Totals of all lives.

    Args:
        turns_s: how long each turn of a lesson took.
        faults: what ended a life early.
    """

    lives: int = 0
    answers: int = 0
    events: int = 0
    resumed_streams: int = 0
    turns_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


async def live(number: int, browser: httpx2.AsyncClient, code: str, figures: LifeFigures) -> None:
    """One life; what goes wrong in it is noted in `figures`."""
    pupil = Pupil(f"pupil {number}", f"Canary{number}", browser)
    try:
        async with asyncio.timeout(2 * WAIT_S):
            await pupil.post("/api/sign-in/class", {"code": code, "nickname": pupil.name})
            await pupil.recognise()
            async with _open_stream(browser, figures):
                await _wait_for_copy(pupil)
                await pupil.learn()
                await pupil.look_around()
                await _grow_own_path(pupil, figures)
            (await browser.delete("/api/learner", params={"confirm": "delete everything"})).raise_for_status()
    except (RuntimeError, TimeoutError, httpx2.HTTPError) as error:
        figures.faults.append(f"{pupil.name}: {type(error).__name__}: {error}")
    figures.lives += 1
    figures.answers += pupil.answers
    figures.turns_s += pupil.waits_s


@asynccontextmanager
async def _open_stream(browser: httpx2.AsyncClient, figures: LifeFigures) -> AsyncIterator[None]:
    """The pupil's page follows all of their runs meanwhile, as an open tab does."""
    following = asyncio.create_task(_follow(browser, "/api/events", figures))
    try:
        yield
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following


async def _follow(browser: httpx2.AsyncClient, address: str, figures: LifeFigures, most: int | None = None) -> str:
    """Read a stream to its end, or until so many events; the id of the last one."""
    last, count = "", 0
    async with browser.stream("GET", address, timeout=WAIT_S) as stream:
        async for line in stream.raise_for_status().aiter_lines():
            if line.startswith("id: "):
                last, count = line[4:], count + 1
                figures.events += 1
                if count == most:
                    break
    return last


async def _wait_for_copy(pupil: Pupil) -> None:
    """The path of the class is copied for a pupil who joins, in the background. Raises TimeoutError."""
    await _poll(pupil, "/api/account/paths", lambda given: given["branchId"] is not None)
    await pupil.open_path()


async def _grow_own_path(pupil: Pupil, figures: LifeFigures) -> None:
    """A path that is stopped while it grows, grown again, read across a cut, and gets notes and loses them."""
    title = courses()[1].title
    branch = await pupil.post("/api/branches", {"title": title})
    root = await pupil.post("/api/nodes", {"type": "root", "title": title, "branchId": branch["id"]})
    address = f"/api/agents/topics/{root['id']}/run?wait=false"
    run = await pupil.post(address, {"small": True})
    await _follow(pupil.browser, f"/api/runs/{run['id']}/events", figures, EVENTS_BEFORE_THE_CUT)
    await pupil.post(f"/api/runs/{run['id']}/cancel", {})
    await _follow(pupil.browser, f"/api/runs/{run['id']}/events", figures)
    again = await pupil.post(address, {"small": True})
    events = f"/api/runs/{again['id']}/events"
    place = await _follow(pupil.browser, events, figures, EVENTS_BEFORE_THE_CUT)
    await _follow(pupil.browser, f"{events}?after={place}", figures)
    figures.resumed_streams += 1
    await _upload_and_delete(pupil, f"/api/nodes/{root['id']}/documents")


async def _upload_and_delete(pupil: Pupil, address: str) -> None:
    files = [("files", ("notes.md", NOTES, "text/markdown"))]
    (await pupil.browser.post(address, files=files)).raise_for_status()
    document = await _poll(pupil, address, lambda one: one["extractionStatus"] != "pending")
    if document["extractionStatus"] != "completed":
        raise RuntimeError(f"a document was not read: {document['extractionError']}")
    (await pupil.browser.delete(f"{address}/{document['id']}")).raise_for_status()


async def _poll(pupil: Pupil, address: str, is_ready: Callable[[Any], bool]) -> Any:
    """The only one of a list, as soon as it is there and ready. Raises TimeoutError."""
    async with asyncio.timeout(WAIT_S):
        while True:
            found = await pupil.get(address)
            if found and is_ready(found[0]):
                return found[0]
            await asyncio.sleep(POLL_S)
