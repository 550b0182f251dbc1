"""Readings in the database, on both: what is read before a question, and nobody else's document (Q6, S1)."""

import json

import pytest

from harness.builders import a_topic, add_notes, end_run
from sprout.errors import Conflict, InvalidQuestion
from sprout.events import Mark
from sprout.learning.lessons.help_ladder import HelpLadder, LadderStep
from sprout.learning.lessons.lesson_plan import LessonPlan
from sprout.learning.lessons.repository import TurnEnd
from sprout.learning.marking.comparison import left_to_learner
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import SelfMark
from sprout.runs.run_store import StoredEvent
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.sources import SqlSources
from sprout.store.engine.database import Database
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.paths.paths import SqlPaths
from tests.store.lessons.test_repository import OPEN, SUM, Class, asking_turn, room, tutoring

__all__ = ["room", "tutoring"]

NOTES = "## Sums\n\nA **sum** is what two numbers give together.\n\n## Order\n\nThe order of the two does not matter.\n"
SENTENCE = "A sum is what two numbers give together."
PIECE = "A **sum** is what two numbers give together."


async def passages_in(paths: SqlPaths, queue: SqlDocumentQueue, database: Database, room: Class) -> list[str]:
    """Ids of the passages of notes that the topic of the lesson gets."""
    root = (await room.lesson()).topic
    added = await add_notes(paths, queue, root, NOTES, "sums.md")
    return [one.id for one in await SqlSources(database).document(added, user_id=root.user_id)]


