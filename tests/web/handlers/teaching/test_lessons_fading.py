"""Worked cases with one step left out, over HTTP: asked with their own key, and practice whatever the answer."""

from pathlib import Path
from typing import Any

import pytest

from harness.builders import a_concept
from sprout.clock import utc_now
from sprout.learning.misconceptions.ledger import clearable
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.reviews.items import NoItems
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.lesson import TutorLesson
from sprout.offline.reply import Body, Reply
from sprout.store.reviews.candidates import candidates_for
from sprout.store.schema import tables
from tests.offline.demo.tutor.test_fading import GAP
from tests.offline.demo.tutor.test_fading import LESSON as AUTHORED
from tests.web.handlers.teaching.lesson_server import (
    LessonServer,
    PlayedTutor,
    calls,
    checkpoint,
    number,
    says,
    serving_lesson,
)

ME = {"userId": DEFAULT_USER_ID}
GAPPED = "Six rows of seven chairs: 6 · 7 = ___ chairs."


class OfflineTutor(PlayedTutor):
    """The offline tutor of one lesson."""

    def __init__(self, lesson: TutorLesson) -> None:
        super().__init__()
        self._speak = make_tutor(lambda _: lesson)

    def answer(self, body: Body) -> Reply:
        self.asked += 1
        return self._speak(read_conversation(body))


async def standing(lesson: LessonServer) -> dict[str, Any]:
    found: dict[str, Any] = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
    return found


async def test_H6_the_tutor_is_told_the_form_of_the_question_that_is_due(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number(GAPPED, gap=True)))
        assert 'fading="example"' in lesson.state(0)
        await lesson.answer("42", calls(number("What is 3 times 14?")))
        assert 'fading="alone"' in lesson.state()
        await lesson.answer("13", says("Look at the sign."))
        assert "fading" not in lesson.state(), "a question is open"


async def test_H3_a_gap_has_its_own_key_and_filling_it_is_practice(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        turn = await lesson.turn("", calls(number(GAPPED, gap=True)))
        assert turn["question"]["help"] == [], "no help was given beside the case"
        before = await standing(lesson)
        turn = await lesson.answer("42", calls(number("What is 3 times 14?")))
        assert turn["graded"]["correct"] is True
        after = await standing(lesson)
        assert (after["mastery"], after["needed"]) == (before["mastery"], before["needed"]) == (0, 2)
        assert [one.help_level for one in await lesson.rows_of(tables.Answer)] == [3]
        await lesson.answer("42", calls(number("What is 2 times 21?")))
        assert (await standing(lesson))["needed"] == 1, "the same answer to a question without help counts"


async def test_A10_a_gap_that_code_could_not_mark_is_sent_back(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        turn = await lesson.turn("", calls(checkpoint(gap=True)), calls(number(GAPPED, gap=True)))
        assert turn["question"]["prompt"] == GAPPED


async def test_V4_a_gap_is_no_item_of_a_review(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path) as lesson:
        await lesson.turn("", calls(number(GAPPED, gap=True)))
        await lesson.answer("42", calls(number("What is 3 times 14?")))
        await lesson.answer("42", calls(number("What is 2 times 21?")))
        none = clearable([], utc_now())
        found = await lesson.database.read_tx(
            lambda connection: candidates_for(connection, lesson.node.id, lesson.node.user_id, NoItems(), none)
        )
        assert [one.prompt for one in found] == ["What is 3 times 14?"]


async def test_V4_before_the_last_step_the_tutor_is_told_what_the_learner_knows_that_is_easily_taken_for_it(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path) as lesson:
        concept = await lesson.paths.node(lesson.node.parent_id or "", user_id=lesson.node.user_id)
        for season, is_learned in (("winter", True), ("spring", False)):
            node = await a_concept(lesson.paths, concept, f"Where wood comes from in {season}")
            progress = (await lesson.client.post("/api/progress", json={**ME, "nodeId": node.id})).json()
            if is_learned:
                change = {"completedAt": "2026-01-05T09:00:00Z"}
                await lesson.client.patch(f"/api/progress/{progress['id']}", json=change)
        await lesson.turn("", calls(number(plan=["count", "compare", "explain"], can="count")))
        for expected, prompt in ((0, "What is 3 times 14?"), (1, "What is 2 times 21?")):
            await lesson.answer("42", calls(number(prompt, can="compare")))
            assert lesson.state().count("<neighbour") == expected
        assert "Where wood comes from in winter" in lesson.state()


async def test_H1a_an_authored_gap_goes_on_after_a_wrong_answer_a_side_question_and_not_knowing(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, model=OfflineTutor(lesson_from_course(AUTHORED))) as lesson:
        turn = await lesson.turn()
        assert [card["kind"] for card in turn["cards"]] == ["example"]
        assert GAP.case in turn["question"]["prompt"]
        turn = await lesson.answer("3")
        assert turn["question"]["help"] == [GAP.help]
        assert GAP.help in turn["message"]
        turn = await lesson.aside("who was that cyclist?")
        assert "A cyclist rides" in turn["message"]
        assert await lesson.pending() == turn["question"]["prompt"]
        turn = await lesson.answer("I don't know")
        assert GAP.filled in turn["message"]
        assert turn["question"]["prompt"] == AUTHORED.steps[0].asks.prompt
        kinds = [one.kind for one in await lesson.events(turn["runId"])]
        assert "guardrail" not in kinds


@pytest.mark.parametrize("move", ["show", "change"])
async def test_H1a_a_gap_can_be_shown_or_put_away(tmp_path: Path, move: str) -> None:
    async with serving_lesson(tmp_path, model=OfflineTutor(lesson_from_course(AUTHORED))) as lesson:
        await lesson.turn()
        turn = await lesson.turn("", move=move)
        assert (GAP.filled in turn["message"]) is (move == "show")
        assert turn["question"]["prompt"] == AUTHORED.steps[0].asks.prompt
