"""Lessons in the database, on both: one turn is one transaction, and each is somebody's own (Q2, H1, H3)."""

from dataclasses import replace

import pytest

from sprout.errors import BadInput, Conflict, NotFound, QuestionRefused
from sprout.events import NodeRow
from sprout.learning.lessons.help import HelpLevel, Ladder, NextStep
from sprout.learning.lessons.lesson import Checkpoint, Plan, Posed
from sprout.learning.lessons.tutoring import Card, Drawing, Lesson, TurnEnd, Tutoring
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.learning.paths.shelf import Actor
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.runs.log import CallBegun, Logged
from sprout.runs.state import Run, RunState
from sprout.store.contents import SqlContents
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.memories import SqlMemories
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring
from tests.builders import a_concept, a_run, a_topic, ended, queued, started

FITS: type[Tutoring] = SqlTutoring  # mypy checks it

SUM = Checkpoint(
    QuestionDraft(
        "What is 2 plus 2?", "numeric", "4", 3, ("Adding",), misconceptions=(Misconception("22", "joins the digits"),)
    ),
    "text",
    ("again", "here", "3 plus 1", "1 plus 1 is 2"),
    "What is 1 plus 1?",
    ("1 plus 1 is 2", "2 plus 2 is 4"),
)
OPEN = Checkpoint(
    QuestionDraft(
        "Why does order not matter?",
        "open_ended",
        "both sums count the same things",
        3,
        ("Adding",),
        criteria=(Criterion("same", "says that the same is counted", 0.5), Criterion("all", "says all", 0.5)),
        anchors=("they are the same things", "same"),
    ),
    "text",
    ("a", "b", "c", "d"),
)


class Class:
    """A learner's session on a subconcept, and runs that are turns of it."""

    def __init__(self, runs: SqlRunStore, tutoring: SqlTutoring, node: NodeRow, session_id: str) -> None:
        self.runs = runs
        self.tutoring = tutoring
        self.node = node
        self.session_id = session_id

    async def lesson(self) -> Lesson:
        return await self.tutoring.lesson(self.session_id, user_id=self.node.user_id)

    async def a_turn(self) -> tuple[Run, Actor]:
        run = await started(
            self.runs, a_run(self.node, agent="tutor", label="tutor", lane=f"conversation:{self.node.id}")
        )
        return run, Actor(run.user_id, "tutor", run.id, run.root_id, None, run.epoch)

    async def ended(self, end: TurnEnd) -> Posed | None:
        """What is pending after a turn of its own that ends like this."""
        run, actor = await self.a_turn()
        pending = await self.tutoring.end(self.session_id, end, actor=actor)
        await ended(self.runs, run)
        return pending


@pytest.fixture
def tutoring(database: Database, told: list[Logged]) -> SqlTutoring:
    return SqlTutoring(database, lambda news: told.append(news) if isinstance(news, Logged) else None)


@pytest.fixture
async def room(runs: SqlRunStore, tutoring: SqlTutoring, library: SqlLibrary, database: Database) -> Class:
    concept = await a_concept(library, await a_topic(library), "Sums")
    node = await a_concept(library, concept, "Adding")
    session = await SqlTalk(database).begin_session(DEFAULT_USER_ID, node_id=node.id)
    return Class(runs, tutoring, node, session.id)


def posing(checkpoint: Checkpoint = SUM, **changes: object) -> TurnEnd:
    return replace(TurnEnd("Count them.", "learning", poses=checkpoint, plan=Plan(("add",), 1)), **changes)  # type: ignore[arg-type]


async def test_a_checkpoint_is_read_as_it_was_written(room: Class) -> None:
    pending = await room.ended(posing(OPEN))
    lesson = await room.lesson()
    assert lesson.pending == pending
    assert pending is not None
    assert pending.checkpoint == OPEN
    assert lesson.plan == Plan(("add",), 1)
    assert lesson.asked == ("Why does order not matter?",)


async def test_a_choice_keeps_its_options_and_their_order(room: Class) -> None:
    draft = QuestionDraft("Which is even?", "mcq", "4", 3, ("Adding",), options=("4", "5", "7", "9"))
    pending = await room.ended(posing(Checkpoint(draft, "mcq", ("a", "b", "c", "d"))))
    assert pending is not None
    assert [one.id for one in pending.options] == sorted(one.id for one in pending.options)
    again = (await room.lesson()).pending
    assert again is not None
    assert again.options == pending.options
    assert pending.options["ABCD".index(pending.label or "")].text == "4"


async def test_Q2_a_second_question_is_refused_while_one_is_open(room: Class) -> None:
    first = await room.ended(posing())
    run, actor = await room.a_turn()
    with pytest.raises(Conflict, match="Another question is open"):
        await room.tutoring.end(room.session_id, posing(OPEN), actor=actor)
    with pytest.raises(Conflict, match="still open"):
        await room.tutoring.end(room.session_id, posing(OPEN, question=first, stays=True), actor=actor)
    await ended(room.runs, run)
    assert (await room.lesson()).pending == first


