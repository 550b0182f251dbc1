"""Retention of the security log on both databases."""

from datetime import timedelta

from sqlmodel import col, update

from sprout.accounts.security_log import TERMINAL, SecurityEventKind, SecurityLog, SecurityLogRetention
from sprout.clock import utc_now
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.engine.database import Database
from sprout.store.schema.account_tables import SecurityEvent

FITS: type[SecurityLog] = SqlSecurityLog  # mypy checks it


async def test_events_are_deleted_once_they_are_older_than_the_setting_says_and_no_earlier(database: Database) -> None:
    log = SqlSecurityLog(database)
    for days in (31, 29, 0):
        await log.record(SecurityEventKind.SIGN_IN_FAILED, None, origin=TERMINAL, detail=str(days))
        await _age(database, days)
    await SecurityLogRetention(log, 365).delete_old()
    assert [one.detail for one in await log.events(limit=9)] == ["0", "29", "31"]
    await SecurityLogRetention(log, 30).delete_old()
    assert [one.detail for one in await log.events(limit=9)] == ["0", "29"]


async def _age(database: Database, days: int) -> None:
    """Make the event that has this number in its detail so many days old."""
    aged = (
        update(SecurityEvent).where(col(SecurityEvent.detail) == str(days)).values(at=utc_now() - timedelta(days=days))
    )
    await database.write_tx(lambda tx: tx.connection.execute(aged).close())
