"""Placements in the store: from stored answers alone, left and taken up, and what follows from what they find."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from sqlalchemy import delete, func, select
from sqlmodel import select as select_rows

from sprout.clock import utc_now
from sprout.errors import BadInput, Conflict, NotFound
from sprout.learning.actor import Actor
from sprout.learning.paths.next_lesson import next_lesson
from sprout.learning.paths.path_file import validate_path
from sprout.learning.paths.repository import BranchGraph
from sprout.learning.placement.knowledge_space import Placed
from sprout.learning.placement.repository import PlacementAnswer, PlacementSession
from sprout.store.assessment.voiding import void_question
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.placement.repository import SqlPlacements
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.placement_tables import PlacementFinding, PlacementItem
from sprout.store.schema.review_tables import ReviewCard
from tests.store.reviews.learned_path import ME, RIGHT, WRONG, a_path

OTHER = "another"
KNOWN = {"Shares", "Splits"}

_nodes, _questions, _answers = table_of(tables.Node), table_of(tables.Question), table_of(tables.Answer)
_progress, _cards = table_of(tables.Progress), table_of(ReviewCard)
_items, _findings = table_of(PlacementItem), table_of(PlacementFinding)


@dataclass
class Placing:
    """A learner with a path of five parts of which nothing is learned: they know two of the first concept's three."""

    database: Database
    placements: SqlPlacements
    paths: SqlPaths
    branch_id: str
    ids: dict[str, str]
    known: set[str] = field(default_factory=lambda: set(KNOWN))

    async def start(self, **of: Any) -> PlacementSession:
        session, _ = await self.placements.start(user_id=ME, **(of or {"branch_id": self.branch_id}))
        return session

    async def reply(self, session: PlacementSession, text: str | None = None) -> PlacementSession:
        """Answer the open question as the learner can; `text` is another answer."""
        assert session.question is not None
        words = text or (RIGHT if session.question.title in self.known else None)
        answer = PlacementAnswer(session.question.item_id, text=words)
        return await self.placements.answer(session.id, answer, user_id=ME)

    async def all_of(self, session: PlacementSession) -> PlacementSession:
        while session.question is not None:
            session = await self.reply(session)
        return session

    async def rows(self, statement: Any) -> Any:
        return await self.database.read_tx(lambda connection: connection.execute(statement).all())

    async def progress(self, title: str) -> Any:
        found = await self.rows(select(_progress).where(_progress.c.node_id == self.ids[title]))
        return found[0] if found else None

    async def learned(self) -> set[str]:
        found = await self.rows(select(_progress.c.node_id).where(_progress.c.completed_at.is_not(None)))
        return {title for title, node_id in self.ids.items() if node_id in {row.node_id for row in found}}

    async def next_title(self) -> str | None:
        graph: BranchGraph = await self.paths.graph(self.branch_id, user_id=ME)
        lesson = next_lesson(graph, {})
        return None if lesson is None else lesson.part.title

    async def remove(self, title: str) -> None:
        await self.paths.delete_node(self.ids[title], user_id=ME)


@pytest.fixture
async def placing(database: Database, paths: SqlPaths) -> Placing:
    await database.write_tx(lambda tx: tx.session.add_all([tables.User(id=ME), tables.User(id=OTHER)]))
    branch = await SqlPathExchange(database).import_path(validate_path(a_path()), user_id=ME)
    rows = await database.read_tx(lambda connection: connection.execute(select(_nodes.c.title, _nodes.c.id)).all())
    return Placing(database, SqlPlacements(database), paths, branch.id, {row.title: row.id for row in rows})


async def test_P1_what_is_found_known_is_learned_and_the_next_step_follows(placing: Placing) -> None:
    assert await placing.next_title() == "Shares"
    done = await placing.all_of(await placing.start())
    assert done.outcome == "placed"
    placed = {node.title: node.placed for node in done.nodes}
    assert (placed["Shares"], placed["Splits"], placed["Trees"]) == (Placed.KNOWN, Placed.KNOWN, Placed.READY)
    assert await placing.learned() == KNOWN
    assert await placing.next_title() == "Trees"


