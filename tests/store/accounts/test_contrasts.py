"""Mix-ups of a class and contrast questions, on both databases: from the answer that shows one to what came of it."""

from datetime import timedelta

import pytest
from sqlmodel import update

from sprout.accounts.class_page.contrasts import Contrasts, ContrastSentAlready, NothingToSend
from sprout.accounts.class_page.progress import ClassMixUp
from sprout.accounts.principal import AccountRole
from sprout.clock import utc_now
from sprout.errors import Conflict, NotFound
from sprout.learning.misconceptions.beliefs import belief_id
from sprout.learning.reviews.repository import ReviewAnswer
from sprout.store.accounts.class_page.repository import SqlClassProgress
from sprout.store.assessment.misconceptions import SqlMisconceptions
from sprout.store.reviews.repository import SqlReviews
from sprout.store.schema import tables
from sprout.store.schema.class_tables import Contrast
from tests.store.accounts.class_page import RIGHT, SAID, STAYS, WRONG, TaughtClass, a_taught_class
from tests.store.accounts.conftest import HERE, SchoolWithPath, an_account

FITS: type[Contrasts] = SqlClassProgress  # mypy checks it


@pytest.fixture
async def taught(school_with_path: SchoolWithPath) -> TaughtClass:
    """Two learners have shown the mix-up two days ago, and the third one has not."""
    taught = await a_taught_class(school_with_path)
    await taught.answer(0, "Counting", WRONG, SAID, days_ago=2)
    await taught.answer(1, "Counting", WRONG, days_ago=2)
    await taught.answer(2, "Counting", RIGHT, days_ago=2)
    await taught.end_diagnostics()
    return taught


async def mix_up(taught: TaughtClass) -> ClassMixUp:
    (found,) = (await taught.page()).mix_ups
    return found


async def send(taught: TaughtClass) -> int:
    mix_up_id = belief_id(STAYS)
    sent = await taught.reports.send(taught.class_id, taught.given_id, mix_up_id, teacher_id=taught.school.teacher)
    return sent.to


async def review(taught: TaughtClass, at: int, text: str) -> str:
    """Begin a session, and answer its first question; its prompt."""
    reviews, learner = SqlReviews(taught.school.database), taught.school.learners[at]
    session, _ = await reviews.start_session(learner)
    assert session.question is not None
    answer = ReviewAnswer(session.question.item_id, text=text, seconds=5)
    replied = await reviews.answer(session.id, answer, user_id=learner)
    assert replied.result.choices == []
    return session.question.prompt


async def test_a_mix_up_is_held_by_those_of_whom_their_own_ledger_says_so(taught: TaughtClass) -> None:
    found = await mix_up(taught)
    assert (found.id, found.statement, found.held, found.can_send, found.sent) == (
        belief_id(STAYS), STAYS, 2, True, None
    )  # fmt: skip
    await taught.answer(1, "Counting", RIGHT, days_ago=0.5)
    await taught.end_diagnostics()
    for learner, states in zip(taught.school.learners, (["open"], ["cleared"], []), strict=True):
        own = await SqlMisconceptions(taught.school.database).mix_ups(learner)
        assert [one.state for one in own] == states
    assert (await mix_up(taught)).held == 1


async def test_a_contrast_is_asked_first_in_the_next_review_and_what_came_of_it_is_told(taught: TaughtClass) -> None:
    with pytest.raises(Conflict):
        await SqlReviews(taught.school.database).start_session(taught.school.learners[0])
    assert await send(taught) == 2
    due = await SqlReviews(taught.school.database).due(taught.school.learners[0])
    assert (due.due, [one.due for one in due.paths]) == (1, [1])
    assert "Counting" in await review(taught, 0, RIGHT)
    await review(taught, 1, WRONG)
    found = await mix_up(taught)
    assert found.sent is not None
    assert (found.held, found.sent.to, found.sent.answered, found.sent.cleared) == (1, 2, 2, 1)
    with pytest.raises(Conflict):  # it was asked once
        await SqlReviews(taught.school.database).start_session(taught.school.learners[1])


async def test_the_same_is_not_sent_twice_within_a_day_and_counts_once_after_it(taught: TaughtClass) -> None:
    await send(taught)
    with pytest.raises(ContrastSentAlready):
        await send(taught)
    before = update(Contrast).values(sent_at=utc_now() - timedelta(days=2))
    await taught.write(before)
    assert await send(taught) == 2
    found = await mix_up(taught)
    assert found.sent is not None
    assert (found.sent.to, found.sent.answered) == (2, 0)
    due = await SqlReviews(taught.school.database).due(taught.school.learners[0])
    assert due.due == 1


async def test_one_who_has_left_is_asked_nothing_and_still_counts_as_one_it_was_sent_to(taught: TaughtClass) -> None:
    await send(taught)
    await taught.school.memberships.leave(taught.class_id, user_id=taught.school.learners[0], origin=HERE)
    with pytest.raises(Conflict):
        await SqlReviews(taught.school.database).start_session(taught.school.learners[0])
    found = await mix_up(taught)
    assert found.sent is not None
    assert (found.held, found.sent.to, found.sent.answered, found.sent.cleared) == (1, 2, 0, 0)


async def test_nothing_is_sent_where_nobody_holds_it_no_question_is_left_or_the_class_is_anothers(
    taught: TaughtClass,
) -> None:
    school, mix_up_id = taught.school, belief_id(STAYS)
    other = await an_account(school.accounts, "Theo", AccountRole.TEACHER)
    for class_id, given_id, teacher in (
        (taught.class_id, taught.given_id, other),
        (school.class_ids[1], taught.given_id, school.teacher),
        (taught.class_id, "unknown", school.teacher),
    ):
        with pytest.raises(NotFound):
            await taught.reports.send(class_id, given_id, mix_up_id, teacher_id=teacher)
    with pytest.raises(NothingToSend):
        await taught.reports.send(taught.class_id, taught.given_id, "unknown", teacher_id=school.teacher)
    await taught.write(update(tables.Question).values(kind="draw"))
    assert not (await mix_up(taught)).can_send
    with pytest.raises(NothingToSend):
        await send(taught)


async def test_what_a_learner_said_is_in_no_mix_up(taught: TaughtClass) -> None:
    assert SAID not in (await taught.page()).model_dump_json()
    (seen,) = await taught.reports.seen(taught.class_id, learner_id=taught.school.learners[0])
    assert seen.mix_ups == [STAYS]
