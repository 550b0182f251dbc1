"""Sending to a real record store, from both databases: everything arrives once, whatever fails on the way."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import col, delete, select, update
from starlette.responses import Response

from harness.servers.record_store import KEY, SECRET, RecordStore, serving_record_store
from sprout.accounts.lrs.record_stores import RecordStoreRow, RecordStores, SecretMissing, StoreChange
from sprout.accounts.lrs.sender import BATCH, ClaimLost, Outbox, StatementSender
from sprout.clock import utc_now
from sprout.engines.record_store_client import HttpRecordStoreClient
from sprout.errors import NotFound
from sprout.learning.xapi.statements import StatementWriter, statement_id
from sprout.store.schema import tables
from sprout.store.xapi.facts import SqlLearningFacts
from sprout.store.xapi.outbox import CLAIMED_S, SqlOutbox
from sprout.store.xapi.record_stores import SqlRecordStores
from tests.store.accounts.class_page import RIGHT, TaughtClass
from tests.store.accounts.conftest import HERE

FITS: tuple[type[RecordStores], type[Outbox]] = (SqlRecordStores, SqlOutbox)  # mypy checks it
ROOT = Path(__file__).parents[3]
STORY = """
import asyncio, sys
from sprout.accounts.lrs.sender import StatementSender
from sprout.engines.record_store_client import HttpRecordStoreClient
from sprout.learning.xapi.statements import StatementWriter
from sprout.store.engine.database import open_database
from sprout.store.xapi.outbox import SqlOutbox

async def main(url):
    async with open_database(url) as database:
        client = HttpRecordStoreClient(["127.0.0.1"])
        await StatementSender(SqlOutbox(database), client, StatementWriter(None)).send_waiting()