async def test_H4_what_was_found_follows_from_the_answers_and_goes_with_a_question_that_was_wrong(
    placing: Placing,
) -> None:
    check = await placing.all_of(await placing.start(node_id=placing.ids["Splits"]))
    assert check.outcome == "confirmed"
    assert await placing.learned() == KNOWN
    for row in await placing.rows(select(_items.c.question_id)):
        await placing.database.write_tx(lambda tx, question_id=row.question_id: _void(tx, question_id))  # type: ignore[misc]
    assert await placing.learned() == set()
    again = await placing.placements.session(check.id, user_id=ME)
    assert (again.outcome, [node.found for node in again.nodes]) == ("not_confirmed", [False, False])


async def test_V1_what_is_found_known_is_reviewed_a_day_later(placing: Placing) -> None:
    await placing.all_of(await placing.start(node_id=placing.ids["Splits"]))
    cards = await placing.rows(select(_cards.c.node_id, _cards.c.due_at, _cards.c.learned_at))
    assert {row.node_id for row in cards} == {placing.ids[title] for title in KNOWN}
    assert all((row.due_at - row.learned_at).days == 1 for row in cards)


async def test_P1_its_answers_are_evidence_like_any_other(placing: Placing) -> None:
    session = await placing.start()
    title = session.question.title if session.question else ""
    await placing.reply(session, RIGHT)
    row = await placing.progress(title)
    assert row.attempts_count == 1
    assert 0 < row.mastery_score < 0.7


async def test_Q4_i_do_not_know_and_skip_are_no_attempts(placing: Placing) -> None:
    session = await placing.start()
    assert session.question is not None
    session = await placing.placements.answer(session.id, PlacementAnswer(session.question.item_id), user_id=ME)
    assert (session.answered, session.question is not None) == (1, True)
    skipped = session.question
    assert skipped is not None
    session = await placing.placements.skip(session.id, skipped.item_id, user_id=ME)
    assert session.answered == 1
    assert session.question is None or session.question.node_id != skipped.node_id
    assert await placing.rows(select(_progress.c.id).where(_progress.c.attempts_count > 0)) == []


async def test_P1_it_is_left_and_taken_up_where_it_was(placing: Placing) -> None:
    session = await placing.reply(await placing.start())
    placing.placements = SqlPlacements(placing.database)  # another process
    again, is_new = await placing.placements.start(user_id=ME, branch_id=placing.branch_id)
    assert not is_new
    assert again == session == await placing.placements.session(session.id, user_id=ME)
    overview = await placing.placements.overview(placing.branch_id, user_id=ME)
    assert (overview.open_id, overview.last_id, overview.questions) == (session.id, None, 5)


async def test_Q4_after_a_question_is_voided_the_findings_are_as_if_it_had_never_been_asked(placing: Placing) -> None:
    """What the placement itself had found is no evidence of it."""
    placing.known = {*KNOWN, "Trees", "Odds", "Back to chances"}
    done = await placing.all_of(await placing.start())
    assert await placing.learned()
    asked = await placing.rows(select(_items.c.question_id).where(_items.c.placement_id == done.id))
    for row in asked:
        await placing.database.write_tx(partial(_void, question_id=row.question_id))
    assert {row.known for row in await placing.rows(select(_findings.c.known))} == {False}
    assert await placing.learned() == set()


async def test_P1_it_can_be_ended_early(placing: Placing) -> None:
    session = await placing.start(node_id=placing.ids["Splits"])
    done = await placing.placements.finish(session.id, user_id=ME)
    assert (done.outcome, done.question) == ("not_confirmed", None)
    assert done == await placing.placements.finish(session.id, user_id=ME)
    with pytest.raises(Conflict):
        await placing.reply(session, RIGHT)


