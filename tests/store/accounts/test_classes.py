"""Classes, memberships and cards on both databases: who may do what at that moment, and nothing half done."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import func, select

from sprout.accounts.cards import Cards, NoCard
from sprout.accounts.classes import (
    AlreadyInClass,
    ClassArchived,
    ClassCodeInvalid,
    Classes,
    Memberships,
    NewClassCode,
)
from sprout.accounts.principal import AccountRole
from sprout.clock import utc_now
from sprout.errors import MissingRight, NotFound, TooLarge
from sprout.store.account.account import SqlAccount
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.cards import SqlCards
from sprout.store.accounts.classes import SqlClasses
from sprout.store.accounts.memberships import SqlMemberships
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.accounts.sessions import SqlSessions
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.quotas import Quotas
from sprout.store.schema.class_tables import ClassMember, ClassTable
from tests.store.accounts.conftest import HERE, an_account

FITS: tuple[type[Classes], type[Memberships], type[Cards]] = (SqlClasses, SqlMemberships, SqlCards)  # mypy checks it
CODE = "BCDFGHJK"


@dataclass(frozen=True)
class School:
    """Two teachers and a learner with accounts, and a class of the first one with a code for three."""

    database: Database
    accounts: SqlAccounts
    classes: SqlClasses
    memberships: SqlMemberships
    cards: SqlCards
    teacher: str
    other_teacher: str
    learner: str
    class_id: str

    async def issue(self, code: str = CODE, uses: int = 3, **lasts: float) -> None:
        new = NewClassCode(code, utc_now() + timedelta(**lasts or {"days": 1}), uses)
        await self.classes.issue_code(self.class_id, new, teacher_id=self.teacher)

    async def names(self) -> list[str]:
        return [one.display_name for one in await self.classes.members(self.class_id, teacher_id=self.teacher)]

    async def count(self, table: type[ClassTable] | type[ClassMember]) -> int:
        wanted = select(func.count()).select_from(table)
        return await self.database.read_orm_tx(lambda session: session.exec(wanted).one())


@pytest.fixture
async def school(database_url: str) -> AsyncIterator[School]:
    async with open_database(database_url, quotas=Quotas(classes=2, members_per_class=4)) as database:
        accounts, classes = SqlAccounts(database), SqlClasses(database)
        teacher, other = [await an_account(accounts, name, AccountRole.TEACHER) for name in ("Tess", "Theo")]
        class_id = (await classes.create("10b", teacher_id=teacher)).id
        learner = await an_account(accounts, "Anna")
        school = School(
            database, accounts, classes, SqlMemberships(database), SqlCards(database), teacher, other, learner, class_id
        )
        await school.issue()
        yield school


async def test_a_teacher_makes_renames_archives_and_deletes_classes(school: School) -> None:
    made = await school.classes.create("9a", teacher_id=school.teacher)
    assert (made.members, made.code, made.archived_at) == (0, None, None)
    changed = await school.classes.change(made.id, teacher_id=school.teacher, name="9c", archived=True)
    assert changed.name == "9c"
    assert changed.archived_at is not None
    assert [one.name for one in await school.classes.classes(school.teacher)] == ["10b", "9c"]
    with pytest.raises(TooLarge, match="2 classes"):
        await school.classes.create("8a", teacher_id=school.teacher)
    await school.classes.delete(made.id, teacher_id=school.teacher)
    assert [one.name for one in await school.classes.classes(school.teacher)] == ["10b"]


async def test_another_teachers_class_is_not_there(school: School) -> None:
    theirs, class_id = {"teacher_id": school.other_teacher}, school.class_id
    joined = await school.memberships.join(CODE, user_id=school.learner, origin=HERE)
    attempts = [
        school.classes.one(class_id, **theirs),
        school.classes.change(class_id, teacher_id=school.other_teacher, name="x"),
        school.classes.delete(class_id, **theirs),
        school.classes.issue_code(class_id, NewClassCode("X", utc_now(), 1), **theirs),
        school.classes.revoke_code(class_id, **theirs),
        school.classes.members(class_id, **theirs),
        school.classes.remove_member(class_id, school.learner, origin=HERE, **theirs),
        school.cards.renew(class_id, school.learner, "digest", origin=HERE, **theirs),
    ]
    for refused in await asyncio.gather(*attempts, return_exceptions=True):
        assert isinstance(refused, NotFound)
    assert await school.classes.classes(school.other_teacher) == []
    assert await school.memberships.joined(school.learner) == [joined]


@pytest.mark.parametrize("loss", ["role", "disabled"])
async def test_one_who_is_no_teacher_any_more_changes_nothing(school: School, loss: str) -> None:
    before = await school.classes.one(school.class_id, teacher_id=school.teacher)
    if loss == "role":
        await school.accounts.change(school.teacher, role=AccountRole.LEARNER, origin=HERE)
    else:
        await school.accounts.change(school.teacher, disabled=True, origin=HERE)
    mine, class_id = {"teacher_id": school.teacher}, school.class_id
    attempts = [
        school.classes.create("x", **mine),
        school.classes.change(class_id, teacher_id=school.teacher, name="x"),
        school.classes.delete(class_id, **mine),
        school.classes.issue_code(class_id, NewClassCode("X", utc_now(), 1), **mine),
        school.classes.revoke_code(class_id, **mine),
        school.cards.renew(class_id, school.learner, "digest", origin=HERE, **mine),
    ]
    for refused in await asyncio.gather(*attempts, return_exceptions=True):
        assert isinstance(refused, MissingRight)
    with pytest.raises(ClassCodeInvalid):
        await school.memberships.join(CODE, user_id=school.learner, origin=HERE)
    assert await school.classes.one(class_id, **mine) == before


async def test_a_learner_joins_once_and_leaves(school: School) -> None:
    opened = await school.memberships.find(CODE)
    assert (opened.name, opened.teacher) == ("10b", "Tess")
    joined = await school.memberships.join(CODE, user_id=school.learner, origin=HERE)
    assert (joined.id, joined.name, joined.teacher) == (school.class_id, "10b", "Tess")
    with pytest.raises(AlreadyInClass):
        await school.memberships.join(CODE, user_id=school.learner, origin=HERE)
    found = await school.classes.one(school.class_id, teacher_id=school.teacher)
    assert found.code is not None
    assert (found.members, found.code.uses_left) == (1, 2)
    assert await school.names() == ["Anna"]
    await school.memberships.leave(school.class_id, user_id=school.learner, origin=HERE)
    with pytest.raises(NotFound):
        await school.memberships.leave(school.class_id, user_id=school.learner, origin=HERE)
    assert (await school.names(), await school.memberships.joined(school.learner)) == ([], [])


@pytest.mark.parametrize("dead", ["unknown", "expired", "used up", "revoked", "replaced", "archived", "deleted"])
async def test_a_dead_code_lets_nobody_in_and_leaves_nothing_behind(school: School, dead: str) -> None:
    mine = {"teacher_id": school.teacher}
    match dead:
        case "expired":
            await school.issue(seconds=-1)
        case "used up":
            await school.issue(uses=1)
            await school.memberships.join(CODE, user_id=school.other_teacher, origin=HERE)
        case "revoked":
            await school.classes.revoke_code(school.class_id, **mine)
        case "replaced":
            await school.issue("KJHGFDCB")
        case "archived":
            await school.classes.change(school.class_id, archived=True, teacher_id=school.teacher)
        case "deleted":
            await school.classes.delete(school.class_id, **mine)
    people, members = len(await school.accounts.accounts()), await school.count(ClassMember)
    code = "unknown" if dead == "unknown" else CODE
    for attempt in (
        school.memberships.find(code),
        school.memberships.join(code, user_id=school.learner, origin=HERE),
        school.memberships.join_anew(code, "Mila", "digest", origin=HERE),
    ):
        with pytest.raises(ClassCodeInvalid):
            await attempt
    assert len(await school.accounts.accounts()) == people
    assert await school.count(ClassMember) == members
    assert await school.cards.find("digest") is None


async def test_no_more_join_at_once_than_a_code_has_uses(school: School) -> None:
    attempts = [school.memberships.join_anew(CODE, "Mila", f"{n}", origin=HERE) for n in range(6)]
    answers = await asyncio.gather(*attempts, return_exceptions=True)
    refused = [one for one in answers if isinstance(one, Exception)]
    assert [type(one) for one in refused] == [ClassCodeInvalid] * 3
    assert await school.names() == ["Mila"] * 3
    assert len(await school.accounts.accounts()) == 6


async def test_a_full_class_takes_nobody_and_nothing_is_half_done(school: School) -> None:
    await school.issue(uses=9)
    attempts = [school.memberships.join_anew(CODE, "Mila", f"{n}", origin=HERE) for n in range(6)]
    answers = await asyncio.gather(*attempts, return_exceptions=True)
    refused = [one for one in answers if isinstance(one, Exception)]
    assert [type(one) for one in refused] == [TooLarge] * 2
    assert "4 learners" in str(refused[0])
    found = await school.classes.one(school.class_id, teacher_id=school.teacher)
    assert found.code is not None
    assert (found.members, found.code.uses_left) == (4, 5)
    assert len(await school.accounts.accounts()) == 7


async def test_an_archived_class_gets_no_code_until_it_is_opened_again(school: School) -> None:
    await school.classes.change(school.class_id, archived=True, teacher_id=school.teacher)
    with pytest.raises(ClassArchived):
        await school.issue()
    opened = await school.classes.change(school.class_id, archived=False, teacher_id=school.teacher)
    assert (opened.archived_at, opened.code) == (None, None)
    await school.issue()
    assert (await school.memberships.find(CODE)).name == "10b"


async def test_a_new_card_voids_the_old_one_and_ends_its_sessions(school: School) -> None:
    mila = await school.memberships.join_anew(CODE, "Mila", "old", origin=HERE)
    sessions = SqlSessions(school.database)
    await sessions.begin("secret", mila, user_agent="", replaces=None, origin=HERE)
    await school.cards.renew(school.class_id, mila, "new", teacher_id=school.teacher, origin=HERE)
    assert (await school.cards.find("old"), await school.cards.find("new")) == (None, mila)
    assert await sessions.find("secret") is None


async def test_a_teacher_makes_no_card_for_one_who_came_with_an_account_or_has_a_password(school: School) -> None:
    await school.memberships.join(CODE, user_id=school.learner, origin=HERE)
    mila = await school.memberships.join_anew(CODE, "Mila", "card", origin=HERE)
    second = (await school.classes.create("9a", teacher_id=school.teacher)).id
    await school.classes.issue_code(
        second, NewClassCode("SECOND", utc_now() + timedelta(1), 9), teacher_id=school.teacher
    )
    await school.memberships.join("SECOND", user_id=mila, origin=HERE)
    await SqlPasswords(school.database).set_password(mila, "hash", origin=HERE)
    assert not any(one.has_card for one in await school.classes.members(school.class_id, teacher_id=school.teacher))
    for class_id, learner in ((school.class_id, school.learner), (school.class_id, mila), (second, mila)):
        with pytest.raises(NoCard):
            await school.cards.renew(class_id, learner, "new", teacher_id=school.teacher, origin=HERE)
    assert (await school.cards.find("card"), await school.cards.find("new")) == (mila, None)


async def test_a_disabled_account_comes_back_with_no_card(school: School) -> None:
    mila = await school.memberships.join_anew(CODE, "Mila", "card", origin=HERE)
    await school.accounts.change(mila, disabled=True, origin=HERE)
    assert await school.cards.find("card") is None


async def test_erasing_a_learner_or_a_teacher_takes_their_part_of_a_class(school: School, data_dir: Path) -> None:
    storage = LocalStorage(data_dir)
    account = SqlAccount(school.database, storage=storage)
    mila = await school.memberships.join_anew(CODE, "Mila", "card", origin=HERE)
    await school.memberships.join(CODE, user_id=school.learner, origin=HERE)
    await account.erase(mila)
    assert await school.names() == ["Anna"]
    await account.erase(school.teacher)
    assert (await school.count(ClassTable), await school.count(ClassMember)) == (0, 0)
    assert (await school.accounts.account(school.learner)).display_name == "Anna"
