"""Scrolling of a long lesson transcript in a real Chromium: frame times and the page's own work."""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.browser.chromium import benchmark_browser
from bench.servers.processes import sprout_server
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.engine.database import open_database
from sprout.store.engine.migrate import upgrade
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.columns import TableModel

MESSAGES = 500
SIZES = {"wide": (1440, 900), "phone": (360, 740)}
RUN_TASK = "ThreadControllerImpl::RunTask"
NO_MODEL = "http://127.0.0.1:9"
TUTOR_TEXT = """Take **{n} people**. One in ten of them is ill, and the test finds nine of ten.

- {n} people, of whom {tenth} are ill
- *found*: nine of ten, missed: one

| who | how many |
| --- | --- |
| ill | {tenth} |

```python
ill = {n} // 10
```

So a positive result says less than it seems to: there are simply few ill people to find."""
SCROLL = """async () => {
  const page = document.scrollingElement, frames = [];
  const frame = () => new Promise(requestAnimationFrame);
  let last = await frame();
  for (const step of [-90, 90]) {
    let before = NaN;
    while (page.scrollTop !== before) {
      before = page.scrollTop;
      scrollBy(0, step);
      const now = await frame();
      frames.push(now - last);
      last = now;
    }
  }
  return frames;
}"""


@dataclass(frozen=True, slots=True)
class ScrollTimes:
    """Milliseconds.

    Args:
        frames_ms: between two frames, so what else the machine does is in it.
        tasks_ms: the processor's time of each task of the page's main thread, whatever the machine does beside.
        shown_ms: until all stood there.
    """

    frames_ms: tuple[float, ...]
    tasks_ms: tuple[float, ...]
    shown_ms: float

    def quantile(self, share: float) -> float:
        """Quantile of the frame times: the longest among this share of the frames."""
        return sorted(self.frames_ms)[int(share * (len(self.frames_ms) - 1))]


async def measure_scrolling() -> dict[str, ScrollTimes]:
    """From the newest message up to the first and back, 90 px a frame, for each size of screen."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        address = await _create_lesson(Path(folder))
        async with sprout_server(NO_MODEL, Path(folder), note_taking=False) as server, benchmark_browser() as browser:
            found = {}
            for name, (width, height) in SIZES.items():
                page = await browser.new_page(viewport={"width": width, "height": height})
                await page.goto(f"{server.url}{address}")
                await page.wait_for_function("(n) => document.querySelectorAll('.msg, .me').length === n", arg=MESSAGES)
                shown_ms = float(await page.evaluate("performance.now()"))
                await browser.start_tracing(page=page, categories=["toplevel"])
                frames_ms = await page.evaluate(SCROLL)
                trace = json.loads(await browser.stop_tracing())["traceEvents"]
                found[name] = ScrollTimes(tuple(frames_ms), _tasks_ms(trace), shown_ms)
                await page.close()
            return found


def _tasks_ms(trace: Sequence[dict[str, Any]]) -> tuple[float, ...]:
    main = {(one["pid"], one["tid"]) for one in trace if one.get("args", {}).get("name") == "CrRendererMain"}
    tasks = (one for one in trace if one["name"] == RUN_TASK and (one["pid"], one["tid"]) in main)
    return tuple(one["tdur"] / 1_000 for one in tasks if "tdur" in one)


async def _create_lesson(folder: Path) -> str:
    """Make a database with a lesson that goes on; the address of its page."""
    url = f"sqlite:///{folder / 'sprout.sqlite3'}"
    await asyncio.to_thread(upgrade, url)
    branch, root, concept, part, session = (new_id() for _ in range(5))

    me = DEFAULT_USER_ID

    def body(write: WriteTransaction) -> None:
        def add(row: TableModel) -> None:
            write.session.add(row)
            write.session.flush()  # each stands on the one before it, and they are numbered in this order

        add(tables.User(id=me))
        add(tables.Branch(id=branch, title="Testing", user_id=me))
        for kind, node, parent in (("root", root, None), ("concept", concept, root), ("subconcept", part, concept)):
            add(
                tables.Node(
                    id=node, type=kind, title=kind, title_key=kind, branch_id=branch, parent_id=parent, user_id=me
                )
            )
        add(tables.ChatSession(id=session, node_id=part, started_at=utc_now(), user_id=me))
        for number in range(1, MESSAGES // 2 + 1):
            taught = TUTOR_TEXT.format(n=100 * number, tenth=10 * number)
            for role, content in (("assistant", taught), ("user", "[ANSWER]\nMode: text\nLess than it seems to.")):
                add(tables.ChatMessage(id=new_id(), session_id=session, role=role, content=content, user_id=me))

    async with open_database(url) as database:
        await database.write_tx(body)
    return f"/paths/{branch}/concepts/{concept}/learn/{part}"
