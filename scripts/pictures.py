"""The README's pictures, taken anew from a running Sprout: `python -m scripts.pictures` (needs Chromium).

`python -m scripts.pictures class` takes that of the class alone.
"""

import asyncio
import json
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
from PIL import Image
from playwright.async_api import Browser, Page, expect

from harness.browser import chromium, open_page
from harness.journeys.learner import (
    GrownCourse,
    fill_gap,
    right_answer,
    submit_answer,
    wait_for_question,
    wrong_answers,
)
from harness.journeys.sprout_server import COURSE, SproutServer, start_server
from harness.servers.signed_in import PASSWORD, SignInServer, serving_sign_in, unlimited
from sprout.accounts.principal import AccountRole

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WINDOW, SHOWN = (1200, 760), (900, 570)  # pixels
# The built-in model, as a reader has it who starts Sprout without a key.
LEISURELY: dict[str, Any] = {"base_url": None, "api_key": None, "offline_tokens_per_s": 260}
FRAME_S, FRAME_MS, LAST_MS = 0.4, 300, 3_000
MOST_FRAMES = 60
MOST_ASKED = 300
SLOWEST_MS = 60_000
LESSON = "A percentage is a count out of a hundred"
PUPILS = "Ada Ben Carla Deniz Emil Finn Greta Hana Ida Jonas Kofi Lea Mila Noor Oskar Pia Rosa Sami Tom Uma".split()


async def main(*, class_alone: bool) -> None:
    """Take the animation and the three pictures."""
    expect.set_options(timeout=SLOWEST_MS)
    async with chromium() as browser:
        if not class_alone:
            with tempfile.TemporaryDirectory() as folder:
                await _take_path_and_lesson(browser, Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            await _take_class(browser, Path(folder))


async def _take_path_and_lesson(browser: Browser, folder: Path) -> None:
    async with (
        start_server(folder, f"sqlite:///{folder}/sprout.sqlite3", **LEISURELY) as server,
        open_page(browser, server.url, size=WINDOW, motion=True) as page,
    ):
        await page.get_by_label("Topic, question or exam").fill(COURSE)
        await page.wait_for_load_state("networkidle")
        frames = [await _frame(page)]
        await page.get_by_role("button", name="Grow a path").click()
        frames += [frame async for frame in _frames_until_grown(page, server)]
        await page.reload()
        await page.locator(".btn.go:visible").first.wait_for()
        await page.get_by_role("link", name="Find out").wait_for()
        await page.screenshot(path=IMAGES / "path.png")
        frames += [await _frame(page)]
        course = GrownCourse(server, await server.graph())
        await page.goto(course.lesson(LESSON))
        first = await fill_gap(page)
        frames += [await _frame(page)]
        await submit_answer(page, wrong_answers(first)[0])
        await page.get_by_text("Hint 1 of 4").first.wait_for()
        await page.screenshot(path=IMAGES / "lesson.png")
        frames += [await _frame(page)]
        await submit_answer(page, right_answer(first))
        await wait_for_question(page)
        frames += [await _frame(page)]
    _write_animation(frames, IMAGES / "growing.webp")


async def _frames_until_grown(page: Page, server: SproutServer) -> AsyncIterator[Image.Image]:
    """A frame of the page every so often while the path grows."""
    for _ in range(MOST_FRAMES):
        await asyncio.sleep(FRAME_S)
        yield await _frame(page)
        if await server.paths() and (await server.last_run())["endedAt"]:
            return


async def _frame(page: Page) -> Image.Image:
    shot = Image.open(BytesIO(await page.screenshot()))
    return shot.convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS)


def _write_animation(frames: Sequence[Image.Image], to: Path) -> None:
    durations = [FRAME_MS] * (len(frames) - 5) + [LAST_MS] * 5  # what is grown, and the lesson, are to be read
    first, *others = frames
    first.save(to, save_all=True, append_images=others, duration=durations, loop=0, quality=72, method=6)


async def _take_class(browser: Browser, folder: Path) -> None:
    chance = random.Random(3)
    async with (
        _serving_class(folder) as (server, class_id, pupils),
        open_page(browser, server.origin, size=WINDOW, allow=("Failed to load resource",)) as page,
    ):
        for pupil in pupils:
            await _learn(pupil, chance.uniform(0.3, 1.0), chance)
        await page.get_by_label("Name", exact=True).fill("tess")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await page.get_by_role("link", name="Classes").wait_for()
        await page.goto(f"{server.origin}/classes/{class_id}")
        await page.get_by_role("grid").wait_for()
        await page.screenshot(path=IMAGES / "class.png")


@asynccontextmanager
async def _serving_class(folder: Path) -> AsyncIterator[tuple[SignInServer, str, list[httpx2.AsyncClient]]]:
    """A server with a teacher's class, whose pupils each have a copy of a path, and the browsers of the pupils."""
    async with serving_sign_in(folder, f"sqlite:///{folder}/sprout.sqlite3", take_token=unlimited) as server:
        await server.add_person("tess", AccountRole.TEACHER)
        tess = await server.sign_in("tess")
        branch = await _post(tess, "/api/branches", title=COURSE)
        root = await _post(tess, "/api/nodes", type="root", title=COURSE, branchId=branch["id"])
        await tess.post(f"/api/agents/topics/{root['id']}/run", json={"small": False}, timeout=300)
        made = await _post(tess, "/api/classes", name="Statistics, year 10")
        code = (await _post(tess, f"/api/classes/{made['id']}/code"))["code"]["code"]
        pupils = []
        for name in PUPILS:
            pupils.append(await server.browser())
            await _post(pupils[-1], "/api/sign-in/class", code=code, nickname=name)
        await _post(tess, f"/api/classes/{made['id']}/paths", branchId=branch["id"])
        for pupil in pupils:
            await _wait_for_copy(pupil)
        yield server, made["id"], pupils


async def _wait_for_copy(pupil: httpx2.AsyncClient) -> None:
    """Wait until a pupil has the path: copies that the request has no time for follow a little later."""
    for _ in range(MOST_ASKED):
        if (await pupil.get("/api/account/paths")).raise_for_status().json():
            return
        await asyncio.sleep(FRAME_S)
    raise TimeoutError("a pupil was not given the path")


async def _learn(pupil: httpx2.AsyncClient, ability: float, chance: random.Random) -> None:
    """Take the diagnostics of some concepts: the choices, a share of them rightly; the others are skipped."""
    for diagnostic in (await pupil.get("/api/assessments")).raise_for_status().json()[: chance.randint(1, 5)]:
        address = f"/api/assessments/{diagnostic['id']}"
        for question in (await pupil.get(f"{address}/questions")).raise_for_status().json():
            right = right_answer(question["prompt"])
            wrong = [option for option in json.loads(question["options"] or "[]") if option != right]
            if not wrong:
                await _post(pupil, f"/api/questions/{question['id']}/skip")
                continue
            chosen = right if chance.random() < ability else chance.choice(wrong)
            await _post(pupil, f"{address}/answers", questionId=question["id"], selectedOption=chosen)


async def _post(client: httpx2.AsyncClient, path: str, **body: Any) -> dict[str, Any]:
    answer = await client.post(path, json=body)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


if __name__ == "__main__":
    asyncio.run(main(class_alone=sys.argv[1:] == ["class"]))
