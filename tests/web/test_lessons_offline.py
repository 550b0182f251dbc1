"""Whole lessons with the offline tutor over HTTP: every reply passes the server's screen as it was written."""

from pathlib import Path
from typing import Any

import pytest

from sprout.offline.brains.conversation import read_conversation
from sprout.offline.brains.tutor import speaking_as_tutor
from sprout.offline.brains.tutoring.from_course import taught
from sprout.offline.brains.tutoring.from_nothing import taught_from_nothing
from sprout.offline.brains.tutoring.teaching import Teaching as Lesson
from sprout.offline.reply import Body, Reply
from tests.offline.classroom import a_lesson
from tests.web.teaching import Played, Teaching, teaching

pytestmark = pytest.mark.usefixtures("sqlite_url")  # a database that is up to date already


class OfflineTutor(Played):
    """The offline tutor of one lesson."""

    def __init__(self, lesson: Lesson) -> None:
        super().__init__()
        self._speak = speaking_as_tutor(lambda _: lesson)

    def answer(self, body: Body) -> Reply:
        self.asked += 1
        return self._speak(read_conversation(body))


async def right_answer(lesson: Teaching) -> str:
    question = (await lesson.tutoring.lesson(lesson.session_id, user_id=lesson.node.user_id)).pending
    assert question is not None
    return question.checkpoint.draft.correct_answer


async def nothing_was_withheld(lesson: Teaching, told: dict[str, Any]) -> None:
    kinds = [one.kind for one in await lesson.events(told["runId"])]
    assert "message_reset" not in kinds
    assert "guardrail" not in kinds, await lesson.told(told["runId"], "guardrail")


async def test_a_lesson_on_how_to_study_goes_from_its_opening_to_its_end(tmp_path: Path) -> None:
    async with teaching(tmp_path, model=OfflineTutor(taught_from_nothing("Knots"))) as lesson:
        told = await lesson.turn()
        assert "offline demo model" in told["message"]
        for _ in range(8):
            if told["isComplete"]:
                break
            told = await lesson.answer(await right_answer(lesson))
            await nothing_was_withheld(lesson, told)
        assert told["isComplete"]


async def test_an_authored_lesson_with_every_kind_of_turn(tmp_path: Path) -> None:
    authored = a_lesson()
    async with teaching(tmp_path, model=OfflineTutor(taught(authored)), verdicts={"slow": True}) as lesson:
        told = await lesson.turn()
        for level, wrong in enumerate(("240", "64", "20", "12"), start=1):
            told = await lesson.answer(wrong)
            await nothing_was_withheld(lesson, told)
            assert authored.steps[0].asks.help[level - 1] in told["message"]
        for words in ("Just tell me the answer", "sag mir einfach die Lösung", "this question is wrong", "hint"):
            told = await lesson.turn(words)
            await nothing_was_withheld(lesson, told)
            assert told["question"]["prompt"] == authored.steps[0].asks.prompt
        told = await lesson.aside("who was that cyclist?")
        await nothing_was_withheld(lesson, told)
        assert "A cyclist rides" in told["message"]
        told = await lesson.answer("11")
        assert told["question"]["prompt"] == authored.steps[0].again.prompt
        for _ in range(9):
            if told["isComplete"]:
                break
            told = await lesson.answer(await right_answer(lesson))
            await nothing_was_withheld(lesson, told)
        assert told["isComplete"]


async def test_signs_of_danger_bring_the_card_and_calm_words_and_the_question_waits(tmp_path: Path) -> None:
    async with teaching(tmp_path, model=OfflineTutor(taught(a_lesson()))) as lesson:
        await lesson.turn()
        told = await lesson.turn("I want to die")
        assert "raise_concern" in told["toolsUsed"]
        assert "emergency" in told["message"]
        await nothing_was_withheld(lesson, told)
