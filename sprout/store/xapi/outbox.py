"""Outbox on SQL: what waits is what the paths hold and no row says was sent, so that no crash loses or forgets any."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sprout.accounts.lrs.record_stores import StoreAccess, StoreProblem
from sprout.accounts.lrs.sender import Claim, ClaimLost
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.xapi.facts import Fact, Place, Verb
from sprout.learning.xapi.statements import statement_id
from sprout.store.accounts.teaching import is_teaching
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassTable
from sprout.store.schema.columns import table_of
from sprout.store.schema.record_tables import RecordStore, SentStatement
from sprout.store.xapi.fact_details import facts_of
from sprout.store.xapi.waiting import outdated_ids, waiting_rows

CLAIMED_S = 90.0  # some requests at their longest; each batch that arrives prolongs it

_stores, _sent = table_of(RecordStore), table_of(SentStatement)
_classes, _accounts = table_of(ClassTable), table_of(AccountTable)
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class SqlOutbox:
    """Outbox on SQL. Nothing is sent of archived classes, nor for teachers who are none any more."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def claim(self) -> Claim | None:
        now = self._clock()
        due = (
            select(_stores)
            .join(_classes, _classes.c.id == _stores.c.class_id)
            .join(_accounts, _accounts.c.user_id == _classes.c.user_id)
            .where(_stores.c.next_try_at <= now, _classes.c.archived_at.is_(None), is_teaching())
            .where(_stores.c.claimed_until.is_(None) | (_stores.c.claimed_until < now))
            .order_by(_stores.c.next_try_at)
            .limit(1)
            .with_for_update(of=_stores, skip_locked=True)
        )

        def body(tx: WriteTransaction) -> Claim | None:
            found = tx.connection.execute(due).one_or_none()
            if found is None:
                return None
            access = StoreAccess(found.endpoint, found.key, found.secret)
            claim = Claim(found.class_id, new_id(), access, found.with_names, found.failures)
            values = {"claimed_by": claim.token, "claimed_until": now + timedelta(seconds=CLAIMED_S)}
            tx.connection.execute(update(_stores).where(_stores.c.class_id == claim.class_id).values(values))
            return claim

        return await self._database.write_tx(body)

    async def waiting(self, claim: Claim, limit: int) -> Sequence[Fact]:
        def read(connection: Connection) -> Sequence[Fact]:
            named = connection.execute(select(_classes.c.name).where(_classes.c.id == claim.class_id)).scalar()
            rows = connection.execute(waiting_rows(claim.class_id).limit(limit)).all()
            return facts_of(connection, rows, Place(claim.class_id, named or ""))

        return await self._database.read_tx(read)

    async def outdated(self, claim: Claim, limit: int) -> Sequence[str]:
        wanted = outdated_ids(claim.class_id).limit(limit)
        return [row[0] for row in await self._database.fetch(wanted)]

    async def confirm_voided(self, claim: Claim, statement_ids: Sequence[str]) -> None:
        now = self._clock()
        those = (_sent.c.class_id == claim.class_id) & _sent.c.id.in_(statement_ids)

        def body(tx: WriteTransaction) -> None:
            _change(tx, claim, last_sent_at=now, claimed_until=now + timedelta(seconds=CLAIMED_S))
            tx.connection.execute(update(_sent).where(those).values(voided=True))

        await self._database.write_tx(body)

    async def confirm(self, claim: Claim, facts: Sequence[Fact]) -> None:
        now = self._clock()

        def body(tx: WriteTransaction) -> None:
            _change(tx, claim, last_sent_at=now, claimed_until=now + timedelta(seconds=CLAIMED_S))
            users = {fact.user_id for fact in facts}
            lasting = select(_accounts.c.user_id).where(_accounts.c.user_id.in_(sorted(users)))
            there = set(tx.connection.execute(lasting.with_for_update(read=True, key_share=True)).scalars())
            rows = [_sent_row(claim, fact) for fact in facts if fact.user_id in there]
            if rows:
                insert = _INSERT[tx.connection.dialect.name](_sent)
                same = {"at": insert.excluded.at, "score": insert.excluded.score}  # as exactly as the row has them
                tx.connection.execute(
                    insert.on_conflict_do_update(index_elements=[_sent.c.class_id, _sent.c.id], set_=same), rows
                )

        await self._database.write_tx(body)

    async def release(self, claim: Claim, *, wait_s: float, problem: StoreProblem | None) -> None:
        values = {
            "next_try_at": self._clock() + timedelta(seconds=wait_s),
            "problem": None if problem is None else problem.value,
            "failures": 0 if problem is None else claim.failures + 1,
            "claimed_by": None,
            "claimed_until": None,
        }
        await self._database.write_tx(lambda tx: _release(tx, claim, values))


def _release(tx: WriteTransaction, claim: Claim, values: dict[str, Any]) -> None:
    """A store that was changed or removed meanwhile, or is another's now, is left as it is."""
    ours = (_stores.c.class_id == claim.class_id) & (_stores.c.claimed_by == claim.token)
    tx.connection.execute(update(_stores).where(ours).values(values))


def _change(tx: WriteTransaction, claim: Claim, **values: object) -> None:
    ours = (_stores.c.class_id == claim.class_id) & (_stores.c.claimed_by == claim.token)
    if not tx.connection.execute(update(_stores).where(ours).values(values)).rowcount:
        raise ClaimLost


def _sent_row(claim: Claim, fact: Fact) -> dict[str, Any]:
    return {
        "class_id": claim.class_id,
        "id": statement_id(fact),
        "user_id": fact.user_id,
        "verb": fact.verb.value,
        "source_id": fact.source_id,
        "at": fact.at,
        "score": fact.score if fact.verb is Verb.ANSWERED else None,
    }
