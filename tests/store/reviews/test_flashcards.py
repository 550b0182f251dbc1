"""Flashcards: what is settled and nothing else, each question once, of all paths or a part of them (open.md O1)."""

from typing import Any

import pytest
from sqlalchemy import update

from sprout.errors import Conflict, NotFound
from sprout.learning.lessons.help_ladder import HelpLadder
from sprout.learning.mastery.flashcards import Flashcard, FlashcardFilter
from sprout.learning.placement.repository import PlacementAnswer
from sprout.store.engine.database import Database
from sprout.store.lessons.checkpoint_questions import ladder_column
from sprout.store.paths.paths import SqlPaths
from sprout.store.placement.repository import SqlPlacements
from sprout.store.reviews.flashcards import SqlFlashcards
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from tests.store.reviews.learned_path import ANSWERED, ME, PARTS, QUESTIONS_OF_PART, RIGHT, Clock, Learner

ALL = sum(map(len, PARTS.values()))
_questions, _assessments = table_of(tables.Question), table_of(tables.Assessment)
_answers, _nodes = table_of(tables.Answer), table_of(tables.Node)


async def cards(learner: Learner, **wanted: Any) -> list[Flashcard]:
    found = await SqlFlashcards(learner.database, now=learner.clock).flashcards(ME, FlashcardFilter(**wanted))
    return list(found)


async def change(learner: Learner, statement: Any) -> None:
    await learner.database.write_tx(lambda tx: tx.connection.execute(statement))


async def test_O1_what_was_answered_to_the_end_is_a_card_of_its_part(learner: Learner) -> None:
    found = await cards(learner)
    assert len(found) == ANSWERED * ALL
    assert {(one.path, one.concept, one.back) for one in found} == {("Chances", part, RIGHT) for part in PARTS}
    assert len(await cards(learner, branch_id=learner.branch_id, unsettled=True)) == QUESTIONS_OF_PART * ALL
    (odds,) = {one.parent_id for one in await nodes(learner) if one.title == "Back to chances"}
    for node_id, parts in ((odds, set(PARTS["Odds"])), (learner.parts["Trees"], {"Trees"})):
        assert {one.about for one in await cards(learner, node_id=node_id)} == parts


async def test_O1_an_unfinished_diagnostic_gives_nothing_away(learner: Learner) -> None:
    await change(learner, update(_assessments).values(completed_at=None))
    with pytest.raises(Conflict, match="no cards here yet"):
        await cards(learner)


async def test_O1_a_question_of_a_lesson_is_a_card_once_its_ladder_has_ended(learner: Learner) -> None:
    question = await learner.question("Trees", 0)
    for ladder, is_card in ((HelpLadder(), False), (HelpLadder().show(), True)):
        column = ladder_column(ladder, None)
        await change(learner, update(_questions).where(_questions.c.id == question.id).values(ladder=column))
        assert (question.prompt in {one.front for one in await cards(learner)}) is is_card
    await change(learner, update(_questions).where(_questions.c.id == question.id).values(state="voided"))
    assert question.prompt not in {one.front for one in await cards(learner)}


async def test_O1_a_question_that_a_review_asks_now_is_no_card_and_its_copy_never_a_second(learner: Learner) -> None:
    before = await cards(learner)
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    open_now = session.question.prompt
    assert open_now not in {one.front for one in await cards(learner)}
    await learner.finish()
    after = {one.id: one.front for one in await cards(learner)}
    assert open_now in after.values()
    assert {one.id for one in before} <= after.keys()
    assert len(set(after.values())) == len(after)


async def test_O1_what_is_due_is_a_choice_of_cards(learner: Learner) -> None:
    with pytest.raises(Conflict, match="Nothing is due"):
        await cards(learner, due=True)
    learner.clock.move(days=1, minutes=1)
    assert {one.about for one in await cards(learner, due=True)} == {part for parts in PARTS.values() for part in parts}
    await learner.start()
    await learner.finish()
    with pytest.raises(Conflict, match="Nothing is due"):
        await cards(learner, due=True)


async def test_O1_answers_of_a_placement_stay_secret(learner: Learner) -> None:
    await change(learner, _answers.delete())
    placements = SqlPlacements(learner.database, now=learner.clock)
    placed, _ = await placements.start(user_id=ME, branch_id=learner.branch_id)
    asked = placed.question
    while placed.question is not None:
        placed = await placements.answer(placed.id, PlacementAnswer(placed.question.item_id, text=RIGHT), user_id=ME)
    assert asked is not None
    with pytest.raises(Conflict, match="no cards"):
        await cards(learner)


async def test_O1_another_learners_path_is_not_found(learner: Learner, database: Database, paths: SqlPaths) -> None:
    await paths.ensure_user("somebody-else")
    flashcards = SqlFlashcards(database, now=Clock())
    for wanted in (FlashcardFilter(learner.branch_id), FlashcardFilter(node_id=learner.parts["Trees"])):
        with pytest.raises(NotFound):
            await flashcards.flashcards("somebody-else", wanted)


async def nodes(learner: Learner) -> Any:
    return await learner.rows(_nodes.select())
