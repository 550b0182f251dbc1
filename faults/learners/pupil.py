"""A pupil of a class over HTTP: signs in, joins by code, opens the given path and takes one lesson of it."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

import httpx2

from faults.learners.answer_book import find_question
from faults.learners.scripted_learners import ExpertLearner, QuestionSituation
from harness.servers.signed_in import PASSWORD

MAX_TURNS = 60


@dataclass(slots=True)
class Pupil:
    """One of a class, with the browser they sit at.

    Args:
        word: a canary, which nobody but the pupil writes.
        read: everything that the server has sent them.
        waits_s: of each turn of the lesson.
    """

    name: str
    word: str
    browser: httpx2.AsyncClient
    user_id: str = ""
    branch_id: str = ""
    path_title: str = ""
    session_id: str = ""
    answers: int = 0
    read: list[str] = field(default_factory=list)
    waits_s: list[float] = field(default_factory=list)

    @property
    def wait_s(self) -> float:
        """The mean wait of a turn."""
        return sum(self.waits_s) / len(self.waits_s)

    async def sign_in(self) -> None:
        await self.post("/api/sign-in", {"name": self.name, "password": PASSWORD})
        await self.recognise()

    async def recognise(self) -> None:
        """Learn who is signed in."""
        self.user_id = str((await self.get("/api/account"))["userId"])

    async def join(self, code: str) -> None:
        await self.post("/api/account/classes", {"code": code})

    async def open_path(self) -> None:
        (given,) = await self.get("/api/account/paths")
        self.branch_id, self.path_title = str(given["branchId"]), str(given["title"])

    async def learn(self) -> None:
        """Answer the questions of the first concept, have it opened, and take the lesson of its first part."""
        concept = await self._first("concept")
        await self._take_diagnostic(concept["id"], concept["title"])
        await self.post(f"/api/agents/concepts/{concept['id']}/run", {})
        part = await self._first("subconcept", parent_id=concept["id"])
        self.session_id = str((await self.post("/api/chat/sessions", {"nodeId": part["id"]}))["id"])
        address = f"/api/chat/sessions/{self.session_id}"
        await self.post(f"{address}/messages", {"role": "user", "content": f"I am {self.word}."})
        await self._take_lesson(address)

    async def look_around(self) -> None:
        """Read all that the server has for the pupil."""
        for address in (
            "branches",
            "nodes",
            "runs",
            "chat/sessions",
            "assessments",
            "progress",
            "today",
            "reviews/due",
        ):
            await self.get(f"/api/{address}")
        (joined,) = await self.get("/api/account/classes")
        await self.get(f"/api/account/classes/{joined['id']}/seen")
        await self.get(f"/api/chat/sessions/{self.session_id}/messages")

    async def get(self, path: str) -> Any:
        return self._read(await self.browser.get(path))

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._read(await self.browser.post(path, json=body))

    def _read(self, answer: httpx2.Response) -> Any:
        """The JSON of an answer. Raises RuntimeError: the server refuses."""
        if answer.is_error:
            raise RuntimeError(f"{self.name}: {answer.request.url.path} {answer.status_code} {answer.text[:300]}")
        self.read.append(answer.text)
        return answer.json() if "json" in answer.headers.get("content-type", "") else None

    async def _first(self, kind: str, *, parent_id: str | None = None) -> Any:
        """The first node of a kind that can be begun in the pupil's copy."""
        graph = await self.get(f"/api/branches/{self.branch_id}/graph")
        waits = {edge["targetNodeId"] for edge in graph["edges"]}
        over = {one["nodeId"] for one in graph["progress"] if one["completedAt"]}
        return next(
            node
            for node in graph["nodes"]
            if node["type"] == kind and node["id"] not in waits | over and parent_id in (None, node["parentId"])
        )

    async def _take_diagnostic(self, concept_id: str, title: str) -> None:
        asked = await self.get(f"/api/agents/concepts/{concept_id}/diagnostic")
        for question in asked["questions"]:
            options = tuple(json.loads(question["options"])) if question["options"] else ()
            known = find_question(question["prompt"], concept_title=title)
            words = ExpertLearner().respond(QuestionSituation(known, options, diagnostic=True)).text
            answer = {"selectedOption" if words in options else "answerText": words}
            address = f"/api/assessments/{question['assessmentId']}/answers"
            await self.post(address, {"questionId": question["id"], **answer})
            self.answers += 1

    async def _take_lesson(self, address: str) -> None:
        said = ""
        for _ in range(MAX_TURNS):
            began_s = time.monotonic()
            turn = await self.post(f"{address}/tutor", {"content": said})
            self.waits_s.append(time.monotonic() - began_s)
            self.answers += turn["graded"] is not None
            if turn["isComplete"]:
                return
            question = turn["question"]
            known = find_question(question["prompt"])
            asked = QuestionSituation(known, tuple(question["options"] or ()), tutor_text=turn["message"])
            mode = {"mcq": "mcq", "code": "code"}.get(question["type"], "text")
            said = f"[ANSWER]\nMode: {mode}\n{ExpertLearner().respond(asked).text}"
        raise RuntimeError(f"{self.name}: the lesson does not end")
