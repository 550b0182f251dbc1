"""D-12: several tabs of a learner change one concept at once; what each is answered must be true in some one order."""

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from faults.figures import Figure
from faults.harness.serial import Deed, serial_order
from faults.harness.world import WHO
from sprout.app import open_app, web_parts
from sprout.config import Settings
from sprout.ids import new_id
from sprout.web.parts import Limits
from sprout.web.routes import web_app
from tests.serving import serving

SEEDS = 300
TABS = 5
DEEDS = 7  # of each tab
TITLES = ("Ray", "Mirror", "Lens")  # few, so that they meet
PROMPTS = ("What is light?", "What is a lens?")
RIGHT, WRONG = "This one", "That one"
MET = "Two changes met"  # what the database has undone by itself; the caller may do it again


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept as requests leave it that come one after another.

    Args:
        parts: (id, title), in the order of creation.
        questions: (id, prompt) of its diagnostic, in their order.
        answers: (id, question, option), oldest first.
    """

    gone: bool = False
    complete: bool = False
    parts: tuple[tuple[str, str], ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[str, str, str], ...] = ()

    @property
    def answered(self) -> int:
        """How many questions have an answer."""
        return len({question for _, question, _ in self.answers})


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the server; `met` says that it has done nothing, because others were at it."""

    status: int
    body: Any
    met: bool


Follows = Callable[[Concept, Reply], Concept | None]


