"""The learner's day from rows, on both databases: what was done, what was gained, and what comes."""

from datetime import timedelta

from sprout.learning.reviews.day import is_day_done
from sprout.learning.reviews.repository import SettingsChange
from tests.store.reviews.learned_path import ME, PARTS, WRONG, Learner

COUNT = sum(len(parts) for parts in PARTS.values())


async def test_what_was_learned_today_is_gained_and_comes_tomorrow(learner: Learner) -> None:
    day = await learner.reviews.day(ME)
    assert {part.title for part in day.done.learned} == {*learner.parts}
    assert (day.week.parts, [one.parts for one in day.week.paths]) == (COUNT, [COUNT])
    assert (day.due.today, day.due_parts, day.coming[0].reviews) == (0, frozenset(), COUNT)
    assert is_day_done(day)


async def test_a_day_with_reviews_is_done_once_they_are_and_its_minutes_are_used_up(learner: Learner) -> None:
    learner.clock.move(days=2)
    assert (await learner.reviews.day(ME)).due_parts == {*learner.parts.values()}
    await learner.start()
    await learner.reply(WRONG)
    await learner.finish()
    day = await learner.reviews.day(ME)
    assert (day.done.reviewed, day.done.recalled) == (learner.device and learner.device.total, day.done.reviewed - 1)
    assert (day.week.reviewed, day.due.today, day.done.learned) == (day.done.reviewed, 0, [])
    assert not is_day_done(day), "a lesson still fits the day"


async def test_V5_after_two_weeks_away_the_backlog_is_spread_and_none_of_it_is_lost(learner: Learner) -> None:
    await learner.reviews.change_settings(ME, SettingsChange(minutes=5))
    learner.clock.move(days=15)
    day = await learner.reviews.day(ME)
    assert day.due.today + sum(one.reviews for one in day.coming) == day.due.due
    assert max(one.minutes for one in day.coming) <= 5


async def test_V5_what_was_done_in_the_night_belongs_to_the_day_before(learner: Learner) -> None:
    zone = "Pacific/Kiritimati"  # 14 hours ahead
    await learner.reviews.change_settings(ME, SettingsChange(time_zone=zone, day_starts_at=4))
    before = await learner.reviews.day(ME)
    assert before.time_zone == zone
    learner.clock.move(days=1)
    after = await learner.reviews.day(ME)
    assert after.date - before.date == timedelta(days=1)
    assert (after.done.learned, after.week.parts) == ([], COUNT)


async def test_another_learner_has_a_day_of_their_own(learner: Learner) -> None:
    day = await learner.reviews.day("somebody else")
    assert (day.due.cards, day.week.parts, day.done.learned, [one.reviews for one in day.coming]) == (
        0,
        0,
        [],
        [0] * 14,
    )


async def test_what_retention_costs_grows_with_the_cards(learner: Learner) -> None:
    costs = await learner.reviews.retention_costs(ME)
    assert [one.retention for one in costs] == [0.8, 0.85, 0.9, 0.95]
    assert costs[3].reviews_per_day > costs[2].reviews_per_day > 0
    assert {one.reviews_per_day for one in await learner.reviews.retention_costs("somebody else")} == {0.0}
