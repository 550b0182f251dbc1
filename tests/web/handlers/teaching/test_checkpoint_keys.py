"""Keys of the tutor's choices and numbers, checked while the learner reads (learning.md Q3), over HTTP."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.servers.engines import open_topology_database
from sprout.agents.grading.key_check import key_check_agent
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.reply import Body, Reply, ToolOut
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables
from tests.web.handlers.teaching.lesson_server import (
    LessonServer,
    PlayedTutor,
    calls,
    checkpoint,
    choice,
    number,
    says,
    serving_lesson,
)


class CheckedTutor(PlayedTutor):
    """A tutor beside a solver of questions.

    Args:
        finds: what the solver finds: a number, or the text of an option; None for nothing.
    """

    def __init__(self, finds: str | None) -> None:
        super().__init__()
        self.finds = finds
        self.solver_may_go = asyncio.Event()
        self.solver_may_go.set()
        self.solved = 0

    def answer(self, body: Body) -> Any:
        if any(tool["name"] == "record_solutions" for tool in body.get("tools", [])):
            self.solved += 1
            return self._solution(str(body["messages"][0]["content"]))
        return super().answer(body)

    def _solution(self, asked: str) -> Reply:
        (question_id,) = re.findall(r'<question[^>]*? id="([^"]+)"', asked)
        entry: dict[str, Any] = {"question_id": question_id, "sure": 0.9}
        options = {text: id_ for id_, text in re.findall(r'<option[^>]*? id="([^"]+)"[^>]*>([^<]*)<', asked)}
        found = {"option_id": options.get(self.finds or "")} if options else {"number": self.finds}
        return calls(ToolOut("record_solutions", {"solutions": [entry | found]}))


@asynccontextmanager
async def checked_lesson(folder: Path, finds: str | None) -> AsyncIterator[LessonServer]:
    async with open_topology_database(folder) as database:
        graphs = SqlPathRepository(database, lambda _: None, split=split_into_passages)
        agents = [key_check_agent(graphs, SqlAnswerKeys(database, lambda _: None))]
        async with serving_lesson(folder, database=database, model=CheckedTutor(finds), agents=agents) as lesson:
            yield lesson


async def check_of(lesson: LessonServer) -> Any:
    """The run that checked the newest question, ended."""
    (run,) = await lesson.live.runs(user_id=DEFAULT_USER_ID, agent="key_check")
    async for _ in lesson.live.follow(run.id):
        pass
    return run


async def states(lesson: LessonServer) -> list[str]:
    return [one.state for one in await lesson.rows_of(tables.Question)]


@pytest.mark.parametrize(("asked", "finds"), [(number(), "42"), (choice(), "steam")])
async def test_Q3_a_key_that_is_found_again_stays_and_costs_the_learner_nothing(
    tmp_path: Path, asked: ToolOut, finds: str
) -> None:
    async with checked_lesson(tmp_path, finds) as lesson:
        turn = await lesson.turn("", calls(asked))
        run = await check_of(lesson)
        assert (run.is_root, run.parent_id, await states(lesson)) == (True, None, ["verified"])
        assert await lesson.pending() is not None
        settled = await lesson.events(turn["runId"])
        assert {one.run_id for one in settled} == {turn["runId"]}, "the lesson's own log has nothing of it"
        listed = (await lesson.client.get("/api/runs")).json()
        assert {one["agent"] for one in listed} == {"tutor", "key_check"}
        assert await lesson.live.latest(user_id=DEFAULT_USER_ID) == []


@pytest.mark.parametrize(("asked", "finds"), [(number(), "41"), (number(), None), (choice(), "milk"), (choice(), None)])
async def test_Q3_a_key_that_is_not_found_again_is_taken_back_before_it_is_answered(
    tmp_path: Path, asked: ToolOut, finds: str | None
) -> None:
    async with checked_lesson(tmp_path, finds) as lesson:
        turn = await lesson.turn("", calls(asked))
        await check_of(lesson)
        assert (await states(lesson), await lesson.pending()) == (["voided"], None)
        shown = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
        assert shown["question"] is None
        late = await lesson.answer("42", calls(checkpoint()), questionId=turn["question"]["id"])
        assert "not open any more" in lesson.state()
        assert late["question"]["prompt"] == "What did most of the wood come from?"
        assert await lesson.rows_of(tables.Answer) == []


async def test_Q3_an_open_question_and_one_that_is_shown_again_are_not_checked(tmp_path: Path) -> None:
    async with checked_lesson(tmp_path, "42") as lesson:
        await lesson.turn("", calls(checkpoint()))
        assert await lesson.live.runs(user_id=DEFAULT_USER_ID, agent="key_check") == []
        await lesson.turn("", calls(number()), move="change")
        await check_of(lesson)
        await lesson.aside("Why rows?", says("They are easy to count."))
        await lesson.answer("40", says("Count one row first."))
        await check_of(lesson)
        assert isinstance(lesson.model, CheckedTutor)
        assert lesson.model.solved == 1


async def test_Q3_without_the_check_questions_are_asked_as_they_are(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number()))
        assert (await states(lesson), lesson.model.asked) == (["posed"], 1)