async def test_Q6_a_reading_is_kept_with_its_question_and_tells_what_settles_it_only_then(
    room: Class,
    paths: SqlPaths,
    document_queue: SqlDocumentQueue,
    database: Database,
    published: list[StoredEvent],
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    talk = SqlConversations(database)
    await room.end_turn(asking_turn(reading=tuple(ids), settled_by=(SENTENCE,)))
    pending = (await room.lesson()).pending
    assert pending is not None
    assert pending.reading is not None
    assert (pending.reading.document, pending.reading.heading) == ("sums.md", "Sums")
    assert pending.reading.text == NOTES.strip()
    assert pending.reading.settled_by == [PIECE]
    (message,) = await talk.messages(room.session_id, user_id=DEFAULT_USER_ID)
    assert message.reading is not None
    assert message.reading.settled_by == []
    assert [one.passage_id for one in message.citations] == ids
    (asked,) = [one for one in published if one.kind == "checkpoint_question"]
    assert json.loads(asked.data)["reading"] == message.reading.model_dump(mode="json")

    solved = HelpLadder().after_attempt(right=True)
    await room.end_turn(TurnEnd("Right.", "learning", "4", "evaluation", question=pending, ladder=solved))
    (message, *_) = await talk.messages(room.session_id, user_id=DEFAULT_USER_ID)
    assert message.reading is not None
    assert message.reading.settled_by == [PIECE]


async def test_S1_a_document_of_another_learner_or_topic_cannot_be_read_through_a_question(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    foreign = await a_topic(paths, "Secrets", user_id="00000000-0000-0000-0000-00000000000b")
    added = await add_notes(paths, document_queue, foreign, NOTES, "theirs.md")
    theirs = [one.id for one in await SqlSources(database).document(added, user_id=foreign.user_id)]
    with pytest.raises(InvalidQuestion, match="no such passage"):
        await room.end_turn(asking_turn(reading=tuple(theirs)))
    assert (await room.lesson()).pending is None, "nothing is half written"
    ids = await passages_in(paths, document_queue, database, room)
    pending = await room.end_turn(asking_turn(reading=(*theirs, ids[1], "pffffffff")))
    assert pending is not None
    assert pending.reading is not None
    assert pending.reading.document == "sums.md"
    assert "order of the two" in pending.reading.text
    assert "what two numbers give" not in pending.reading.text


async def test_a_deleted_document_takes_what_is_read_of_it_along(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    await room.end_turn(asking_turn(reading=tuple(ids)))
    topic = (await room.lesson()).topic
    (document,) = await paths.documents(topic.id, user_id=DEFAULT_USER_ID)
    await paths.delete_document(topic.id, document.id, user_id=DEFAULT_USER_ID)
    lesson = await room.lesson()
    assert lesson.pending is not None
    assert lesson.pending.reading is None


async def test_a_lesson_of_passages_may_end_once_they_are_read(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    await room.end_turn(asking_turn(reading=tuple(ids)))
    lesson = await room.lesson()
    assert not lesson.standing.learned
    assert lesson.may_end


def reading_turn(ids: list[str], *, step: int, of: tuple[str, ...] = ("Sums", "Order")) -> TurnEnd:
    return TurnEnd("Read this.", "learning", plan=LessonPlan(of, step, tuple(range(1, step + 1))), reading=tuple(ids))


async def test_passages_may_be_read_without_a_question_and_are_open_until_the_next_turn(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    await room.end_turn(reading_turn(ids[:1], step=1))
    lesson = await room.lesson()
    assert (lesson.pending, lesson.asked_prompts) == (None, ())
    assert lesson.reading is not None
    assert (lesson.reading.heading, lesson.reading.own_words, lesson.reading.settled_by) == ("Sums", False, [])
    (message,) = await SqlConversations(database).messages(room.session_id, user_id=DEFAULT_USER_ID)
    assert message.reading == lesson.reading
    assert not lesson.may_end, "one of two steps is read"
    await room.end_turn(TurnEnd("It stands there.", "hint_response", "What is a sum?", "hint_request"))
    assert (await room.lesson()).reading == lesson.reading, "a question on the side leaves it open"

    await room.end_turn(reading_turn(ids[1:], step=2))
    lesson = await room.lesson()
    assert lesson.reading is not None
    assert "order of the two" in lesson.reading.text
    assert lesson.may_end
    assert not lesson.standing.learned
    await room.end_turn(TurnEnd("You have read it.", "learning", completes_lesson=True))
    assert (await room.lesson()).reading is None


async def test_a_lesson_that_is_over_shows_nothing_more_to_read(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    await room.end_turn(TurnEnd("That is all.", "learning", completes_lesson=True))
    with pytest.raises(Conflict, match="has ended"):
        await room.end_turn(reading_turn(ids, step=1))


async def test_H4_a_part_that_was_read_to_its_end_lets_its_learner_go_on(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    """Nothing, or one thing, was asked about it: no two right answers could show that it is learned."""
    ids = await passages_in(paths, document_queue, database, room)
    await room.end_turn(reading_turn(ids[:1], step=1))
    await room.end_turn(reading_turn(ids[1:], step=2))
    assert not (await room.lesson()).standing.learned
    await room.end_turn(TurnEnd("That was all.", "learning", completes_lesson=True))
    lesson = await room.lesson()
    assert lesson.ended
    assert lesson.standing.learned


@pytest.mark.parametrize(("verdict", "learned"), [("missing", False), ("partly", True), ("met", True)])
async def test_H4_who_says_not_yet_of_their_own_words_has_not_learned_it_by_reading(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database, verdict: Mark, learned: bool
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    pending = await room.end_turn(asking_turn(OPEN, reading=tuple(ids)))
    assert pending is not None
    run, actor = await room.a_turn()
    attempt = await room.tutoring.record_attempt(pending.id, text="They are.", option=None, level=0, actor=actor)
    await SqlGradebook(database, lambda _: None).record(attempt.id, left_to_learner(), actor=actor)
    mark = SelfMark(dict.fromkeys(("c1", "c2"), verdict))
    await room.tutoring.record_self_mark(attempt.id, mark, actor=actor)
    await end_run(room.runs, run)
    settled = HelpLadder(step=LadderStep.SOLVED)
    await room.end_turn(TurnEnd("On we go.", "learning", "4", "evaluation", question=pending, ladder=settled))
    await room.end_turn(TurnEnd("That was all.", "learning", completes_lesson=True))
    assert (await room.lesson()).standing.learned is learned


@pytest.mark.parametrize("said", [("22",), ("22", None)])
async def test_H4_a_missed_question_is_not_made_good_by_reading_to_the_end(
    room: Class,
    paths: SqlPaths,
    document_queue: SqlDocumentQueue,
    database: Database,
    said: tuple[str | None, ...],
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    pending = await room.end_turn(asking_turn(SUM, reading=tuple(ids)))
    assert pending is not None
    run, actor = await room.a_turn()
    for text in said:
        await room.tutoring.record_attempt(pending.id, text=text, option=None, level=0, actor=actor)
    await end_run(room.runs, run)
    settled = HelpLadder(step=LadderStep.SOLVED)
    await room.end_turn(TurnEnd("On we go.", "learning", "4", "evaluation", question=pending, ladder=settled))
    await room.end_turn(TurnEnd("That was all.", "learning", completes_lesson=True))
    assert not (await room.lesson()).standing.learned


async def test_H4_what_can_be_asked_about_is_learned_by_answers_and_not_by_reading(
    room: Class, paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    ids = await passages_in(paths, document_queue, database, room)
    for checkpoint in (SUM, OPEN):
        await room.end_turn(asking_turn(checkpoint, reading=tuple(ids)))
        pending = (await room.lesson()).pending
        solved = HelpLadder().after_attempt(right=True)
        await room.end_turn(TurnEnd("On we go.", "learning", "4", "evaluation", question=pending, ladder=solved))
    await room.end_turn(TurnEnd("That was all.", "learning", completes_lesson=True))
    lesson = await room.lesson()
    assert lesson.ended
    assert not lesson.standing.learned
