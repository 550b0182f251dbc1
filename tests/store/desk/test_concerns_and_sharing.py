"""Concerns and shared lessons on both databases: what a teacher may know of conversations."""

import pytest

from sprout.accounts.concerns import WHAT_TO_DO, Concerns
from sprout.accounts.principal import AccountRole
from sprout.accounts.shared_lessons import SharedElsewhere, SharedLessons
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.store.desk.concerns import SqlConcerns
from sprout.store.desk.shared_lessons import SqlSharedLessons
from sprout.store.schema import tables
from tests.store.accounts.conftest import CODES, HERE, an_account
from tests.store.desk.conftest import CANARY, ClassAtWork

FITS: tuple[type[Concerns], type[SharedLessons]] = (SqlConcerns, SqlSharedLessons)  # mypy checks it


async def test_a_concern_says_who_and_when_and_never_the_words(at_work: ClassAtWork) -> None:
    one, two, three = at_work.school.learners
    await at_work.lesson(one, concerned=True)
    await at_work.lesson(two, concerned=True)
    await at_work.lesson(three)
    found = await at_work.concerns.concerns(at_work.class_id, teacher_id=at_work.teacher)
    assert [(row.learner_id, row.display_name, row.seen_at) for row in found.concerns] == [
        (two, "L1", None),
        (one, "L0", None),
    ]
    assert (found.what_to_do, found.care_text) == (WHAT_TO_DO, "Call 116 123.")
    assert CANARY not in found.model_dump_json()
    await at_work.concerns.mark_seen(at_work.class_id, found.concerns[1].id, teacher_id=at_work.teacher)
    after = await at_work.concerns.concerns(at_work.class_id, teacher_id=at_work.teacher)
    assert [row.seen_at is None for row in after.concerns] == [True, False]
    await at_work.school.memberships.leave(at_work.class_id, user_id=two, origin=HERE)
    left = await at_work.concerns.concerns(at_work.class_id, teacher_id=at_work.teacher)
    assert [row.learner_id for row in left.concerns] == [one]


async def test_a_concern_outside_of_the_given_paths_or_for_another_teacher_does_not_exist(at_work: ClassAtWork) -> None:
    one, two, _ = at_work.school.learners
    await at_work.lesson(one, concerned=True)
    await at_work.add(
        tables.ChatSession(id="outside", user_id=two, started_at=utc_now()),
        tables.Concern(id="outside", user_id=two, session_id="outside"),
    )
    found = await at_work.concerns.concerns(at_work.class_id, teacher_id=at_work.teacher)
    assert [row.learner_id for row in found.concerns] == [one]
    other = await an_account(at_work.school.accounts, "Olga", AccountRole.TEACHER)
    with pytest.raises(NotFound):
        await at_work.concerns.concerns(at_work.class_id, teacher_id=other)
    for class_id, concern, teacher in (
        (at_work.class_id, "outside", at_work.teacher),
        (at_work.class_id, found.concerns[0].id, other),
        (at_work.school.class_ids[1], found.concerns[0].id, at_work.teacher),
    ):
        with pytest.raises(NotFound):
            await at_work.concerns.mark_seen(class_id, concern, teacher_id=teacher)


async def test_a_conversation_is_read_by_the_teacher_of_the_class_it_is_shared_with_until_it_is_not(
    at_work: ClassAtWork,
) -> None:
    one, two, _ = at_work.school.learners
    session_id, unshared = await at_work.lesson(one), await at_work.lesson(two)
    for hidden in (session_id, unshared):
        with pytest.raises(NotFound):
            await at_work.shared.messages(at_work.class_id, hidden, teacher_id=at_work.teacher)
    made = await at_work.shared.share(session_id, at_work.class_id, user_id=one)
    assert (made.class_name, made.teacher) == (CODES[0], "Tess")
    assert await at_work.shared.share(session_id, at_work.class_id, user_id=one) == made
    assert await at_work.shared.find(session_id, user_id=one) == made
    (row,) = await at_work.shared.shared(at_work.class_id, teacher_id=at_work.teacher)
    assert (row.session_id, row.display_name, row.topic) == (session_id, "L0", "A fraction as equal parts")
    (message,) = await at_work.shared.messages(at_work.class_id, session_id, teacher_id=at_work.teacher)
    assert (message.role, message.content) == ("user", CANARY)
    with pytest.raises(NotFound):
        await at_work.shared.messages(at_work.class_id, unshared, teacher_id=at_work.teacher)
    await at_work.shared.stop(session_id, user_id=one)
    assert await at_work.shared.shared(at_work.class_id, teacher_id=at_work.teacher) == []
    with pytest.raises(NotFound):
        await at_work.shared.messages(at_work.class_id, session_id, teacher_id=at_work.teacher)
    assert await at_work.shared.find(session_id, user_id=one) is None


async def test_one_shares_what_is_ones_own_with_one_class_that_one_is_in(at_work: ClassAtWork) -> None:
    school, (one, two, _) = at_work.school, at_work.school.learners
    session_id = await at_work.lesson(one)
    with pytest.raises(NotFound):
        await at_work.shared.share(session_id, at_work.class_id, user_id=two)
    with pytest.raises(NotFound):
        await at_work.shared.share(session_id, school.class_ids[1], user_id=one)
    await at_work.shared.share(session_id, at_work.class_id, user_id=one)
    await school.memberships.join(CODES[1], user_id=one, origin=HERE)
    with pytest.raises(SharedElsewhere):
        await at_work.shared.share(session_id, school.class_ids[1], user_id=one)
    with pytest.raises(NotFound):
        await at_work.shared.messages(school.class_ids[1], session_id, teacher_id=at_work.teacher)
    other = await an_account(school.accounts, "Olga", AccountRole.TEACHER)
    with pytest.raises(NotFound):
        await at_work.shared.messages(at_work.class_id, session_id, teacher_id=other)
    await school.memberships.leave(at_work.class_id, user_id=one, origin=HERE)
    with pytest.raises(NotFound):
        await at_work.shared.messages(at_work.class_id, session_id, teacher_id=at_work.teacher)
    assert (await at_work.shared.share(session_id, school.class_ids[1], user_id=one)).class_name == CODES[1]