async def test_Q5_a_question_that_cannot_be_asked_leaves_nothing_behind(room: Class, database: Database) -> None:
    bad = replace(SUM, draft=replace(SUM.draft, correct_answer="many"))
    run, actor = await room.a_turn()
    with pytest.raises(QuestionRefused):
        await room.tutoring.end(room.session_id, posing(bad), actor=actor)
    await ended(room.runs, run)
    lesson = await room.lesson()
    assert (lesson.pending, lesson.messages, lesson.asked) == (None, (), ())
    assert await SqlContents(database).active_content(room.node.id, user_id=DEFAULT_USER_ID) is None


async def test_Q2_a_turn_ends_once_however_often_it_is_tried(room: Class, told: list[Logged]) -> None:
    run, actor = await room.a_turn()
    first = await room.tutoring.end(room.session_id, posing(), actor=actor)
    again = await room.tutoring.end(room.session_id, posing(OPEN), actor=actor)
    assert first == again
    await ended(room.runs, run)
    lesson = await room.lesson()
    assert [one.id for one in lesson.messages] == [run.id]
    assert [one.kind for one in told].count("checkpoint_question") == 1
    assert lesson.turn(run.id) is not None


async def test_words_and_reply_are_stored_together_with_the_ladder(room: Class) -> None:
    first = await room.ended(posing())
    assert first is not None
    ladder = Ladder(HelpLevel.READ_AGAIN, attempts=1, step=NextStep.GIVE_HELP)
    attempt = await room.tutoring.attempt(first.id, text="5", option=None, level=0, actor=Actor(DEFAULT_USER_ID))
    end = TurnEnd(
        "Look again.", "learning", said="[ANSWER]\n5", said_kind="evaluation", question=first, ladder=ladder,
        counted=attempt.id, stays=True,
    )  # fmt: skip
    still = await room.ended(end)
    lesson = await room.lesson()
    assert lesson.pending is not None
    assert (lesson.pending.ladder, lesson.pending.counted) == (ladder, attempt.id)
    assert still is not None
    assert [(one.role, one.kind) for one in lesson.messages] == [
        ("assistant", "learning"),
        ("user", "evaluation"),
        ("assistant", "learning"),
    ]
    assert lesson.messages[2].content == "Look again.\n\nQuestion Type: text\n\nQuestion:\nWhat is 2 plus 2?"
    aside = replace(end, kind="hint_response", said_kind="hint_request", question=lesson.pending)
    await room.ended(aside)
    assert (await room.lesson()).messages[-1].content == "Look again."


async def test_H3_an_attempt_knows_its_help_and_moves_mastery(room: Class, told: list[Logged]) -> None:
    first = await room.ended(posing())
    assert first is not None
    run, actor = await room.a_turn()
    wrong = await room.tutoring.attempt(first.id, text="22", option=None, level=0, actor=actor)
    assert wrong.grade is not None
    assert (wrong.grade.correct, wrong.grade.misconceptions) == (False, ("joins the digits",))
    assert await room.tutoring.attempt(first.id, text="22", option=None, level=0, actor=actor) == wrong
    right = await room.tutoring.attempt(first.id, text="4", option=None, level=2, actor=actor)
    assert right.id != wrong.id
    assert await room.tutoring.grade(right.id, user_id=DEFAULT_USER_ID) == right.grade
    await ended(room.runs, run)
    kinds = [one.kind for one in told]
    assert kinds.count("graded") == 2
    assert "mastery_changed" in kinds
    lesson = await room.lesson()
    assert (lesson.attempts, lesson.unaided_right) == (2, 0)
    assert not lesson.mastered


async def test_an_open_attempt_waits_for_its_grade(room: Class) -> None:
    first = await room.ended(posing(OPEN))
    assert first is not None
    run, actor = await room.a_turn()
    attempt = await room.tutoring.attempt(first.id, text="the same", option=None, level=0, actor=actor)
    assert attempt.grade is None
    await ended(room.runs, run)