async def test_P1_the_learner_overrules_what_was_found_and_takes_it_back(placing: Placing) -> None:
    done = await placing.all_of(await placing.start())
    learned_at = (await placing.progress("Splits")).completed_at
    less = await placing.placements.overrule(done.id, placing.ids["Splits"], False, user_id=ME)
    assert {node.title: (node.placed, node.found, node.said) for node in less.nodes}["Splits"] == (
        Placed.READY, True, False,
    )  # fmt: skip
    assert await placing.learned() == {"Shares"}
    assert await placing.next_title() == "Splits"
    assert await placing.placements.overrule(done.id, placing.ids["Splits"], True, user_id=ME) == done
    assert (await placing.progress("Splits")).completed_at == learned_at
    more = await placing.placements.overrule(done.id, placing.ids["Trees"], True, user_id=ME)
    assert {node.title: node.said for node in more.nodes}["Trees"] is True
    assert await placing.learned() == {*KNOWN, "Trees", "Counts"}


async def test_H4_a_miss_later_takes_back_what_a_placement_claimed(placing: Placing) -> None:
    await placing.all_of(await placing.start(node_id=placing.ids["Splits"]))
    placing.known = set()
    session = await placing.start(node_id=placing.ids["Splits"])
    await placing.reply(session, WRONG)
    assert await placing.learned() == {"Shares"}


async def test_P1_the_learners_word_stands_after_what_was_learned_or_missed_since(placing: Placing) -> None:
    check = await placing.all_of(await placing.start(node_id=placing.ids["Splits"]))
    await placing.reply(await placing.start(node_id=placing.ids["Splits"]), WRONG)
    again = await placing.placements.overrule(check.id, placing.ids["Splits"], True, user_id=ME)
    assert [node.said for node in again.nodes if node.title == "Splits"] == [True]
    assert await placing.learned() == KNOWN
    await placing.placements.overrule(check.id, placing.ids["Splits"], True, user_id=ME)
    assert await placing.learned() == {"Shares"}, "their word was taken back"


async def test_P1_what_the_learner_says_they_do_not_know_is_not_inferred_by_a_check_of_what_builds_on_it(
    placing: Placing,
) -> None:
    done = await placing.all_of(await placing.start())
    await placing.placements.overrule(done.id, placing.ids["Shares"], False, user_id=ME)
    assert await placing.learned() == {"Splits"}
    placing.known |= {"Trees"}
    check = await placing.start(node_id=placing.ids["Trees"])
    while check.question is not None:
        assert check.question.title != "Shares"
        check = await placing.reply(check)
    assert check.outcome == "confirmed"
    assert await placing.learned() == {"Splits", "Trees"}, "and not Shares, on which they rest"


async def test_P1a_i_know_this_is_not_confirmed_by_a_miss(placing: Placing) -> None:
    placing.known = set()
    check = await placing.all_of(await placing.start(node_id=placing.ids["Trees"]))
    assert (check.outcome, check.answered, check.title) == ("not_confirmed", 1, "Trees")
    assert await placing.learned() == set()


async def test_P1a_a_concept_is_checked_by_two_of_its_parts(placing: Placing) -> None:
    placing.known |= {"For and against", "Back to chances"}
    check = await placing.all_of(await placing.start(node_id=placing.ids["Odds"]))
    assert (check.outcome, check.answered) == ("confirmed", 2)
    assert await placing.learned() == {"For and against", "Back to chances", "Odds"}


async def test_P1_an_answer_twice_is_one_and_another_to_the_same_question_is_refused(placing: Placing) -> None:
    session = await placing.start()
    after = await placing.reply(session, RIGHT)
    assert await placing.reply(session, RIGHT) == after
    with pytest.raises(Conflict, match="answered already"):
        await placing.reply(session, WRONG)
    with pytest.raises(Conflict, match="answered already"):
        await placing.placements.skip(session.id, session.question.item_id if session.question else "", user_id=ME)
    assert len(await placing.rows(select(_answers.c.id))) == 1


