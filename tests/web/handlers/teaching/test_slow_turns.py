"""A turn that takes long, and an answer to a question that is gone (contract 1.9, 6.4)."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.loop.scripted_turn import QUICK
from harness.servers.engines import open_topology_database
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import RunState
from sprout.store.schema import tables
from tests.web.handlers.teaching.lesson_server import (
    LIMITS,
    LessonServer,
    calls,
    checkpoint,
    grader,
    number,
    says,
    serving_lesson,
)

GONE = fixed_text("question_gone", "en")
ANSWER = "[ANSWER]\nMode: text\n"


@dataclass
class SlowGrader:
    """A grading agent that takes until the test lets it go."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    then: AgentSpec | None = None

    async def brief(self, job: Job, team: Team) -> Brief:
        self.begun.set()
        await self.released.wait()
        return Brief() if self.then is None else await self.then.brief(job, team)

    @property
    def spec(self) -> AgentSpec:
        return AgentSpec("grading", "grading", QUICK, self.brief)


async def listen(lesson: LessonServer, content: str, parts: list[bytes]) -> httpx2.Response:
    """The response to a turn, whose bytes are heard as they come."""
    body = {"userId": DEFAULT_USER_ID, "content": content}
    address = f"/api/chat/sessions/{lesson.session_id}/tutor"
    async with lesson.client.stream("POST", address, json=body) as response:
        async for part in response.aiter_raw():
            parts.append(part)  # noqa: PERF401  # each is heard as it comes
        return response


async def test_a_long_turn_gives_signs_of_life_and_then_its_reply(tmp_path: Path) -> None:
    slow, parts = SlowGrader(), list[bytes]()
    async with serving_lesson(tmp_path, limits=replace(LIMITS, progress_s=0.02), agents=[slow.spec]) as lesson:
        await lesson.turn("", calls(checkpoint()))
        lesson.script(says("Look at the soil again: how much did it lose?"))
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            heard = tasks.create_task(listen(lesson, f"{ANSWER}out of the earth", parts))
            while len(parts) < 3:
                await asyncio.sleep(0)
            assert set(b"".join(parts)) == set(b" ")
            slow.released.set()
        assert heard.result().headers["content-type"] == "application/json"
        assert "Look at the soil" in json.loads(b"".join(parts))["message"]


async def test_a_client_that_leaves_does_not_stop_its_turn(tmp_path: Path) -> None:
    slow = SlowGrader()
    async with serving_lesson(tmp_path, limits=replace(LIMITS, progress_s=0.02), agents=[slow.spec]) as lesson:
        await lesson.turn("", calls(checkpoint()))
        lesson.script(says("Look at the soil again: how much did it lose?"))
        body = {"userId": DEFAULT_USER_ID, "content": f"{ANSWER}out of the earth"}
        address = f"/api/chat/sessions/{lesson.session_id}/tutor"
        async with lesson.client.stream("POST", address, json=body) as response:
            run_id = response.headers["x-run-id"]
            await slow.begun.wait()
        slow.released.set()
        await lesson.live.wait_until_released(run_id)
        assert "Look at the soil" in (await lesson.messages())[-1]["content"]


async def test_a_stopping_server_ends_a_long_turn_with_an_object(tmp_path: Path) -> None:
    slow, parts = SlowGrader(), list[bytes]()
    async with serving_lesson(tmp_path, limits=replace(LIMITS, progress_s=0.02), agents=[slow.spec]) as lesson:
        await lesson.turn("", calls(checkpoint()))
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            tasks.create_task(listen(lesson, f"{ANSWER}out of the earth", parts))
            while not parts:
                await asyncio.sleep(0)
            lesson.live.begin_shutdown()
        reply = json.loads(b"".join(parts))
        assert reply["message"].startswith(fixed_text("slow", "en"))
        slow.released.set()


async def counted(lesson: LessonServer) -> int:
    return len(await lesson.rows_of(tables.Answer))


def says_that_it_is_gone(reply: dict[str, Any], prompt: str) -> bool:
    message: str = reply["message"]
    return message.startswith(GONE) and prompt in message and reply["question"]["prompt"] == prompt


async def test_an_answer_sent_during_a_turn_is_not_the_answer_to_the_question_after_it(tmp_path: Path) -> None:
    slow, asked = SlowGrader(), "What is 5 times 8?"
    async with open_topology_database(tmp_path) as database:
        slow.then = grader(database, {"air": True})
        async with serving_lesson(tmp_path, database=database, agents=[slow.spec]) as lesson:
            await lesson.turn("", calls(checkpoint()))
            lesson.script(calls(number(asked, 40, answer="40", solution=["5 times 8"])))
            async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
                first = tasks.create_task(lesson.post(f"{ANSWER}from the air"))
                await slow.begun.wait()
                second = tasks.create_task(lesson.post(f"{ANSWER}from the air, I am sure"))
                while not await lesson.live.runs(user_id=DEFAULT_USER_ID, states=[RunState.QUEUED]):
                    await asyncio.sleep(0.01)
                slow.released.set()
            assert first.result().json()["question"]["prompt"] == asked
            assert says_that_it_is_gone(second.result().json(), asked)
            assert await counted(lesson) == 1
            assert len(lesson.requests) == 2, "no model is asked about it"
            state = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
            assert (state["question"]["prompt"], state["helpLevel"]) == (asked, 0)
            right = await lesson.answer("40", calls(number()))
            assert (right["graded"]["correct"], await counted(lesson)) == (True, 2)


async def test_an_answer_names_its_question(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        first = (await lesson.turn("", calls(number())))["question"]
        second = await lesson.answer("42", calls(checkpoint("What is the gas?")), questionId=first["id"])
        late = await lesson.answer("the air", questionId=first["id"])
        assert says_that_it_is_gone(late, "What is the gas?")
        assert late["question"]["id"] == second["question"]["id"]
        assert await counted(lesson) == 1


@pytest.mark.parametrize("reloads", [False, True])
async def test_without_a_name_it_is_the_question_that_was_delivered_last(tmp_path: Path, reloads: bool) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        lesson.script(calls(number("What is 5 times 8?", 40, answer="40", solution=["5 times 8"])))
        stream = {"Accept": "text/event-stream"}
        heard = await lesson.post(f"{ANSWER}42", headers=stream)  # whatever of it the client has read
        assert "What is 5 times 8?" in heard.text
        if reloads:
            await lesson.messages()
            reply = await lesson.answer("40", says("Yes."), calls(checkpoint()))
            assert reply["graded"]["correct"] is True
        else:
            reply = await lesson.answer("43")
            assert says_that_it_is_gone(reply, "What is 5 times 8?")
            after = await lesson.answer("40", calls(checkpoint()))
            assert after["graded"]["correct"] is True
