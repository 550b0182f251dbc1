"""Paths that are given to a class, on both databases: one copy for each learner, whatever happens in between."""

import asyncio
from pathlib import Path

import pytest
from sqlmodel import func, select

from harness.database.kills import kill_in_giving
from sprout.accounts.classes import ClassArchived
from sprout.accounts.given_paths import GivenPaths, PathGiver
from sprout.accounts.principal import AccountRole
from sprout.errors import MissingRight, NotFound
from sprout.learning.paths.contents import NewContent
from sprout.store.account.account import SqlAccount
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import open_database
from sprout.store.paths.contents import SqlContents
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths
from sprout.store.schema import tables
from sprout.store.schema.class_tables import PathCopy
from tests.store.accounts.conftest import CODES, HERE, SchoolWithPath, an_account, open_school

STEPS = 20  # between kills
FITS: type[GivenPaths] = SqlGivenPaths  # mypy checks it


@pytest.fixture
def school(school_with_path: SchoolWithPath) -> SchoolWithPath:
    return school_with_path


async def test_each_learner_gets_all_of_the_path_as_their_own(school: SchoolWithPath) -> None:
    (concept, *_) = await school.paths.nodes(user_id=school.teacher, type="concept")
    contents = SqlContents(school.database)
    await contents.add_content(concept.id, NewContent("Halves and quarters."), user_id=school.teacher)
    given, is_new = await school.given.give(
        school.class_ids[0], school.branch_id, due_on="2026-12-24", teacher_id=school.teacher
    )
    assert (is_new, given.copies, given.waiting) == (True, 0, 3)
    await school.giver.give_lacking()
    (listed,) = await school.given.given(school.class_ids[0], teacher_id=school.teacher)
    assert (listed.copies, listed.waiting, listed.due_on) == (3, 0, "2026-12-24")
    theirs = await school.exchange.export_path(school.branch_id, user_id=school.teacher)
    assert any(one.questions for one in theirs.concepts)
    assert theirs.misconceptions
    for learner in school.learners:
        (copy,) = await school.given.copies(learner)
        assert (copy.class_name, copy.teacher, copy.due_on) == (CODES[0], "Tess", "2026-12-24")
        assert await school.exchange.export_path(copy.branch_id, user_id=learner) == theirs
        (first, *_) = await school.paths.nodes(user_id=learner, type="concept")
        active = await contents.active_content(first.id, user_id=learner)
        assert active is not None
        assert active.explanation_md == "Halves and quarters."
        with pytest.raises(NotFound):
            await school.paths.branch(copy.branch_id, user_id=school.teacher)
        with pytest.raises(NotFound):
            await school.paths.branch(school.branch_id, user_id=learner)


async def test_killed_at_any_step_of_giving_nothing_is_half_there_and_the_next_process_takes_it_up(
    database_url: str, data_dir: Path
) -> None:
    async with open_school(database_url, data_dir) as school:
        await school.give()
    *killed, lived = await kill_in_giving(database_url, every=STEPS)
    assert len(killed) > 1
    assert all(line.endswith("killed") for line in killed)
    assert lived.endswith("lived")
    async with open_database(database_url) as database:
        given, exchange = SqlGivenPaths(database), SqlPathExchange(database)
        theirs = await exchange.export_path(school.branch_id, user_id=school.teacher)
        for learner in school.learners:
            (copy,) = await given.copies(learner)
            assert await exchange.export_path(copy.branch_id, user_id=learner) == theirs
            assert len(await SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir)).branches(learner)) == 1


async def test_giving_twice_and_from_two_processes_makes_one_copy(school: SchoolWithPath) -> None:
    given_id = await school.give()
    await asyncio.gather(*(PathGiver(SqlGivenPaths(school.database)).give_lacking() for _ in range(3)))
    again, is_new = await school.given.give(
        school.class_ids[0], school.branch_id, due_on="2027-01-31", teacher_id=school.teacher
    )
    await school.giver.give_lacking()
    assert (again.id, is_new, again.due_on, again.copies) == (given_id, False, "2027-01-31", 3)
    assert await school.numbers() == [1, 1, 1]


async def test_what_a_crash_in_the_middle_left_undone_is_taken_up_again(school: SchoolWithPath) -> None:
    given_id = await school.give()
    source = await school.given.source(given_id)
    await school.given.copy(given_id, source, user_id=school.learners[1])  # and here the process dies
    (lacking,) = await school.given.lacking()
    assert lacking.learners == [school.learners[0], school.learners[2]]
    await school.giver.give_lacking()
    assert await school.numbers() == [1, 1, 1]
    assert await school.given.lacking() == []