async def test_P1_devices_at_once_start_one_placement_and_count_one_answer(placing: Placing) -> None:
    started = await asyncio.gather(
        *(placing.placements.start(user_id=ME, branch_id=placing.branch_id) for _ in range(4))
    )
    assert len({session.id for session, _ in started}) == 1
    assert [is_new for _, is_new in started].count(True) == 1
    session = started[0][0]
    replies = await asyncio.gather(
        *(placing.reply(session, text) for text in (RIGHT, WRONG, RIGHT, WRONG)), return_exceptions=True
    )
    assert [type(one) for one in replies].count(Conflict) == 2
    assert len(await placing.rows(select(_answers.c.id))) == 1
    assert len(await placing.rows(select(_items.c.id))) == 2


async def test_P1_what_cannot_be_read_leaves_the_question_open(placing: Placing) -> None:
    session = await placing.start()
    with pytest.raises(BadInput):
        await placing.reply(session, "what do you mean?")
    unread = await placing.reply(session, "2 or 3")
    assert unread.feedback
    assert unread.question == session.question
    assert (await placing.reply(unread, RIGHT)).answered == 1


async def test_P1_a_part_that_is_removed_meanwhile_is_not_asked_about(placing: Placing) -> None:
    session = await placing.start()
    assert session.question is not None
    await placing.remove(session.question.title)
    with pytest.raises((Conflict, NotFound)):
        await placing.reply(session, RIGHT)
    again = await placing.placements.session(session.id, user_id=ME)
    assert again.question is not None
    assert again.question.node_id != session.question.node_id
    done = await placing.all_of(again)
    assert session.question.title not in {node.title for node in done.nodes}


async def test_G3_undoing_a_removal_brings_back_what_was_found(placing: Placing) -> None:
    await placing.all_of(await placing.start(node_id=placing.ids["Splits"]))
    before = await placing.progress("Splits")
    await placing.remove("Splits")
    (change, *_) = await placing.paths.changes(placing.branch_id, user_id=ME)
    await placing.paths.undo(change.id, user_id=ME)
    after = await placing.progress("Splits")
    assert (after.completed_at, after.mastery_score) == (before.completed_at, before.mastery_score)
    assert len(await placing.rows(select(_findings.c.id))) == 2


async def test_P1_a_path_that_grows_meanwhile_is_placed_as_it_is_by_then(
    placing: Placing, repositories: SqlPathRepository
) -> None:
    session = await placing.start()
    await repositories.edit_graph(
        placing.ids["Odds"], lambda graph: graph.add("Late", None, utc_now()), actor=Actor(ME)
    )
    done = await placing.all_of(session)
    assert {node.title: node.placed for node in done.nodes}["Late"] in (Placed.READY, Placed.LATER)


async def test_P1_where_nothing_can_be_asked_it_says_what_to_do(placing: Placing) -> None:
    await placing.database.write_tx(lambda tx: tx.connection.execute(delete(_questions)))
    with pytest.raises(Conflict, match="Start with a lesson"):
        await placing.start()
    assert (await placing.placements.overview(placing.branch_id, user_id=ME)).questions == 0
    assert await placing.rows(select(func.count()).select_from(_items)) == [(0,)]


async def test_D13_another_learners_placement_is_not_there(placing: Placing) -> None:
    session = await placing.start()
    assert session.question is not None
    answer = PlacementAnswer(session.question.item_id, text=RIGHT)
    with pytest.raises(NotFound):
        await placing.placements.session(session.id, user_id=OTHER)
    with pytest.raises(NotFound):
        await placing.placements.answer(session.id, answer, user_id=OTHER)
    with pytest.raises(NotFound):
        await placing.placements.start(user_id=OTHER, branch_id=placing.branch_id)
    with pytest.raises(NotFound):
        await placing.placements.start(user_id=OTHER, node_id=placing.ids["Trees"])
    for of in ({}, {"branch_id": placing.branch_id, "node_id": placing.ids["Trees"]}):
        with pytest.raises(BadInput):
            await placing.placements.start(user_id=ME, **of)


def _void(tx: WriteTransaction, question_id: str) -> None:
    wanted = select_rows(tables.Question).where(tables.Question.id == question_id)
    question = tx.session.exec(wanted).one()
    void_question(tx, question, lock_node(tx.connection, question.node_id or "", ME), ME, utc_now())
