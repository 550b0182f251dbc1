"""Cards as rows: made when a part is learned, gone with it, and always what their reviews make them."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, select, update

from faults.learners.review_dates import TOLERANCE, compare_with_package
from sprout.errors import Conflict
from sprout.learning.paths.progress import ProgressOverride
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.reviews.repository import SettingsChange
from sprout.store.assessment.progress import SqlProgressRepository
from sprout.store.assessment.reports import SqlReports
from sprout.store.assessment.review_cards import reschedule
from sprout.store.assessment.voiding import void_question
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.paths.paths import SqlPaths
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry
from tests.store.reviews.learned_path import ME, PARTS, RIGHT, WRONG, Learner

HISTORIES = 25

_cards, _reviews = table_of(ReviewCard), table_of(ReviewEntry)
_questions, _answers = table_of(tables.Question), table_of(tables.Answer)
_changes = table_of(run_tables.GraphOperation)


async def test_V1_a_part_gets_its_card_when_it_is_learned(learner: Learner) -> None:
    for title in (part for parts in PARTS.values() for part in parts):
        card, progress = await learner.card(title), await learner.progress(title)
        assert card.learned_at == card.seen_at == progress.completed_at
        assert card.due_at == progress.completed_at + timedelta(days=1)
        assert (card.stability, card.difficulty) == (None, None)


async def test_V1_what_a_person_overrules_makes_and_takes_cards(learner: Learner) -> None:
    progress = SqlProgressRepository(learner.database)
    row = await learner.progress("Shares")
    await progress.override(row.id, ProgressOverride(mastery=0.1), user_id=ME)
    assert await learner.card("Shares") is None
    await progress.override(row.id, ProgressOverride(mastery=0.9), user_id=ME)
    assert await learner.card("Shares") is not None


async def test_V3_parity_with_the_package_over_random_histories_through_the_store(learner: Learner) -> None:
    found = await compare_with_package(learner.database, learner.parts["Trees"], histories=HISTORIES, seed=26)
    assert found.reviews > HISTORIES
    assert found.wrong_dates == 0
    assert max(found.stability, found.difficulty) <= TOLERANCE


async def test_V1_a_card_is_what_its_stored_reviews_make_it(learner: Learner) -> None:
    for _ in range(3):
        learner.clock.move(days=40)
        await learner.start(minutes=20)
        await learner.finish()
    before = await learner.rows(select(_cards).order_by(_cards.c.creation))
    spoilt = update(_cards).values(due_at=learner.clock.moment, stability=1.0)
    await learner.database.write_tx(lambda tx: tx.connection.execute(spoilt))
    await learner.database.write_tx(lambda tx: reschedule(tx, list(learner.parts.values()), ME))
    assert await learner.rows(select(_cards).order_by(_cards.c.creation)) == before


async def test_Q4_a_withdrawn_question_takes_its_review_back(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    before = {title: await learner.card(title) for title in learner.parts}
    result = (await learner.reply(WRONG)).result
    await learner.database.write_tx(lambda tx: withdraw(tx, result.question_id, learner))
    assert await learner.history(result.title) == []
    assert (await learner.progress(result.title)).completed_at is not None
    after = await learner.card(result.title)
    assert (after.due_at, after.stability) == (before[result.title].due_at, None)


async def test_Q4_an_open_question_that_is_withdrawn_is_replaced(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    question = session.question
    await learner.database.write_tx(lambda tx: withdraw(tx, question.question_id, learner))
    with pytest.raises(Conflict, match="withdrawn"):
        await learner.reply()
    again = await learner.reviews.session(session.id, user_id=ME)
    assert again.question is not None
    assert (again.question.item_id, again.question.title) == (question.item_id, question.title)
    assert again.question.question_id != question.question_id


async def test_a_removed_part_takes_its_card_and_its_undo_brings_card_and_history_back(
    learner: Learner, paths: SqlPaths
) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    await learner.finish()
    learner.clock.move(days=60)
    session = await learner.start()
    assert session.question is not None
    title = session.question.title
    card, history = await learner.card(title), await learner.history(title)
    await paths.delete_node(learner.parts[title], user_id=ME)
    assert (await learner.card(title), await learner.history(title)) == (None, [])
    with pytest.raises(Conflict, match="removed"):
        await learner.reply()
    left = await learner.reviews.session(session.id, user_id=ME)
    assert left.total == session.total - 1
    assert left.question is not None
    assert left.question.title != title
    (change,) = await learner.rows(select(_changes.c.id).where(_changes.c.removed_rows.is_not(None)))
    await paths.undo(change.id, user_id=ME)
    restored = await learner.card(title)
    assert restored._mapping["due_at"] == card.due_at
    assert (restored.stability, restored.learned_at) == (card.stability, card.learned_at)
    assert await learner.history(title) == history


async def test_G3_undoing_the_removal_of_a_part_that_its_lesson_taught_restores_mastery_and_card(
    learner: Learner, paths: SqlPaths
) -> None:
    node_id = learner.parts["Trees"]
    await learner.database.write_tx(lambda tx: tx.connection.execute(delete(_answers)))
    quiz, _ = await learner.assessments.create_assessment(node_id, user_id=ME, type="quiz", title=None)
    for number in range(2):
        draft = QuestionDraft(f"How many are left of three? ({number})", "numeric", RIGHT, 3, ("Trees",))
        asked = await learner.assessments.add_question(quiz.id, draft, user_id=ME, node_id=node_id)
        await learner.assessments.record_answer(quiz.id, GivenAnswer(asked.id, text=RIGHT), user_id=ME)
    before, card = await learner.progress("Trees"), await learner.card("Trees")
    await paths.delete_node(node_id, user_id=ME)
    (change,) = await learner.rows(select(_changes.c.id).where(_changes.c.removed_rows.is_not(None)))
    await paths.undo(change.id, user_id=ME)
    after, restored = await learner.progress("Trees"), await learner.card("Trees")
    assert (after.completed_at, after.mastery_score) == (before.completed_at, before.mastery_score)
    assert (restored.id, restored.due_at) == (card.id, card.due_at)


async def test_a_clock_that_jumps_back_neither_shortens_nor_doubles(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    await learner.finish()
    before = await learner.rows(select(_cards).order_by(_cards.c.creation))
    learner.clock.move(days=-300)
    found = await learner.reviews.due(ME)
    assert found.due == 0
    with pytest.raises(Conflict, match="Nothing is due"):
        await learner.start(minutes=20)
    assert await learner.rows(select(_cards).order_by(_cards.c.creation)) == before


async def test_a_clock_that_jumps_back_in_a_session_moves_no_date_twice(learner: Learner) -> None:
    learner.clock.move(days=9)
    await learner.start()
    learner.clock.move(days=-30)
    reply = await learner.reply()
    assert reply.result.seconds == 0
    card = await learner.card(reply.result.title)
    assert card.stability is None
    assert card.due_at < learner.clock.moment + timedelta(days=30)


async def test_V5_what_was_done_while_the_clock_was_ahead_takes_nothing_of_the_days_after_it(learner: Learner) -> None:
    learner.clock.move(days=400)
    session = await learner.start()
    await learner.reply()
    learner.device = await learner.reviews.skip(session.id, open_item_id(learner), user_id=ME)
    await learner.reply()
    learner.clock.move(days=-398)
    day = await learner.reviews.day(ME)
    assert (day.due.due, day.due.today, day.due.done_today, day.due.session_id) == (3, 3, 0, None)
    assert (day.done.reviewed, day.done.minutes, day.week.reviewed) == (0, 0, 0)
    assert (await learner.start()).total == 3
    assert {len(await learner.history(title)) for title in learner.parts} == {0, 1}


async def test_an_answer_after_its_card_was_undone_is_refused_with_the_reason_and_counts_for_nothing(
    learner: Learner,
) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    title, answered = session.question.title, await learner.answers()
    row = await learner.progress(title)
    await SqlProgressRepository(learner.database).override(row.id, ProgressOverride(mastery=0.1), user_id=ME)
    with pytest.raises(Conflict, match="is not learned any more, so the answer does not count"):
        await learner.reply()
    assert (await learner.answers(), await learner.history(title)) == (answered, [])
    left = await learner.reviews.session(session.id, user_id=ME)
    assert left.total == session.total - 1
    assert left.question is not None
    assert left.question.title != title


async def test_a_change_of_the_time_zone_loses_and_doubles_nothing(learner: Learner) -> None:
    learner.clock.moment = datetime(2030, 5, 1, 12, tzinfo=UTC)
    due = (await learner.reviews.due(ME)).due
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"):
        await learner.reviews.change_settings(ME, SettingsChange(time_zone=zone, day_starts_at=0))
        assert (await learner.reviews.due(ME)).due == due
    settings = await learner.reviews.settings(ME)
    assert (settings.time_zone, settings.day_starts_at, settings.minutes) == ("Europe/Berlin", 0, 10)


async def test_a_time_zone_in_which_the_session_began_yesterday_loses_and_doubles_no_review(learner: Learner) -> None:
    await learner.reviews.change_settings(ME, SettingsChange(time_zone="UTC", day_starts_at=0, minutes=20))
    learner.clock.moment = datetime(2030, 5, 1, 11, 59, tzinfo=UTC)
    await learner.start()
    await learner.reply()
    old_device, due = learner.device, (await learner.reviews.due(ME)).due
    learner.clock.move(minutes=1)
    await learner.reviews.change_settings(ME, SettingsChange(time_zone="Etc/GMT-12"))  # the second of May there
    assert (await learner.reviews.due(ME)).due == due
    new_device = await learner.start()
    assert new_device.total == due == len(learner.parts) - 1
    learner.device = old_device
    with pytest.raises(Conflict, match="over"):
        await learner.reply()
    learner.device = new_device
    await learner.finish()
    histories = [await learner.history(title) for title in learner.parts]
    assert [sum(not is_credit for _, is_credit in history) for history in histories] == [1] * len(learner.parts)


def open_item_id(learner: Learner) -> str:
    assert learner.device is not None
    assert learner.device.question is not None
    return learner.device.question.item_id


def withdraw(tx: WriteTransaction, question_id: str, learner: Learner) -> None:
    question = tx.session.get_one(tables.Question, _creation(tx, question_id))
    concept = lock_node(tx.connection, question.node_id or "", ME)
    void_question(tx, question, concept, ME, learner.clock())


def _creation(tx: WriteTransaction, question_id: str) -> int:
    found: int = tx.connection.execute(select(_questions.c.creation).where(_questions.c.id == question_id)).scalar_one()
    return found


async def test_V8_a_report_has_recall_as_predicted_and_as_it_came(learner: Learner) -> None:
    reports = SqlReports(learner.database)
    learner.clock.move(days=2)
    await learner.start()
    await learner.finish()
    first = (await reports.report(ME)).recall
    assert (first.reviews, first.recalled, first.finding) == (0, 0, "too_few"), "a first review has no prediction"
    learner.clock.move(days=30)
    await learner.start()
    done = await learner.finish()
    found = (await reports.report(ME, branch_id=learner.branch_id)).recall
    assert found.reviews == found.recalled == len(done)
    assert 0 < found.predicted < found.reviews
    learner.clock.move(days=60)
    await learner.start()
    (missed, *_) = await learner.finish(WRONG)
    assert missed.result.grade == "again"
    after = (await reports.report(ME)).recall
    assert after.recalled == found.recalled
    assert after.reviews > found.reviews
