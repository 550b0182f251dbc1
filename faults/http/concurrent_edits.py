"""Several tabs of a learner change one concept at once; what each is answered must be true in some one order."""

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

from faults.core.loop_faults import ProofFigure
from harness.invariants.linearizability import HistoryOperation, linearize
from harness.requests.seeded_world import USER
from harness.servers.in_process import serve_app
from harness.servers.limited_web import with_limits
from sprout.app import open_app, web_dependencies
from sprout.config import Settings
from sprout.ids import new_id
from sprout.web.http.limits import WebLimits
from sprout.web.routes import web_app

SEEDS = 300
TABS = 5
OPERATIONS = 7  # of each tab
TITLES = ("Ray", "Mirror", "Lens")  # few, so that they meet
PROMPTS = ("What is light?", "What is a lens?")
RIGHT, WRONG = "This one", "That one"
CONFLICT_MESSAGE = "Two changes met"  # what the database has undone by itself; the caller may do it again


@dataclass(frozen=True, slots=True)
class ConceptState:
    """A concept as requests leave it that come one after another.

    Args:
        parts: (id, title), in the order of creation.
        questions: (id, prompt) of its diagnostic, in their order.
        answers: (id, question, option), oldest first.
    """

    deleted: bool = False
    complete: bool = False
    parts: tuple[tuple[str, str], ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[str, str, str], ...] = ()

    @property
    def answered(self) -> int:
        """Number of answered questions."""
        return len({question for _, question, _ in self.answers})


@dataclass(frozen=True, slots=True)
class ServerReply:
    """An answer of the server; `met` says that it has done nothing, because others were at it."""

    status: int
    body: Any
    conflicted: bool


Transition = Callable[[ConceptState, ServerReply], ConceptState | None]


