"""Lessons in the database, on both: one turn is one transaction, and each is somebody's own (Q2, H1, H3)."""

from dataclasses import replace

import pytest

from harness.builders import a_concept, a_run, a_topic, end_run, queue_run, start_run
from sprout.errors import BadInput, Conflict, InvalidQuestion, NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.lessons.checkpoints import AskedCheckpoint, LessonCheckpoint
from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel, LadderStep
from sprout.learning.lessons.lesson_plan import LessonPlan
from sprout.learning.lessons.repository import Card, Drawing, Lesson, LessonRepository, TurnEnd
from sprout.learning.marking.answer_keys import Solution
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.runs.run_store import CallBegun, StoredEvent
from sprout.runs.state import Run, RunState
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.engine.database import Database
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.lessons.memories import SqlMemories
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.paths.contents import SqlContents
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore

FITS: type[LessonRepository] = SqlLessonRepository  # mypy checks it

SUM = LessonCheckpoint(
    QuestionDraft(
        "What is 2 plus 2?",
        "numeric",
        "4",
        3,
        ("Adding",),
        misconceptions=(Misconception("22", "joins the digits"),),
        solution=("1 plus 1 is 2", "2 plus 2 is 4"),
    ),
    "text",
    ("again", "here", "3 plus 1", "1 plus 1 is 2"),
)
OPEN = LessonCheckpoint(
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

    def __init__(self, runs: SqlRunStore, tutoring: SqlLessonRepository, node: NodeRow, session_id: str) -> None:
        self.runs = runs
        self.tutoring = tutoring
        self.node = node
        self.session_id = session_id

    async def lesson(self) -> Lesson:
        return await self.tutoring.lesson(self.session_id, user_id=self.node.user_id)

    async def a_turn(self) -> tuple[Run, Actor]:
        run = await start_run(
            self.runs, a_run(self.node, agent="tutor", label="tutor", lane=f"conversation:{self.node.id}")
        )
        return run, Actor(run.user_id, "tutor", run.id, run.root_id, None, run.epoch)

    async def end_turn(self, end: TurnEnd) -> AskedCheckpoint | None:
        """Pending checkpoint after a turn that ends like this."""
        run, actor = await self.a_turn()
        pending = await self.tutoring.end_turn(self.session_id, end, actor=actor)
        await end_run(self.runs, run)
        return pending


@pytest.fixture
def tutoring(database: Database, published: list[StoredEvent]) -> SqlLessonRepository:
    return SqlLessonRepository(
        database, lambda message: published.append(message) if isinstance(message, StoredEvent) else None
    )


@pytest.fixture
async def room(runs: SqlRunStore, tutoring: SqlLessonRepository, paths: SqlPaths, database: Database) -> Class:
    concept = await a_concept(paths, await a_topic(paths), "Sums")
    node = await a_concept(paths, concept, "Adding")
    session = await SqlConversations(database).start_session(DEFAULT_USER_ID, node_id=node.id)
    return Class(runs, tutoring, node, session.id)


def asking_turn(checkpoint: LessonCheckpoint = SUM, **changes: object) -> TurnEnd:
    return replace(TurnEnd("Count them.", "learning", asks=checkpoint, plan=LessonPlan(("add",), 1, (1,))), **changes)  # type: ignore[arg-type]


async def test_a_checkpoint_is_read_as_it_was_written(room: Class) -> None:
    pending = await room.end_turn(asking_turn(OPEN))
    lesson = await room.lesson()
    assert lesson.pending == pending
    assert pending is not None
    assert pending.checkpoint == OPEN
    assert lesson.plan == LessonPlan(("add",), 1, (1,))
    assert lesson.asked_prompts == ("Why does order not matter?",)


async def test_a_choice_keeps_its_options_and_their_order(room: Class) -> None:
    draft = QuestionDraft("Which is even?", "mcq", "4", 3, ("Adding",), options=("4", "5", "7", "9"))
    pending = await room.end_turn(asking_turn(LessonCheckpoint(draft, "mcq", ("a", "b", "c", "d"))))
    assert pending is not None
    assert [one.id for one in pending.options] == sorted(one.id for one in pending.options)
    again = (await room.lesson()).pending
    assert again is not None
    assert again.options == pending.options
    assert pending.options["ABCD".index(pending.label or "")].text == "4"


async def test_Q2_a_second_question_is_refused_while_one_is_open(room: Class) -> None:
    first = await room.end_turn(asking_turn())
    run, actor = await room.a_turn()
    with pytest.raises(Conflict, match="Another question is open"):
        await room.tutoring.end_turn(room.session_id, asking_turn(OPEN), actor=actor)
    turn = asking_turn(OPEN, question=first, keeps_question=True)
    with pytest.raises(Conflict, match="still open"):
        await room.tutoring.end_turn(room.session_id, turn, actor=actor)
    await end_run(room.runs, run)
    assert (await room.lesson()).pending == first


async def test_Q3_a_question_that_is_taken_back_while_the_tutor_speaks_leaves_its_words(
    room: Class, database: Database
) -> None:
    pending = await room.end_turn(asking_turn())
    assert pending is not None
    run, actor = await room.a_turn()
    concept_id, keys = room.node.parent_id or "", SqlAnswerKeys(database, lambda _: None)
    await keys.save_solutions(concept_id, [Solution(pending.id, 0.9, number="5")], actor=Actor(DEFAULT_USER_ID))
    end = TurnEnd("Count them once more.", "hint_response", question=pending, keeps_question=True)
    assert await room.tutoring.end_turn(room.session_id, end, actor=actor) is None
    await end_run(room.runs, run)
    lesson = await room.lesson()
    assert (lesson.pending, lesson.messages[-1].content) == (None, "Count them once more.")


async def test_Q5_a_question_that_cannot_be_asked_leaves_nothing_behind(room: Class, database: Database) -> None:
    bad = replace(SUM, draft=replace(SUM.draft, correct_answer="many"))
    run, actor = await room.a_turn()
    with pytest.raises(InvalidQuestion):
        await room.tutoring.end_turn(room.session_id, asking_turn(bad), actor=actor)
    await end_run(room.runs, run)
    lesson = await room.lesson()
    assert (lesson.pending, lesson.messages, lesson.asked_prompts) == (None, (), ())
    assert await SqlContents(database).active_content(room.node.id, user_id=DEFAULT_USER_ID) is None


async def test_Q2_a_turn_ends_once_however_often_it_is_tried(room: Class, published: list[StoredEvent]) -> None:
    run, actor = await room.a_turn()
    first = await room.tutoring.end_turn(room.session_id, asking_turn(), actor=actor)
    again = await room.tutoring.end_turn(room.session_id, asking_turn(OPEN), actor=actor)
    assert first == again
    await end_run(room.runs, run)
    lesson = await room.lesson()
    assert [one.id for one in lesson.messages] == [run.id]
    assert [one.kind for one in published].count("checkpoint_question") == 1
    assert lesson.reply_of_run(run.id) is not None


async def test_words_and_reply_are_stored_together_with_the_ladder(room: Class) -> None:
    first = await room.end_turn(asking_turn())
    assert first is not None
    ladder = HelpLadder(HelpLevel.READ_AGAIN, attempts=1, step=LadderStep.GIVE_HELP)
    attempt = await room.tutoring.record_attempt(first.id, text="5", option=None, level=0, actor=Actor(DEFAULT_USER_ID))
    end = TurnEnd(
        "Look again.", "learning", learner_message="[ANSWER]\n5", learner_message_kind="evaluation", question=first,
        ladder=ladder, attempt_id=attempt.id, keeps_question=True,
    )  # fmt: skip
    still = await room.end_turn(end)
    lesson = await room.lesson()
    assert lesson.pending is not None
    assert (lesson.pending.ladder, lesson.pending.last_attempt_id) == (ladder, attempt.id)
    assert still is not None
    assert [(one.role, one.kind) for one in lesson.messages] == [
        ("assistant", "learning"),
        ("user", "evaluation"),
        ("assistant", "learning"),
    ]
    assert lesson.messages[2].content == "Look again.\n\nQuestion Type: text\n\nQuestion:\nWhat is 2 plus 2?"
    aside = replace(end, kind="hint_response", learner_message_kind="hint_request", question=lesson.pending)
    await room.end_turn(aside)
    assert (await room.lesson()).messages[-1].content == "Look again."


async def test_H3_an_attempt_knows_its_help_and_moves_mastery(room: Class, published: list[StoredEvent]) -> None:
    first = await room.end_turn(asking_turn())
    assert first is not None
    run, actor = await room.a_turn()
    wrong = await room.tutoring.record_attempt(first.id, text="22", option=None, level=0, actor=actor)
    assert wrong.grade is not None
    assert (wrong.grade.correct, wrong.grade.misconceptions) == (False, ("joins the digits",))
    assert await room.tutoring.record_attempt(first.id, text="22", option=None, level=0, actor=actor) == wrong
    right = await room.tutoring.record_attempt(first.id, text="4", option=None, level=2, actor=actor)
    assert right.id != wrong.id
    assert await room.tutoring.grade(right.id, user_id=DEFAULT_USER_ID) == right.grade
    await end_run(room.runs, run)
    kinds = [one.kind for one in published]
    assert kinds.count("graded") == 2
    assert "mastery_changed" in kinds
    lesson = await room.lesson()
    assert (lesson.standing.attempts, lesson.unaided_right) == (2, 0)
    assert (lesson.standing.learned, lesson.standing.needed, lesson.standing.mastered_from) == (False, 2, None)


async def test_an_open_attempt_waits_for_its_grade(room: Class) -> None:
    first = await room.end_turn(asking_turn(OPEN))
    assert first is not None
    run, actor = await room.a_turn()
    attempt = await room.tutoring.record_attempt(first.id, text="the same", option=None, level=0, actor=actor)
    assert attempt.grade is None
    await end_run(room.runs, run)


async def test_another_learners_lesson_is_not_there(room: Class, paths: SqlPaths) -> None:
    await paths.ensure_user("eve")
    first = await room.end_turn(asking_turn())
    assert first is not None
    run, actor = await room.a_turn()
    eve = replace(actor, user_id="eve")
    with pytest.raises(NotFound):
        await room.tutoring.lesson(room.session_id, user_id="eve")
    with pytest.raises(NotFound):
        await room.tutoring.record_attempt(first.id, text="4", option=None, level=0, actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.end_turn(room.session_id, asking_turn(), actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.add_card(room.session_id, Card("example", "a", "b"), actor=eve)
    with pytest.raises(NotFound):
        await room.tutoring.save_drawing(room.session_id, Drawing("image/png", b"x"), user_id="eve")
    drawing_id = await room.tutoring.save_drawing(room.session_id, Drawing("image/png", b"x"), user_id=DEFAULT_USER_ID)
    with pytest.raises(NotFound):
        await room.tutoring.drawing(drawing_id, user_id="eve")
    assert await room.tutoring.drawing(drawing_id, user_id=DEFAULT_USER_ID) == Drawing("image/png", b"x")
    await end_run(room.runs, run)


async def test_a_lesson_is_about_a_subconcept(room: Class, database: Database) -> None:
    talk = SqlConversations(database)
    for node_id in (None, room.node.parent_id):
        session = await talk.start_session(DEFAULT_USER_ID, node_id=node_id)
        with pytest.raises(BadInput):
            await room.tutoring.lesson(session.id, user_id=DEFAULT_USER_ID)


async def test_cards_and_chunks_stand_in_one_content(room: Class, database: Database) -> None:
    run, actor = await room.a_turn()
    call = replace(actor, call_id="c1")
    await room.runs.append(run, [CallBegun("c1", "generate_example", "{}", "write")])
    await room.tutoring.add_card(room.session_id, Card("example", "Sums", "1 + 1"), actor=call)
    with pytest.raises(Conflict):
        await room.tutoring.add_card(room.session_id, Card("example", "Sums", "1 + 1"), actor=call)
    first = await room.tutoring.end_turn(room.session_id, asking_turn(), actor=actor)
    await end_run(room.runs, run)
    again = asking_turn(
        OPEN, question=first, ladder=HelpLadder(step=LadderStep.WORK_THROUGH), reply="In other words.", same_step=True
    )
    await room.end_turn(again)
    contents = await SqlContents(database).contents(room.node.id, user_id=DEFAULT_USER_ID)
    assert len(contents) == 1
    assert contents[0].explanation_md == "Count them."
    assert '"explanation": "In other words."' in (contents[0].cards or "")
    assert '"explanation": "Count them."' not in (contents[0].cards or "")


async def test_a_lesson_that_has_ended_takes_no_turn(room: Class) -> None:
    await room.end_turn(TurnEnd("Done.", "learning", completes_lesson=True))
    assert (await room.lesson()).ended
    run, actor = await room.a_turn()
    with pytest.raises(Conflict, match="has ended"):
        await room.tutoring.end_turn(room.session_id, asking_turn(), actor=actor)
    await end_run(room.runs, run)


async def test_prerequisites_and_what_follows_are_those_of_the_path(
    room: Class, paths: SqlPaths, repositories: SqlPathRepository
) -> None:
    concept = await paths.node(room.node.parent_id or "", user_id=DEFAULT_USER_ID)
    before, after = await a_concept(paths, concept, "Counting"), await a_concept(paths, concept, "Multiplying")
    actor = Actor(DEFAULT_USER_ID)
    await repositories.edit_graph(concept.id, lambda graph: graph.connect(before.id, room.node.id), actor=actor)
    await repositories.edit_graph(concept.id, lambda graph: graph.connect(room.node.id, after.id), actor=actor)
    lesson = await room.lesson()
    assert lesson.dependents == ("Multiplying",)
    (one,) = await room.tutoring.prerequisites(lesson)
    assert (one.title, one.learned) == ("Counting", False)
    assert (await room.tutoring.diagnostic_result(lesson)).score is None


async def test_turns_of_talk_are_not_among_the_runs_of_a_branch(room: Class, runs: SqlRunStore) -> None:
    topic = await queue_run(runs, a_run(room.node))
    run, _ = await room.a_turn()
    mine = DEFAULT_USER_ID
    assert {one.id for one in await runs.runs(user_id=mine)} == {topic.id, run.id}
    assert [one.id for one in await runs.runs(user_id=mine, include_conversations=False)] == [topic.id]
    assert [one.id for one in await runs.latest(mine)] == [topic.id]
    await end_run(runs, run, RunState.COMPLETED)


async def test_memories_are_found_by_their_words_and_kept_once(
    room: Class, database: Database, published: list[StoredEvent]
) -> None:
    memories = SqlMemories(database, published.append)  # type: ignore[arg-type]
    run, actor = await room.a_turn()
    boats = await memories.remember("Builds model boats.", actor=actor)
    assert await memories.remember(" builds  MODEL boats. ", actor=actor) == boats
    music = await memories.remember("Plays the horn.", actor=actor)
    assert [one.id for one in await memories.search("a boat", user_id=DEFAULT_USER_ID)] == [boats.id]
    assert [one.id for one in await memories.search("chess", user_id=DEFAULT_USER_ID)] == [music.id, boats.id]
    for bad in ("", " ", "x" * 501):
        with pytest.raises(BadInput):
            await memories.remember(bad, actor=actor)
    with pytest.raises(NotFound):
        await memories.change_memory(boats.id, "mine", user_id="eve")
    with pytest.raises(NotFound):
        await memories.forget(boats.id, user_id="eve")
    await memories.forget(boats.id, user_id=DEFAULT_USER_ID)
    assert [one.id for one in await memories.memories(DEFAULT_USER_ID)] == [music.id]
    await end_run(room.runs, run)
