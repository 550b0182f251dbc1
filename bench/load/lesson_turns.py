"""B9: the turns of one lesson as its learner waits for them."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench.lesson_workload import CHOICE_ANSWER, NUMBER_ANSWER, OPEN_ANSWER
from bench.load.run_reader import TimedEvent, read_run
from bench.scaling.path_page import create_path
from bench.servers.processes import model_server, sprout_server
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.pace import Pace

TURNS = {
    "opening": "",
    "side question": "[CLARIFICATION]\nWhy was the soil dried before it was weighed?",
    "choice": f"[ANSWER]\nMode: mcq\n{CHOICE_ANSWER}",
    "number": f"[ANSWER]\nMode: text\n{NUMBER_ANSWER}",
    "open answer": f"[ANSWER]\nMode: text\n{OPEN_ANSWER}",
}


@dataclass(frozen=True, slots=True)
class LessonTurnTimes:
    """Seconds from the learner's message until each part was read; None for what the turn has not.

    Args:
        question_s: until the last of the words that end with the question.
        calls: number of model calls.
    """

    verdict_s: float | None
    words_s: float
    question_s: float | None
    calls: int


async def measure_lesson(pace: Pace) -> dict[str, LessonTurnTimes]:
    """The turns of one lesson, by name, in the order in which they were taken."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        async with (
            model_server("lesson", first_token_s=pace.first_token_s, tokens_per_s=pace.tokens_per_s or 0) as base_url,
            sprout_server(base_url, Path(folder), note_taking=False) as server,
            httpx2.AsyncClient(base_url=server.url) as client,
        ):
            path = f"/api/chat/sessions/{await _start_session(client)}/tutor"
            found = {}
            for name, content in TURNS.items():
                found[name] = _times(await read_run(client, path, {"userId": DEFAULT_USER_ID, "content": content}))
            return found


async def _start_session(client: httpx2.AsyncClient) -> str:
    branch = await create_path(client, (1, 1))
    nodes = (await client.get("/api/nodes", params={"branchId": branch})).json()
    part = next(node["id"] for node in nodes if node["type"] == "subconcept")
    answer = await client.post("/api/chat/sessions", json={"userId": DEFAULT_USER_ID, "nodeId": part})
    answer.raise_for_status()
    return str(answer.json()["id"])


def _times(heard: list[TimedEvent]) -> LessonTurnTimes:
    def first(kind: str) -> float | None:
        return next((one.at_s for one in heard if one.kind == kind), None)

    words_s = first("message_delta")
    if words_s is None:
        raise RuntimeError("the tutor said nothing")
    calls = sum(one.kind == "usage" for one in heard)
    asks = first("checkpoint_question") is not None
    question_s = max(one.at_s for one in heard if one.kind == "message_delta") if asks else None
    return LessonTurnTimes(first("graded"), words_s, question_s, calls)
