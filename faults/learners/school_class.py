"""A class of 35 at once: its pupils sign in, join by code and take one lesson each under the budget of the class."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from faults.core.loop_faults import ProofFigure
from faults.learners.pupil import Pupil
from faults.learners.pupil_pages import open_given_path, open_pages, sign_in_on
from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.offline.courses.catalogue import courses
from sprout.offline.demo.router import demo_model
from sprout.offline.server import running_offline_server

PUPILS = 35
AT_PAGES = 3
SIGN_IN_S = 60.0
MOST_GIVINGS = 12
MOST_UNFAIR = 2.0  # times the wait of half of them
BUDGET = {"usdPerDay": 100.0, "usdPerMonth": 100.0, "tokensPerDay": None, "tokensPerMonth": None}
PRICED_MODEL = "claude-opus-5"
CENT = 0.01
TEACHER = "tess"


@dataclass(slots=True)
class ClassOutcome:
    """Outcome of a class.

    Args:
        runs: the runs of all pupils, with what each has cost.
        budget: the budget of the class, and `page` its page, as its teacher reads them at the end.
        page_s: how long the page took.
    """

    pupils: Sequence[Pupil] = ()
    sign_in_s: float = 0.0
    lessons_s: float = 0.0
    page_s: float = 0.0
    runs: list[dict[str, Any]] = field(default_factory=list)
    budget: dict[str, Any] = field(default_factory=dict)
    page: dict[str, Any] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)

    @property
    def cost_usd(self) -> float:
        return sum(float(one["usage"]["costUsd"]) for one in self.runs)

    @property
    def tokens(self) -> int:
        """Of all runs, as a budget counts them."""
        parts = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
        return sum(one["usage"][part] for one in self.runs for part in parts)

    @property
    def unfairness(self) -> float:
        """The longest of the pupils' mean waits, in those of half of them."""
        waits = [one.wait_s for one in self.pupils]
        return max(waits) / statistics.median(waits)

    def faults(self) -> list[str]:
        """Faults that no slow machine explains."""
        found = list(self.foreign)
        if abs(self.cost_usd - self.budget["today"]["usd"]) >= CENT or not self.cost_usd:
            found.append(f"the runs cost ${self.cost_usd:.6f}, the class ${self.budget['today']['usd']:.6f}")
        if self.tokens != self.budget["today"]["tokens"]:
            found.append(f"the runs took {self.tokens} tokens, the class {self.budget['today']['tokens']}")
        found += [f"a run of {one['agent']} {one['state']}" for one in self.runs if one["state"] != "completed"]
        rows = {row["userId"]: row for row in self.page["learners"]}
        found += [f"{one.name}: {words}" for one in self.pupils for words in _page_faults(rows.get(one.user_id))]
        return found


def _page_faults(row: dict[str, Any] | None) -> list[str]:
    if row is None:
        return ["not on the page of the class"]
    seen = {"a copy": row["hasCopy"], "a last visit": row["lastActiveAt"], "study time": row["studySeconds"]}
    seen["a concept that is begun"] = any(state not in ("ready", "locked", None) for state in row["states"])
    return [f"has no {name} on the page of the class" for name, there in seen.items() if not there]


async def school_class(count: int = PUPILS) -> list[ProofFigure]:
    """A class at once, three of it in browsers: what its runs cost together, who waits how long, who sees what."""
    outcome = await teach_class(count, at_pages=AT_PAGES)
    faults = outcome.faults()
    usd = outcome.budget["today"]["usd"]
    return [
        ProofFigure("class", "pupils", f"{len(outcome.pupils)}", len(outcome.pupils) == count),
        ProofFigure("class", "until all are signed in", f"{outcome.sign_in_s:.1f} s", outcome.sign_in_s < SIGN_IN_S),
        ProofFigure("class", "until all have taken a lesson", f"{outcome.lessons_s:.1f} s"),
        ProofFigure("class", "answers", f"{sum(one.answers for one in outcome.pupils):,}"),
        ProofFigure("class", "runs, all completed", f"{len(outcome.runs)}"),
        ProofFigure("class", "cost of the runs, and of the class", f"${outcome.cost_usd:.4f} = ${usd:.4f}"),
        ProofFigure(
            "class",
            "longest mean wait of a turn, in those of half of them",
            f"{outcome.unfairness:.2f}",
            outcome.unfairness <= MOST_UNFAIR,
        ),
        ProofFigure("class", "page of the class", f"{outcome.page_s * 1_000:.0f} ms"),
        ProofFigure("class", "faults", f"{len(faults)}", not faults),
        *(ProofFigure("class", "fault", fault, False) for fault in faults[:20]),
    ]


