"""Whole lessons with the offline tutor over HTTP: every reply passes the server's screen as it was written."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from sprout.learning.marking.program_marking import ONLY_PRINT_MISSING
from sprout.offline.courses.catalogue import find_course, find_lesson
from sprout.offline.courses.lesson_format import Lesson as AuthoredLesson
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.content.study_skills import study_skills_lesson
from sprout.offline.demo.tutor.lesson import TutorLesson as Lesson
from sprout.offline.reply import Body, Reply
from tests.offline.demo.tutor.classroom import a_lesson
from tests.web.handlers.teaching.lesson_server import LessonServer, PlayedTutor, serving_lesson


class OfflineTutor(PlayedTutor):
    """The offline tutor of one lesson."""

    def __init__(self, lesson: Lesson) -> None:
        super().__init__()
        self._speak = make_tutor(lambda _: lesson)

    def answer(self, body: Body) -> Reply:
        self.asked += 1
        return self._speak(read_conversation(body))


async def right_answer(lesson: LessonServer) -> str:
    question = (await lesson.lessons.lesson(lesson.session_id, user_id=lesson.node.user_id)).pending
    assert question is not None
    return question.checkpoint.draft.correct_answer


async def nothing_was_withheld(lesson: LessonServer, turn: dict[str, Any]) -> None:
    kinds = [one.kind for one in await lesson.events(turn["runId"])]
    assert "message_reset" not in kinds
    assert "guardrail" not in kinds, await lesson.events_of_kind(turn["runId"], "guardrail")


async def test_a_lesson_on_how_to_study_goes_from_its_opening_to_its_end(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, model=OfflineTutor(study_skills_lesson("Knots"))) as lesson:
        turn = await lesson.turn()
        assert "offline demo model" in turn["message"]
        for _ in range(8):
            if turn["isComplete"]:
                break
            turn = await lesson.answer(await right_answer(lesson))
            await nothing_was_withheld(lesson, turn)
        assert turn["isComplete"]


async def test_an_authored_lesson_with_every_kind_of_turn(tmp_path: Path) -> None:
    authored = a_lesson()
    async with serving_lesson(
        tmp_path, model=OfflineTutor(lesson_from_course(authored)), verdicts={"slow": True}
    ) as lesson:
        turn = await lesson.turn()
        for level, wrong in enumerate(("240", "64", "20", "12"), start=1):
            turn = await lesson.answer(wrong)
            await nothing_was_withheld(lesson, turn)
            assert authored.steps[0].asks.help[level - 1] in turn["message"]
        for words in ("this question is wrong", "this is boring", "do you like football?"):
            turn = await lesson.turn(words)
            await nothing_was_withheld(lesson, turn)
            assert turn["question"]["prompt"] == authored.steps[0].asks.prompt
        turn = await lesson.aside("who was that cyclist?")
        await nothing_was_withheld(lesson, turn)
        assert "A cyclist rides" in turn["message"]
        turn = await lesson.turn("Just tell me the answer")
        await nothing_was_withheld(lesson, turn)
        assert authored.steps[0].asks.solution in turn["message"]
        assert turn["question"]["prompt"] == authored.steps[0].again.prompt
        for _ in range(9):
            if turn["isComplete"]:
                break
            turn = await lesson.answer(await right_answer(lesson))
            await nothing_was_withheld(lesson, turn)
        assert turn["isComplete"]


async def test_a_wrong_answer_gets_its_own_reply_and_the_help_of_its_level_stays_with_the_question(
    tmp_path: Path,
) -> None:
    fields = a_lesson().model_dump()
    reply = "240 is what one gets for multiplying the two. Share the way out instead."
    fields["steps"][0]["asks"]["replies"] = {"240": reply}
    authored = AuthoredLesson.model_validate(fields)
    prepared = authored.steps[0].asks.help
    async with serving_lesson(tmp_path, model=OfflineTutor(lesson_from_course(authored))) as lesson:
        await lesson.turn()
        turn = await lesson.answer("I get 240 km/h")
        await nothing_was_withheld(lesson, turn)
        assert turn["message"].startswith(f"You answered “I get 240 km/h”. That is not right yet. {reply}")
        assert turn["question"]["help"] == [prepared[0]]
        turn = await lesson.answer("it is 240")
        await nothing_was_withheld(lesson, turn)
        assert reply not in turn["message"]
        assert prepared[1] in turn["message"]
        assert turn["question"]["help"] == [*prepared[:2]]


async def test_signs_of_danger_bring_the_card_and_calm_words_and_the_question_waits(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, model=OfflineTutor(lesson_from_course(a_lesson()))) as lesson:
        await lesson.turn()
        turn = await lesson.turn("I want to die")
        assert "raise_concern" in turn["toolsUsed"]
        assert "emergency" in turn["message"]
        await nothing_was_withheld(lesson, turn)


async def test_A4_what_the_run_of_a_program_showed_is_never_withheld(tmp_path: Path) -> None:
    course = find_course("Python: functions and lists")
    assert course is not None
    found = find_lesson(course, "An expression is worked out to one value")
    assert found is not None
    lesson_on_values = lesson_from_course(found)
    asked = tuple(chunk for chunk in lesson_on_values.chunks if chunk.question.kind == "code")
    async with serving_lesson(
        tmp_path, model=OfflineTutor(replace(lesson_on_values, chunks=asked, gap=None))
    ) as lesson:
        turn = await lesson.turn()
        assert turn["question"]["type"] == "code"
        answer = await right_answer(lesson)
        turn = await lesson.answer(answer.removeprefix("print"))
        await nothing_was_withheld(lesson, turn)
        assert turn["graded"]["correct"] is False
        assert turn["message"].startswith(ONLY_PRINT_MISSING)
        turn = await lesson.turn("[CLARIFICATION] why is that wrong?")
        await nothing_was_withheld(lesson, turn)
        assert ONLY_PRINT_MISSING in turn["message"]
        turn = await lesson.answer("(60 - 12) / 4")
        await nothing_was_withheld(lesson, turn)
        assert turn["message"].startswith(turn["graded"]["nextStep"])
        assert "that takes `print`" in turn["message"]