async def test_one_who_joins_later_gets_it_and_one_who_deletes_it_keeps_it_deleted(school: SchoolWithPath) -> None:
    await school.give()
    await school.giver.give_lacking()
    late = await school.memberships.join_anew(CODES[0], "Late", "card of late", origin=HERE)
    (copy,) = await school.given.copies(school.learners[0])
    await school.paths.delete_branch(copy.branch_id, user_id=school.learners[0])
    await school.giver.give_now(class_id=school.class_ids[0])
    assert len(await school.paths.branches(late)) == 1
    assert await school.numbers() == [0, 1, 1]
    assert await school.given.copies(school.learners[0]) == []


async def test_one_who_joins_gets_their_copy_at_once_and_the_others_theirs_later(school: SchoolWithPath) -> None:
    await school.give()
    await school.giver.give_now(user_id=school.learners[2])
    assert await school.numbers() == [0, 0, 1]


async def test_erasing_a_learner_leaves_nothing_of_their_copy(school: SchoolWithPath) -> None:
    await school.give()
    await school.giver.give_lacking()
    await SqlAccount(school.database, storage=school.paths.storage).erase(school.learners[0])
    wanted = select(PathCopy.user_id)
    kept = await school.database.read_orm_tx(lambda session: session.exec(wanted).all())
    assert sorted(kept) == sorted(school.learners[1:])
    assert await school.numbers() == [0, 1, 1]


async def test_a_learner_of_two_classes_gets_one_copy_of_a_path_given_in_both(school: SchoolWithPath) -> None:
    await school.memberships.join(CODES[1], user_id=school.learners[0], origin=HERE)
    await school.give(0)
    await school.give(1)
    await school.giver.give_lacking()
    assert await school.numbers() == [1, 1, 1]
    first, second = await school.given.copies(school.learners[0])
    assert (first.branch_id, first.class_name, second.class_name) == (second.branch_id, *CODES)


async def test_a_learner_with_too_many_paths_keeps_no_other_from_theirs(school: SchoolWithPath) -> None:
    for n in range(3):
        await school.paths.create_branch(f"{n}", user_id=school.learners[0])
    await school.give()
    await school.giver.give_lacking()
    (given,) = await school.given.given(school.class_ids[0], teacher_id=school.teacher)
    assert (given.copies, given.waiting) == (2, 1)
    (one, *_) = await school.paths.branches(school.learners[0])
    await school.paths.delete_branch(one.id, user_id=school.learners[0])
    await school.giver.give_lacking()
    assert await school.numbers() == [3, 1, 1]


@pytest.mark.parametrize("way", ["leave", "withdraw", "delete class", "delete path", "erase"])
async def test_a_copy_stays_whatever_becomes_of_what_it_came_from(school: SchoolWithPath, way: str) -> None:
    given_id, (learner, *_), class_id = await school.give(), school.learners, school.class_ids[0]
    await school.giver.give_lacking()
    (copy,) = await school.given.copies(learner)
    before = await school.exchange.export_path(copy.branch_id, user_id=learner)
    match way:
        case "leave":
            await school.memberships.leave(class_id, user_id=learner, origin=HERE)
        case "withdraw":
            await school.given.withdraw(class_id, given_id, teacher_id=school.teacher)
        case "delete class":
            await school.classes.delete(class_id, teacher_id=school.teacher)
        case "delete path":
            await school.paths.delete_branch(school.branch_id, user_id=school.teacher)
        case "erase":
            await SqlAccount(school.database, storage=school.paths.storage).erase(school.teacher)
    await school.giver.give_lacking()
    assert await school.exchange.export_path(copy.branch_id, user_id=learner) == before
    assert await school.numbers() == [1, 1, 1]


async def test_nothing_is_given_of_others_to_others_or_without_the_role(school: SchoolWithPath) -> None:
    other = await an_account(school.accounts, "Theo", AccountRole.TEACHER)
    class_id, theirs = school.class_ids[0], (await school.paths.create_branch("Mine", user_id=other)).id
    given_id = await school.give(1)
    attempts = [
        school.given.give(class_id, school.branch_id, due_on=None, teacher_id=other),
        school.given.give(class_id, theirs, due_on=None, teacher_id=school.teacher),
        school.given.given(class_id, teacher_id=other),
        school.given.withdraw(school.class_ids[1], given_id, teacher_id=other),
        school.given.withdraw(class_id, given_id, teacher_id=school.teacher),
    ]
    for refused in await asyncio.gather(*attempts, return_exceptions=True):
        assert isinstance(refused, NotFound)
    await school.classes.change(class_id, archived=True, teacher_id=school.teacher)
    with pytest.raises(ClassArchived):
        await school.give()
    await school.accounts.change(school.teacher, role=AccountRole.LEARNER, origin=HERE)
    with pytest.raises(MissingRight):
        await school.give(1)
    await school.giver.give_lacking()
    wanted = select(func.count()).select_from(tables.Branch)
    assert await school.database.read_orm_tx(lambda session: session.exec(wanted).one()) == 2