async def teach_class(count: int, *, at_pages: int = 0) -> ClassOutcome:
    """So many pupils at once: signed in, joined, taught, and what the teacher and they see then.

    Args:
        at_pages: how many of them have the page open in a real browser.
    """
    outcome = ClassOutcome()
    async with _serve() as server, open_pages(server.origin, at_pages) as pages:
        teacher = await server.sign_in(TEACHER)
        class_address, code = await _make_class(teacher, count)
        outcome.pupils = pupils = [await _pupil(server, number) for number in range(count)]
        at_their_pages = [*zip(pages, pupils, strict=False)]
        signing_in = [one.sign_in() for one in pupils[len(pages) :]]
        outcome.sign_in_s = await _all_at_once([*signing_in, *(sign_in_on(*one) for one in at_their_pages)])
        await _all_at_once([one.join(code) for one in pupils])
        given = await _give_course(teacher, class_address)
        await _all_at_once([one.open_path() for one in pupils])
        await _all_at_once([open_given_path(*one) for one in at_their_pages])
        outcome.lessons_s = await _all_at_once([one.learn() for one in pupils])
        await _all_at_once([one.look_around() for one in pupils])
        await _all_at_once([open_given_path(*one) for one in at_their_pages])
        await _read_as_teacher(teacher, class_address, given, outcome)
    outcome.foreign += [fault for one in pupils for fault in _foreign(one, pupils)]
    return outcome


@asynccontextmanager
async def _serve() -> AsyncIterator[SignInServer]:
    """A server whose model is the offline one under a name that has a price."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sprout-class-"))
        model = await stack.enter_async_context(running_offline_server(demo_model(), keep_requests=0))
        settings: dict[str, Any] = {"api_key": "a-key", "base_url": model.base_url, "model": PRICED_MODEL}
        server = await stack.enter_async_context(serving_sign_in(Path(folder), **settings))
        await server.add_person(TEACHER, AccountRole.TEACHER)
        yield server


async def _make_class(teacher: httpx2.AsyncClient, count: int) -> tuple[str, str]:
    """The address of a class with its budget, and its code."""
    made = (await teacher.post("/api/classes", json={"name": "10b"})).raise_for_status().json()
    address = f"/api/classes/{made['id']}"
    (await teacher.put(f"{address}/budget", json=BUDGET)).raise_for_status()
    code = await teacher.post(f"{address}/code", json={"uses": count})
    return address, str(code.raise_for_status().json()["code"]["code"])


async def _pupil(server: SignInServer, number: int) -> Pupil:
    name = f"pupil-{number:02}"
    await server.add_person(name)
    return Pupil(name, f"Canary{number:02}Lesson", await server.browser())


async def _give_course(teacher: httpx2.AsyncClient, class_address: str) -> str:
    """Grow the path of a course that the offline model knows, and give it; the id of what is given.

    A request waits for the copies for ten seconds, and so does the same one again. Raises TimeoutError.
    """
    title = courses()[0].title
    branch = (await teacher.post("/api/branches", json={"title": title})).raise_for_status().json()
    new = {"type": "root", "title": title, "branchId": branch["id"]}
    root = (await teacher.post("/api/nodes", json=new)).raise_for_status().json()
    (await teacher.post(f"/api/agents/topics/{root['id']}/run", json={})).raise_for_status()
    for _ in range(MOST_GIVINGS):
        answer = await teacher.post(f"{class_address}/paths", json={"branchId": branch["id"]})
        given = answer.raise_for_status().json()
        if not given["waiting"]:
            return str(given["id"])
    raise TimeoutError(f"{given['waiting']} pupils have no copy yet")


async def _all_at_once(deeds: Sequence[Awaitable[None]]) -> float:
    """Seconds until all are done. Raises what one of them raises."""
    began_s = time.monotonic()
    await asyncio.gather(*deeds)
    return time.monotonic() - began_s


async def _read_as_teacher(
    teacher: httpx2.AsyncClient, class_address: str, given_id: str, outcome: ClassOutcome
) -> None:
    for one in outcome.pupils:
        outcome.runs += await one.get("/api/runs")
    outcome.budget = (await teacher.get(f"{class_address}/budget")).raise_for_status().json()
    began_s = time.monotonic()
    answer = (await teacher.get(f"{class_address}/paths/{given_id}/progress")).raise_for_status()
    outcome.page_s = time.monotonic() - began_s
    outcome.page = answer.json()
    desk = (await teacher.get(f"{class_address}/desk")).raise_for_status().text
    outcome.foreign += [
        f"the teacher reads what {one.name} said" for one in outcome.pupils if one.word in answer.text + desk
    ]


def _foreign(pupil: Pupil, pupils: Sequence[Pupil]) -> list[str]:
    """Things of another pupil that a pupil has read: name, id, path or word."""
    read = "\n".join(pupil.read)
    others = [other for other in pupils if other is not pupil]
    marks = [(other, mark) for other in others for mark in (other.name, other.user_id, other.branch_id, other.word)]
    found = [f"{pupil.name} reads {mark} of {other.name}" for other, mark in marks if mark in read]
    return found if pupil.word in read else [*found, f"{pupil.name} does not read what they wrote themselves"]


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"class": school_class}