asyncio.run(main(sys.argv[1]))
"""


@dataclass
class Sending:
    """A class that sends to a record store, on a clock of its own."""

    taught: TaughtClass
    store: RecordStore
    now: datetime

    @property
    def stores(self) -> SqlRecordStores:
        return SqlRecordStores(self.taught.school.database)

    @property
    def outbox(self) -> SqlOutbox:
        return SqlOutbox(self.taught.school.database, clock=lambda: self.now)

    def change(self, secret: str | None = SECRET, endpoint: str | None = None) -> StoreChange:
        return StoreChange(endpoint or self.store.endpoint, KEY, secret)

    async def connect(self, secret: str | None = SECRET) -> RecordStoreRow:
        return await self.stores.set(self.taught.class_id, self.change(secret), teacher_id=self.taught.school.teacher)

    async def state(self) -> RecordStoreRow:
        found = await self.stores.one(self.taught.class_id, teacher_id=self.taught.school.teacher)
        assert found is not None
        return found

    async def turn(self, *, after_s: float = 0) -> RecordStoreRow:
        """The state after one turn of the sender, so many seconds later."""
        self.now += timedelta(seconds=after_s)
        client = HttpRecordStoreClient(["127.0.0.1"])
        await StatementSender(self.outbox, client, StatementWriter(None)).send_waiting()
        return await self.state()

    async def expect(self, code: str, waiting: int, *, after_s: float = 0) -> RecordStoreRow:
        """A turn that fails, with nothing noted as sent."""
        state = await self.turn(after_s=after_s)
        assert state.problem is not None
        assert (state.problem.code, state.sent, state.waiting) == (code, 0, waiting)
        return state


@pytest.fixture
async def sending(taught: TaughtClass) -> AsyncIterator[Sending]:
    async with serving_record_store() as store:
        yield Sending(taught, store, utc_now() + timedelta(hours=1))


async def test_O2_everything_arrives_in_batches_and_sending_again_changes_nothing(sending: Sending) -> None:
    for _ in range(2):
        await sending.taught.answer(2, "Counting", RIGHT, RIGHT, RIGHT, RIGHT)
    waiting = (await sending.connect()).waiting
    assert waiting > 35
    done = await sending.turn()
    assert (done.sent, done.waiting, done.problem) == (waiting, 0, None)
    assert len(sending.store.statements) == waiting == sum(sending.store.batches)
    assert max(sending.store.batches) <= BATCH
    asked = sending.store.asked["statements"]
    assert (await sending.turn(after_s=60)).sent == waiting
    assert sending.store.asked["statements"] == asked
    before = dict(sending.store.statements)
    await sending.stores.remove(sending.taught.class_id, teacher_id=sending.taught.school.teacher)
    await sending.connect()
    await sending.turn(after_s=60)
    assert sending.store.statements == before
    (one,) = await sending.taught.answer(2, "Sharing", RIGHT)
    await sending.turn(after_s=60)
    assert len(sending.store.statements) == waiting + 1
    assert one not in before


async def test_O2_failures_of_all_kinds_lose_nothing_are_told_and_are_tried_again_after_longer_and_longer(
    sending: Sending,
) -> None:
    waiting = (await sending.connect()).waiting
    faults, stored = sending.store.faults, sending.store.statements

    faults.half = True
    await sending.expect("lrs_busy", waiting)
    assert 0 < len(stored) < waiting
    asked = sending.store.asked["statements"]
    await sending.turn(after_s=59)
    assert sending.store.asked["statements"] == asked, "a minute after the first failure, and no earlier"

    faults.answers = [Response(status_code=401)]
    await sending.expect("lrs_credentials", waiting, after_s=2)
    await sending.turn(after_s=119)
    assert sending.store.asked["statements"] == asked + 1, "two minutes after the second"

    faults.drop = True
    await sending.expect("lrs_unreachable", waiting, after_s=2)
    assert len(stored) == min(waiting, BATCH)

    faults.answers = [Response(status_code=503, headers={"Retry-After": "7200"})]
    state = await sending.expect("lrs_busy", waiting, after_s=241)
    assert datetime.fromisoformat(state.next_try_at) - sending.now >= timedelta(seconds=7199)
    done = await sending.turn(after_s=7201)
    assert (done.sent, done.waiting, done.problem) == (waiting, 0, None)
    assert len(stored) == waiting
    assert sending.store.bodies[0] == sending.store.bodies[2] == sending.store.bodies[4]


async def test_O2_known_statements_count_as_sent_and_the_others_of_their_batch_arrive(sending: Sending) -> None:
    waiting = (await sending.connect()).waiting
    await sending.turn()
    ids = sorted(sending.store.statements)
    for id_ in ids[2:]:
        del sending.store.statements[id_]
    sending.store.statements[ids[0]]["context"]["platform"] = "another"
    sending.store.faults.knows_all = True
    sending.store.faults.most = 20
    await sending.stores.remove(sending.taught.class_id, teacher_id=sending.taught.school.teacher)
    await sending.connect()
    done = await sending.turn(after_s=60)
    assert (done.sent, done.waiting, done.problem) == (waiting, 0, None)
    assert sorted(sending.store.statements) == ids


async def test_O2_an_answer_that_is_marked_anew_stands_once_and_what_the_store_had_of_it_is_voided(
    sending: Sending,
) -> None:
    taught, store = sending.taught, sending.store
    (answer_id,) = await taught.answer(2, "Counting", RIGHT)
    waiting = (await sending.connect()).waiting
    await sending.turn()
    answered = col(tables.Answer.id) == answer_id

    def scores() -> list[float]:
        """Of the statements about the third learner that hold."""
        own = [one for one in store.standing.values() if one["actor"]["account"]["name"] == taught.school.learners[2]]
        return [one["result"]["score"]["scaled"] for one in own if "score" in one["result"]]

    assert (scores(), store.voided) == ([1.0], set())
    for n, score in enumerate((0.5, 1.0, 0.5), start=1):  # a score that it had before is a new statement too
        await taught.write(update(tables.Answer).where(answered).values(score=score))
        assert (await sending.state()).waiting == 2, "one that voids, and one in its place"
        store.faults.drop = n == 2  # the answer to the voiding one is lost: it is sent again and changes nothing
        await sending.turn(after_s=60)
        done = await sending.turn(after_s=120)
        assert (done.sent, done.waiting, done.problem) == (waiting + n, 0, None)
        assert (scores(), len(store.voided), len(store.statements)) == ([score], n, waiting + 2 * n)
    told = await SqlLearningFacts(taught.school.database).of_learner(
        taught.class_id, taught.given_id, taught.school.learners[2], teacher_id=taught.school.teacher
    )
    assert {statement_id(fact) for fact in told} <= store.standing.keys(), "a file has the ids of what holds"

    asked = select(tables.Answer.question_id).where(answered).scalar_subquery()
    await taught.write(update(tables.Question).where(col(tables.Question.id) == asked).values(state="voided"))
    done = await sending.turn(after_s=60)
    assert (scores(), done.waiting, len(store.voided)) == ([], 0, 4), "nothing comes in its place"
    batches = len(store.batches)
    await sending.turn(after_s=60)
    assert len(store.batches) == batches


async def test_O2_of_one_who_has_left_nothing_is_voided_either(sending: Sending) -> None:
    taught = sending.taught
    (answer_id,) = await taught.answer(2, "Counting", RIGHT)
    await sending.connect()
    await sending.turn()
    await taught.school.memberships.leave(taught.class_id, user_id=taught.school.learners[2], origin=HERE)
    await taught.write(update(tables.Answer).where(col(tables.Answer.id) == answer_id).values(score=0.5))
    assert (await sending.turn(after_s=60)).waiting == 0
    assert sending.store.voided == set()


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_O2_a_process_that_is_killed_in_the_middle_loses_nothing_and_doubles_nothing(
    sending: Sending, database_url: str
) -> None:
    waiting = (await sending.connect()).waiting
    sending.store.faults.hold = True
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", STORY, database_url, cwd=ROOT)
    async with asyncio.timeout(60):
        await sending.store.holding.wait()
    child.send_signal(signal.SIGKILL)
    assert await child.wait() == -signal.SIGKILL
    sending.store.faults.hold = False
    sending.now = utc_now()  # as the dead one had it
    state = await sending.state()
    assert (state.sent, state.waiting) == (0, waiting), "what the store has is not known here yet"
    assert (await sending.turn()).sent == 0, "the claim of the dead holds for a while"
    assert (await sending.turn(after_s=CLAIMED_S + 60)).sent == waiting
    assert len(sending.store.statements) == waiting


async def test_O2_one_process_sends_at_a_time_and_one_that_lost_its_claim_writes_nothing(sending: Sending) -> None:
    await sending.connect()
    first = await sending.outbox.claim()
    assert first is not None
    assert await sending.outbox.claim() is None
    sending.now += timedelta(seconds=CLAIMED_S + 1)
    second = await sending.outbox.claim()
    assert second is not None
    facts = await sending.outbox.waiting(first, 5)
    with pytest.raises(ClaimLost):
        await sending.outbox.confirm(first, facts)
    await sending.outbox.release(first, wait_s=9e6, problem=None)
    assert (await sending.state()).sent == 0
    await sending.outbox.confirm(second, facts)
    assert (await sending.state()).sent == 5


async def test_O2_a_learner_who_leaves_and_a_class_that_goes_take_what_waits_along(sending: Sending) -> None:
    school, class_id = sending.taught.school, sending.taught.class_id
    assert await sending.stores.one(class_id, teacher_id=school.teacher) is None
    assert await sending.outbox.claim() is None, "by default nothing is sent"
    waiting = (await sending.connect()).waiting
    for archived in (True, False):
        await school.classes.change(class_id, teacher_id=school.teacher, archived=archived)
        if archived:
            assert await sending.outbox.claim() is None
    await school.memberships.leave(class_id, user_id=school.learners[0], origin=HERE)
    left = (await sending.state()).waiting
    assert 0 < left < waiting
    await sending.taught.write(delete(tables.User).where(col(tables.User.id) == school.learners[1]))
    assert (await sending.state()).waiting == 0
    await sending.turn()
    assert sending.store.statements == {}
    await school.classes.delete(class_id, teacher_id=school.teacher)
    assert await sending.outbox.claim() is None


async def test_O2_a_secret_goes_to_the_address_and_with_the_key_that_it_is_for(sending: Sending) -> None:
    school, class_id, stores = sending.taught.school, sending.taught.class_id, sending.stores
    with pytest.raises(SecretMissing):
        await sending.connect(None)
    await sending.connect()
    kept = await stores.access(class_id, sending.change(None), teacher_id=school.teacher)
    assert (kept.secret, SECRET in repr(kept), SECRET in (await sending.state()).model_dump_json()) == (
        SECRET, False, False,
    )  # fmt: skip
    elsewhere = sending.change(None, "https://elsewhere.example/xapi")
    with pytest.raises(SecretMissing):
        await stores.set(class_id, elsewhere, teacher_id=school.teacher)
    with pytest.raises(SecretMissing):
        await stores.access(class_id, elsewhere, teacher_id=school.teacher)
    with pytest.raises(NotFound):
        await stores.set(class_id, sending.change(), teacher_id=school.learners[0])
    with pytest.raises(NotFound):
        await stores.one(class_id, teacher_id=school.learners[0])