@dataclass(slots=True)
class Outcome:
    """What came of many histories; `anomalies` are those that no order explains, in words."""

    histories: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    met: int = 0
    at_once: int = 0
    anomalies: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Tabs:
    """One concept, what was done to it so far, and what its tabs know by the answers that any of them has got."""

    client: httpx2.AsyncClient
    chance: random.Random
    concept_id: str
    assessment_id: str
    deeds: list[Deed[Concept]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    met: int = 0

    async def play(self) -> None:
        """All tabs at once, each one deed after another."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(TABS):
                tasks.create_task(self._tab())

    async def _tab(self) -> None:
        for _ in range(DEEDS):
            await self.chance.choice(self._possible())()

    def _possible(self) -> Sequence[Callable[[], Awaitable[None]]]:
        always = [self._add, self._add, self._ask, self._listed, self._standing, self._answers, self._delete]
        with_parts = [self._rename, self._rename, self._remove, self._remove] if self.parts else []
        return [*always, *with_parts, *([self._answer] * 3 if self.questions else [])]

    async def _done(
        self, words: str, method: str, path: str, follows: Follows, body: dict[str, Any] | None = None
    ) -> Reply:
        asked_ns = time.monotonic_ns()
        answer = await self.client.request(method, path, json=body)
        answered_ns = time.monotonic_ns()
        content: Any = answer.json() if answer.content else {}
        met = answer.status_code == 503 or (answer.status_code == 409 and MET in content["error"])
        reply = Reply(answer.status_code, content, met)
        self.statuses[f"{words.split(maxsplit=1)[0]} {reply.status}"] += 1
        self.met += met
        said = f"{words} → {reply.status} {content}"[:300]
        self.deeds.append(Deed(said, asked_ns, answered_ns, partial(_after, follows, reply)))
        return reply

    async def _add(self) -> None:
        title = self.chance.choice(TITLES)
        body = {**WHO, "type": "subconcept", "title": title, "parentId": self.concept_id}
        reply = await self._done(f"add {title}", "POST", "/api/nodes", partial(added, title), body)
        if reply.status == 201:
            self.parts.append(reply.body["id"])

    async def _rename(self) -> None:
        part, title = self.chance.choice(self.parts), self.chance.choice(TITLES)
        follows = partial(renamed, part, title)
        await self._done(f"rename {part} {title}", "PATCH", f"/api/nodes/{part}", follows, {"title": title})

    async def _remove(self) -> None:
        part = self.chance.choice(self.parts)
        await self._done(f"remove {part}", "DELETE", f"/api/nodes/{part}", partial(removed, part))

    async def _delete(self) -> None:
        if self.chance.random() < 0.3:  # all that follows has nothing to do any more
            await self._done("delete", "DELETE", f"/api/nodes/{self.concept_id}", deleted)

    async def _listed(self) -> None:
        await self._done("list", "GET", f"/api/nodes/{self.concept_id}/children", listed)

    async def _ask(self) -> None:
        prompt = self.chance.choice(PROMPTS)
        body = {"format": "mcq", "prompt": prompt, "options": [RIGHT, WRONG], "correctAnswer": RIGHT}
        path = f"/api/assessments/{self.assessment_id}/questions"
        reply = await self._done(f"ask {prompt}", "POST", path, partial(asked, prompt), body)
        if reply.status == 201:
            self.questions.append(reply.body["id"])

    async def _answer(self) -> None:
        question, option = self.chance.choice(self.questions), self.chance.choice([RIGHT, WRONG])
        body = {**WHO, "questionId": question, "selectedOption": option}
        path, follows = f"/api/assessments/{self.assessment_id}/answers", partial(answered, question, option)
        await self._done(f"answer {question} {option}", "POST", path, follows, body)

    async def _standing(self) -> None:
        path = f"/api/agents/concepts/{self.concept_id}/diagnostic?userId={WHO['userId']}"
        await self._done("standing", "GET", path, standing)

    async def _answers(self) -> None:
        await self._done("answers", "GET", f"/api/assessments/{self.assessment_id}/answers", all_answers)


def _after(follows: Follows, reply: Reply, concept: Concept) -> Concept | None:
    return concept if reply.met else follows(concept, reply)


def added(title: str, concept: Concept, reply: Reply) -> Concept | None:
    if concept.gone:
        return _if(reply.status == 404, concept)
    if any(title == taken for _, taken in concept.parts):
        return _if(reply.status == 409, concept)
    if reply.status != 201 or reply.body["title"] != title:
        return None
    return replace(concept, parts=(*concept.parts, (reply.body["id"], title)))


def renamed(part: str, title: str, concept: Concept, reply: Reply) -> Concept | None:
    if all(part != one for one, _ in concept.parts):
        return _if(reply.status == 404, concept)
    if any(title == taken and part != one for one, taken in concept.parts):
        return _if(reply.status == 409, concept)
    if reply.status != 200 or reply.body["title"] != title:
        return None
    return replace(concept, parts=tuple((one, title if one == part else named) for one, named in concept.parts))


def removed(part: str, concept: Concept, reply: Reply) -> Concept | None:
    left = tuple(one for one in concept.parts if one[0] != part)
    return _if(reply.status == 204, replace(concept, parts=left))


def deleted(concept: Concept, reply: Reply) -> Concept | None:
    if concept.parts:
        return _if(reply.status == 409, concept)
    return _if(reply.status == 204, Concept(gone=True))


def listed(concept: Concept, reply: Reply) -> Concept | None:
    return _if(reply.status == 200 and _pairs(reply.body, "id", "title") == concept.parts, concept)


def asked(prompt: str, concept: Concept, reply: Reply) -> Concept | None:
    if concept.gone:
        return _if(reply.status == 404, concept)
    if any(prompt == there for _, there in concept.questions):
        return _if(reply.status == 409, concept)
    if reply.status != 201:
        return None
    return replace(concept, questions=(*concept.questions, (reply.body["id"], prompt)))


def answered(question: str, option: str, concept: Concept, reply: Reply) -> Concept | None:
    if all(question != one for one, _ in concept.questions):
        return _if(reply.status == 404, concept)
    if reply.status != 201 or reply.body["isCorrect"] is not (option == RIGHT):
        return None
    before = [(answer, chosen) for answer, about, chosen in concept.answers if about == question]
    if before and before[-1][1] == option:  # sent twice, it is one answer
        return _if(reply.body["id"] == before[-1][0], concept)
    after = replace(concept, answers=(*concept.answers, (reply.body["id"], question, option)))
    return replace(after, complete=concept.complete or after.answered == len(after.questions))


def all_answers(concept: Concept, reply: Reply) -> Concept | None:
    if concept.gone:
        return _if(reply.status == 404, concept)
    kept = tuple((answer, question) for answer, question, _ in concept.answers)
    return _if(reply.status == 200 and _pairs(reply.body, "id", "questionId") == kept, concept)


def standing(concept: Concept, reply: Reply) -> Concept | None:
    if concept.gone:
        return _if(reply.status == 404, concept)
    if reply.status != 200:
        return None
    asked_and_answered = (reply.body["requiredAnswers"], reply.body["answeredCount"])
    done = concept.complete or 0 < len(concept.questions) <= concept.answered
    same = asked_and_answered == (len(concept.questions), concept.answered) and reply.body["isComplete"] is done
    return _if(same and _pairs(reply.body["questions"], "id", "prompt") == concept.questions, concept)


def _if(holds: bool, concept: Concept) -> Concept | None:
    return concept if holds else None


def _pairs(rows: list[dict[str, Any]], first: str, second: str) -> tuple[tuple[str, str], ...]:
    return tuple((row[first], row[second]) for row in rows)


async def histories(seed: int = 1, seeds: int = SEEDS) -> list[Figure]:
    """D-12: five tabs of a learner at one concept, thousands of requests, over HTTP on SQLite."""
    with tempfile.TemporaryDirectory(prefix="sprout-histories-") as folder:
        outcome = await explained(range(seed, seed + seeds), Path(folder))
    return [
        Figure("histories", "histories, requests", f"{outcome.histories}, {outcome.statuses.total():,}"),
        Figure("histories", "answers while others waited for theirs", f"{outcome.at_once:,}"),
        Figure("histories", "undone by the database, to be done again", f"{outcome.met:,}"),
        *(Figure("histories", what, f"{count:,}") for what, count in sorted(outcome.statuses.items())),
        Figure("histories", "explained by no order", f"{len(outcome.anomalies)}", not outcome.anomalies),
        *(Figure("histories", "anomaly", words, False) for words in outcome.anomalies[:5]),
    ]


async def explained(seeds: Sequence[int], folder: Path, *, database_url: str = "") -> Outcome:
    """Play these seeds on a server, each with a concept of its own, and look for an order of what each has done."""
    outcome = Outcome()
    async with _served(folder, database_url) as client:
        for seed in seeds:
            tabs = await _begun(client, random.Random(seed))
            await tabs.play()
            _judge(seed, tabs, outcome)
    return outcome


def _judge(seed: int, tabs: Tabs, outcome: Outcome) -> None:
    deeds = sorted(tabs.deeds, key=lambda deed: deed.asked_ns)
    outcome.histories += 1
    outcome.statuses += tabs.statuses
    outcome.met += tabs.met
    outcome.at_once += sum(
        any(other.asked_ns < deed.answered_ns < other.answered_ns for other in deeds) for deed in deeds
    )
    if serial_order(deeds, Concept()) is None:
        lines = [f"{deed.asked_ns - deeds[0].asked_ns:>12} {deed.words}" for deed in deeds]
        outcome.anomalies.append("\n".join([f"seed {seed}", *lines]))


async def _begun(client: httpx2.AsyncClient, chance: random.Random) -> Tabs:
    branch = await _made(client, "/api/branches", {"title": new_id()})
    root = await _made(client, "/api/nodes", {"type": "root", "title": "Light", "branchId": branch})
    concept = await _made(client, "/api/nodes", {"type": "concept", "title": "Rays", "parentId": root})
    diagnostic = await _made(client, "/api/assessments", {"type": "diagnostic", "targetNodeId": concept})
    return Tabs(client, chance, concept, diagnostic)


async def _made(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> str:
    answer = await client.post(path, json={**WHO, **body})
    answer.raise_for_status()
    return str(answer.json()["id"])


@asynccontextmanager
async def _served(folder: Path, database_url: str) -> AsyncIterator[httpx2.AsyncClient]:
    """The whole application, over HTTP."""
    settings = Settings.model_validate({"data_dir": folder, "DATABASE_URL": database_url or None})
    async with (
        open_app(settings) as sprout,
        serving(web_app(replace(web_parts(sprout), limits=Limits()))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=60.0) as client,
    ):
        yield client


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"histories": histories}
