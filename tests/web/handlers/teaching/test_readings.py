"""Guided reading over HTTP: the server shows the passage, and nothing tells what settles its question before (Q6)."""

import json
from pathlib import Path

from harness.builders import add_notes
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.reply import ToolOut
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.sources import SqlSources
from sprout.store.paths.paths import SqlPaths
from tests.web.handlers.teaching.lesson_server import LessonServer, calls, choice, completes, serving_lesson

NOTES = "## Water\n\nWater has three states. **Steam** is the gas, and ice is what keeps its shape."
SENTENCE = "Steam is the gas, and ice is what keeps its shape."
PIECE = "**Steam** is the gas, and ice is what keeps its shape."


async def passages_of(lesson: LessonServer) -> list[str]:
    """Ids of the passages of notes that the lesson's topic gets."""
    root = (await lesson.lessons.lesson(lesson.session_id, user_id=DEFAULT_USER_ID)).topic
    queue = SqlDocumentQueue(lesson.database, storage=lesson.paths.storage)
    unwatched = SqlPaths(lesson.database, lambda _: None, storage=lesson.paths.storage)  # by the server's worker
    added = await add_notes(unwatched, queue, root, NOTES, "water.md")
    return [one.id for one in await SqlSources(lesson.database).document(added, user_id=DEFAULT_USER_ID)]


async def test_Q6_no_answer_of_the_server_tells_what_settles_an_open_question(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, quiet=True) as lesson:
        ids = await passages_of(lesson)
        turn = await lesson.turn("", calls(choice(reading=ids, settled_by=[SENTENCE])))
        reading = turn["question"]["reading"]
        assert (reading["document"], reading["heading"], reading["text"]) == ("water.md", "Water", NOTES)
        assert (reading["ownWords"], reading["settledBy"]) == (False, [])
        state = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
        assert state["question"]["reading"] == reading, "as after a reload"
        assert [one["reading"] for one in await lesson.messages()] == [reading], "as in a second tab"
        events = await lesson.events(turn["runId"])
        assert next(json.loads(one.data) for one in events if one.kind == "checkpoint_question")["reading"] == reading
        assert SENTENCE not in "".join(one.data for one in events)
        assert "settled_by" not in "".join(one.data for one in events)

        wrong = await lesson.answer("sand", calls())
        assert wrong["question"]["reading"] == reading
        right = await lesson.answer("steam", calls(choice("Which keeps its shape?", answer="stone", reading=ids)))
        assert right["question"]["reading"]["settledBy"] == []
        told = [one["reading"]["settledBy"] for one in await lesson.messages() if one["reading"]]
        assert told == [[PIECE], []], "the settled question tells, the open one does not"


async def test_a_passage_that_does_not_exist_is_refused_and_the_model_can_mend_it(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, quiet=True) as lesson:
        ids = await passages_of(lesson)
        turn = await lesson.turn("", calls(choice(reading=["p00000000"])), calls(choice(reading=ids)))
        assert turn["question"]["reading"]["text"] == NOTES
        results = await lesson.events_of_kind(turn["runId"], "tool_result")
        assert [one["ok"] for one in results] == [False, True]
        assert "no such passage" in results[0]["summary"]


async def test_a_side_answer_carries_its_place(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, quiet=True) as lesson:
        ids = await passages_of(lesson)
        await lesson.turn("", calls(choice(reading=ids)))
        await lesson.aside("what is ice?", calls(ToolOut("reply", {"message": "It stands here.", "passages": ids})))
        assert [one["passageId"] for one in (await lesson.messages())[-1]["citations"]] == ids


def reads(ids: list[str], can: str) -> ToolOut:
    plan = ["Water", "Steam"]
    return ToolOut("show_reading", {"message": f"On {can}.", "reading": ids, "can": can, "plan": plan})


async def test_a_lesson_of_reading_alone_goes_on_with_any_words_and_ends(tmp_path: Path) -> None:
    async with serving_lesson(tmp_path, quiet=True) as lesson:
        ids = await passages_of(lesson)
        turn = await lesson.turn("", calls(reads(ids, "Water")))
        assert (turn["question"], turn["reading"]["text"], turn["reading"]["ownWords"]) == (None, NOTES, False)
        state = (await lesson.client.get(f"/api/chat/sessions/{lesson.session_id}/lesson")).json()
        assert (state["reading"], state["plan"], state["asked"]) == (turn["reading"], ["Water", "Steam"], [1])
        assert [one["reading"] for one in await lesson.messages()] == [turn["reading"]], "as in a second tab"
        early = await lesson.turn("Continue", completes(), calls(reads(ids, "Steam")))
        assert not early["isComplete"], "the second step is not read"
        assert early["reading"]["text"] == NOTES
        end = await lesson.turn("Continue", completes())
        assert (end["isComplete"], end["reading"]) == (True, None)