async def test_somebody_elses_lesson_is_not_there(room: Class, library: SqlLibrary) -> None:
    await library.ensure_user("eve")
    first = await room.ended(posing())
    assert first is not None
    run, actor = await room.a_turn()
    eve = replace(actor, user_id="eve")
    with pytest.raises(NotFound):
        await room.tutoring.lesson(room.session_id, user_id="eve")
    with pytest.raises(NotFound):
        await room.tutoring.attempt(first.id, text="4", option=None, level=0, actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.end(room.session_id, posing(), actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.add_card(room.session_id, Card("example", "a", "b"), actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.raise_concern(room.session_id, "help", actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.keep_drawing(room.session_id, Drawing("image/png", b"x"), user_id="eve")
    drawing_id = await room.tutoring.keep_drawing(room.session_id, Drawing("image/png", b"x"), user_id=DEFAULT_USER_ID)
    with pytest.raises(NotFound):
        await room.tutoring.drawing(drawing_id, user_id="eve")
    assert await room.tutoring.drawing(drawing_id, user_id=DEFAULT_USER_ID) == Drawing("image/png", b"x")
    await ended(room.runs, run)


async def test_a_lesson_is_about_a_subconcept(room: Class, database: Database) -> None:
    talk = SqlTalk(database)
    for node_id in (None, room.node.parent_id):
        session = await talk.begin_session(DEFAULT_USER_ID, node_id=node_id)
        with pytest.raises(BadInput):
            await room.tutoring.lesson(session.id, user_id=DEFAULT_USER_ID)


async def test_cards_and_chunks_stand_in_one_content(room: Class, database: Database) -> None:
    run, actor = await room.a_turn()
    call = replace(actor, call_id="c1")
    await room.runs.append(run, [CallBegun("c1", "generate_example", "{}", "write")])
    await room.tutoring.add_card(room.session_id, Card("example", "Sums", "1 + 1"), actor=call)
    with pytest.raises(Conflict):
        await room.tutoring.add_card(room.session_id, Card("example", "Sums", "1 + 1"), actor=call)
    first = await room.tutoring.end(room.session_id, posing(), actor=actor)
    await ended(room.runs, run)
    again = posing(
        OPEN, question=first, ladder=Ladder(step=NextStep.WORK_THROUGH), reply="In other words.", same_chunk=True
    )
    await room.ended(again)
    contents = await SqlContents(database).contents(room.node.id, user_id=DEFAULT_USER_ID)
    assert len(contents) == 1
    assert contents[0].explanation_md == "Count them."
    assert '"explanation": "In other words."' in (contents[0].cards or "")
    assert '"explanation": "Count them."' not in (contents[0].cards or "")


async def test_a_lesson_that_has_ended_takes_no_turn(room: Class) -> None:
    await room.ended(TurnEnd("Done.", "learning", completes=True))
    assert (await room.lesson()).ended
    run, actor = await room.a_turn()
    with pytest.raises(Conflict, match="has ended"):
        await room.tutoring.end(room.session_id, posing(), actor=actor)
    await ended(room.runs, run)


async def test_prerequisites_and_what_follows_are_those_of_the_path(
    room: Class, library: SqlLibrary, shelf: SqlShelf
) -> None:
    concept = await library.node(room.node.parent_id or "", user_id=DEFAULT_USER_ID)
    before, after = await a_concept(library, concept, "Counting"), await a_concept(library, concept, "Multiplying")
    actor = Actor(DEFAULT_USER_ID)
    await shelf.edit_graph(concept.id, lambda graph: graph.connect(before.id, room.node.id), actor=actor)
    await shelf.edit_graph(concept.id, lambda graph: graph.connect(room.node.id, after.id), actor=actor)
    lesson = await room.lesson()
    assert lesson.following == ("Multiplying",)
    (one,) = await room.tutoring.prerequisites(lesson)
    assert (one.title, one.mastered) == ("Counting", False)
    assert (await room.tutoring.standing(lesson)).score is None


async def test_turns_of_talk_are_not_among_the_runs_of_a_branch(room: Class, runs: SqlRunStore) -> None:
    topic = await queued(runs, a_run(room.node))
    run, _ = await room.a_turn()
    mine = DEFAULT_USER_ID
    assert {one.id for one in await runs.runs(user_id=mine)} == {topic.id, run.id}
    assert [one.id for one in await runs.runs(user_id=mine, with_talk=False)] == [topic.id]
    assert [one.id for one in await runs.latest(mine)] == [topic.id]
    await ended(runs, run, RunState.COMPLETED)


async def test_memories_are_found_by_their_words_and_kept_once(
    room: Class, database: Database, told: list[Logged]
) -> None:
    memories = SqlMemories(database, told.append)  # type: ignore[arg-type]
    run, actor = await room.a_turn()
    boats = await memories.remember("Builds model boats.", actor=actor)
    assert await memories.remember(" builds  MODEL boats. ", actor=actor) == boats
    music = await memories.remember("Plays the horn.", actor=actor)
    assert [one.id for one in await memories.recalled("a boat", user_id=DEFAULT_USER_ID)] == [boats.id]
    assert [one.id for one in await memories.recalled("chess", user_id=DEFAULT_USER_ID)] == [music.id, boats.id]
    for bad in ("", " ", "x" * 501):
        with pytest.raises(BadInput):
            await memories.remember(bad, actor=actor)
    with pytest.raises(NotFound):
        await memories.change_memory(boats.id, "mine", user_id="eve")
    with pytest.raises(NotFound):
        await memories.forget(boats.id, user_id="eve")
    await memories.forget(boats.id, user_id=DEFAULT_USER_ID)
    assert [one.id for one in await memories.memories(DEFAULT_USER_ID)] == [music.id]
    await ended(room.runs, run)