@dataclass(slots=True)
class HistoryOutcome:
    """Outcome of the histories; `anomalies` describes those that no sequential order explains."""

    histories: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    conflicts: int = 0
    concurrent: int = 0
    anomalies: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ConcurrentTabs:
    """One concept, what was done to it so far, and what its tabs know by the answers that any of them has got."""

    client: httpx2.AsyncClient
    chance: random.Random
    concept_id: str
    assessment_id: str
    operations: list[HistoryOperation[ConceptState]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    conflicts: int = 0

    async def play(self) -> None:
        """All tabs at once, each one deed after another."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(TABS):
                tasks.create_task(self._tab())

    async def _tab(self) -> None:
        for _ in range(OPERATIONS):
            await self.chance.choice(self._possible_actions())()

    def _possible_actions(self) -> Sequence[Callable[[], Awaitable[None]]]:
        always = [self._add, self._add, self._ask, self._list, self._get_standing, self._answers, self._delete]
        with_parts = [self._rename, self._rename, self._remove, self._remove] if self.parts else []
        return [*always, *with_parts, *([self._answer] * 3 if self.questions else [])]

    async def _perform(
        self, words: str, method: str, path: str, follows: Transition, body: dict[str, Any] | None = None
    ) -> ServerReply:
        asked_ns = time.monotonic_ns()
        answer = await self.client.request(method, path, json=body)
        answered_ns = time.monotonic_ns()
        content: Any = answer.json() if answer.content else {}
        met = answer.status_code == 503 or (answer.status_code == 409 and CONFLICT_MESSAGE in content["error"])
        reply = ServerReply(answer.status_code, content, met)
        self.statuses[f"{words.split(maxsplit=1)[0]} {reply.status}"] += 1
        self.conflicts += met
        observed = f"{words} → {reply.status} {content}"[:300]
        self.operations.append(HistoryOperation(observed, asked_ns, answered_ns, partial(_apply, follows, reply)))
        return reply

    async def _add(self) -> None:
        title = self.chance.choice(TITLES)
        body = {**USER, "type": "subconcept", "title": title, "parentId": self.concept_id}
        reply = await self._perform(f"add {title}", "POST", "/api/nodes", partial(apply_add, title), body)
        if reply.status == 201:
            self.parts.append(reply.body["id"])

    async def _rename(self) -> None:
        part, title = self.chance.choice(self.parts), self.chance.choice(TITLES)
        follows = partial(apply_rename, part, title)
        await self._perform(f"rename {part} {title}", "PATCH", f"/api/nodes/{part}", follows, {"title": title})

    async def _remove(self) -> None:
        part = self.chance.choice(self.parts)
        await self._perform(f"remove {part}", "DELETE", f"/api/nodes/{part}", partial(apply_remove, part))

    async def _delete(self) -> None:
        if self.chance.random() < 0.3:  # all that follows has nothing to do any more
            await self._perform("delete", "DELETE", f"/api/nodes/{self.concept_id}", apply_delete)

    async def _list(self) -> None:
        await self._perform("list", "GET", f"/api/nodes/{self.concept_id}/children", check_list)

    async def _ask(self) -> None:
        prompt = self.chance.choice(PROMPTS)
        body = {"format": "mcq", "prompt": prompt, "options": [RIGHT, WRONG], "correctAnswer": RIGHT}
        path = f"/api/assessments/{self.assessment_id}/questions"
        reply = await self._perform(f"ask {prompt}", "POST", path, partial(apply_question, prompt), body)
        if reply.status == 201:
            self.questions.append(reply.body["id"])

    async def _answer(self) -> None:
        question, option = self.chance.choice(self.questions), self.chance.choice([RIGHT, WRONG])
        body = {**USER, "questionId": question, "selectedOption": option}
        path, follows = f"/api/assessments/{self.assessment_id}/answers", partial(apply_answer, question, option)
        await self._perform(f"answer {question} {option}", "POST", path, follows, body)

    async def _get_standing(self) -> None:
        path = f"/api/agents/concepts/{self.concept_id}/diagnostic?userId={USER['userId']}"
        await self._perform("standing", "GET", path, check_standing)

    async def _answers(self) -> None:
        await self._perform("answers", "GET", f"/api/assessments/{self.assessment_id}/answers", check_answers)


def _apply(follows: Transition, reply: ServerReply, concept: ConceptState) -> ConceptState | None:
    return concept if reply.conflicted else follows(concept, reply)


def apply_add(title: str, concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if concept.deleted:
        return _require(reply.status == 404, concept)
    if any(title == taken for _, taken in concept.parts):
        return _require(reply.status == 409, concept)
    if reply.status != 201 or reply.body["title"] != title:
        return None
    return replace(concept, parts=(*concept.parts, (reply.body["id"], title)))


def apply_rename(part: str, title: str, concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if all(part != one for one, _ in concept.parts):
        return _require(reply.status == 404, concept)
    if any(title == taken and part != one for one, taken in concept.parts):
        return _require(reply.status == 409, concept)
    if reply.status != 200 or reply.body["title"] != title:
        return None
    return replace(concept, parts=tuple((one, title if one == part else named) for one, named in concept.parts))


def apply_remove(part: str, concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    left = tuple(one for one in concept.parts if one[0] != part)
    return _require(reply.status == 204, replace(concept, parts=left))


def apply_delete(concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if concept.parts:
        return _require(reply.status == 409, concept)
    return _require(reply.status == 204, ConceptState(deleted=True))


def check_list(concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    return _require(reply.status == 200 and _pairs(reply.body, "id", "title") == concept.parts, concept)


def apply_question(prompt: str, concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if concept.deleted:
        return _require(reply.status == 404, concept)
    if any(prompt == there for _, there in concept.questions):
        return _require(reply.status == 409, concept)
    if reply.status != 201:
        return None
    return replace(concept, questions=(*concept.questions, (reply.body["id"], prompt)), complete=False)


def apply_answer(question: str, option: str, concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if all(question != one for one, _ in concept.questions):
        return _require(reply.status == 404, concept)
    if reply.status != 201 or reply.body["isCorrect"] is not (option == RIGHT):
        return None
    before = [(answer, chosen) for answer, about, chosen in concept.answers if about == question]
    if before and before[-1][1] == option:  # sent twice, it is one answer
        return _require(reply.body["id"] == before[-1][0], concept)
    after = replace(concept, answers=(*concept.answers, (reply.body["id"], question, option)))
    return replace(after, complete=concept.complete or after.answered == len(after.questions))


def check_answers(concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if concept.deleted:
        return _require(reply.status == 404, concept)
    answers = tuple((answer, question) for answer, question, _ in concept.answers)
    return _require(reply.status == 200 and _pairs(reply.body, "id", "questionId") == answers, concept)


def check_standing(concept: ConceptState, reply: ServerReply) -> ConceptState | None:
    if concept.deleted:
        return _require(reply.status == 404, concept)
    if reply.status != 200:
        return None
    asked_and_answered = (reply.body["requiredAnswers"], reply.body["answeredCount"])
    done = concept.complete or 0 < len(concept.questions) <= concept.answered
    same = asked_and_answered == (len(concept.questions), concept.answered) and reply.body["isComplete"] is done
    return _require(same and _pairs(reply.body["questions"], "id", "prompt") == concept.questions, concept)


def _require(holds: bool, concept: ConceptState) -> ConceptState | None:
    return concept if holds else None


def _pairs(rows: list[dict[str, Any]], first: str, second: str) -> tuple[tuple[str, str], ...]:
    return tuple((row[first], row[second]) for row in rows)


async def histories(seed: int = 1, seeds: int = SEEDS) -> list[ProofFigure]:
    """Five tabs of a learner at one concept, thousands of requests, over HTTP on SQLite."""
    with tempfile.TemporaryDirectory(prefix="sprout-histories-") as folder:
        outcome = await explain_histories(range(seed, seed + seeds), Path(folder))
    return [
        ProofFigure("histories", "histories, requests", f"{outcome.histories}, {outcome.statuses.total():,}"),
        ProofFigure("histories", "answers while others waited for theirs", f"{outcome.concurrent:,}"),
        ProofFigure("histories", "undone by the database, to be done again", f"{outcome.conflicts:,}"),
        *(ProofFigure("histories", status, f"{count:,}") for status, count in sorted(outcome.statuses.items())),
        ProofFigure("histories", "explained by no order", f"{len(outcome.anomalies)}", not outcome.anomalies),
        *(ProofFigure("histories", "anomaly", words, False) for words in outcome.anomalies[:5]),
    ]


async def explain_histories(seeds: Sequence[int], folder: Path, *, database_url: str = "") -> HistoryOutcome:
    """Play these seeds on a server, each with a concept of its own, and look for an order of what each has done."""
    outcome = HistoryOutcome()
    async with _serve(folder, database_url) as client:
        for seed in seeds:
            tabs = await _create_concept(client, random.Random(seed))
            await tabs.play()
            _judge(seed, tabs, outcome)
    return outcome


def _judge(seed: int, tabs: ConcurrentTabs, outcome: HistoryOutcome) -> None:
    deeds = sorted(tabs.operations, key=lambda deed: deed.invoked_ns)
    outcome.histories += 1
    outcome.statuses += tabs.statuses
    outcome.conflicts += tabs.conflicts
    outcome.concurrent += sum(
        any(other.invoked_ns < deed.returned_ns < other.returned_ns for other in deeds) for deed in deeds
    )
    if linearize(deeds, ConceptState()) is None:
        lines = [f"{deed.invoked_ns - deeds[0].invoked_ns:>12} {deed.label}" for deed in deeds]
        outcome.anomalies.append("\n".join([f"seed {seed}", *lines]))


async def _create_concept(client: httpx2.AsyncClient, chance: random.Random) -> ConcurrentTabs:
    branch = await _post(client, "/api/branches", {"title": new_id()})
    root = await _post(client, "/api/nodes", {"type": "root", "title": "Light", "branchId": branch})
    concept = await _post(client, "/api/nodes", {"type": "concept", "title": "Rays", "parentId": root})
    diagnostic = await _post(client, "/api/assessments", {"type": "diagnostic", "targetNodeId": concept})
    return ConcurrentTabs(client, chance, concept, diagnostic)


async def _post(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> str:
    answer = await client.post(path, json={**USER, **body})
    answer.raise_for_status()
    return str(answer.json()["id"])


@asynccontextmanager
async def _serve(folder: Path, database_url: str) -> AsyncIterator[httpx2.AsyncClient]:
    """The whole application, over HTTP."""
    settings = Settings.model_validate({"data_dir": folder, "DATABASE_URL": database_url or None})
    async with (
        open_app(settings) as sprout,
        serve_app(web_app(with_limits(web_dependencies(sprout), WebLimits()))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=60.0) as client,
    ):
        yield client


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"histories": histories}
