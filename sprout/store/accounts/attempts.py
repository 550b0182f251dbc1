"""Attempts to sign in that wait for an answer, on SQL."""

from datetime import datetime

from sqlmodel import col, delete, select

from sprout.accounts.attempts import Attempt, AttemptInvalid, Purpose
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.sign_in_tables import SignInAttempt


class SqlAttempts:
    """Attempts on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, secret_digest: str, browser_digest: str, attempt: Attempt, *, expires_at: datetime) -> None:
        def body(tx: WriteTransaction) -> None:
            tx.connection.execute(delete(SignInAttempt).where(col(SignInAttempt.expires_at) <= utc_now()))
            tx.session.add(
                SignInAttempt(
                    id=new_id(),
                    secret_digest=secret_digest,
                    browser_digest=browser_digest,
                    purpose=attempt.purpose,
                    user_id=attempt.user_id,
                    code_digest=attempt.code_digest,
                    expires_at=expires_at,
                )
            )

        await self._database.write_tx(body)

    async def take(self, secret_digest: str, browser_digest: str, purposes: frozenset[Purpose]) -> Attempt:
        def body(tx: WriteTransaction) -> Attempt | None:
            wanted = select(SignInAttempt).where(
                SignInAttempt.secret_digest == secret_digest,
                SignInAttempt.browser_digest == browser_digest,
                col(SignInAttempt.purpose).in_(purposes),
                col(SignInAttempt.expires_at) > utc_now(),
            )
            found = tx.session.exec(wanted).first()
            if found is None:
                return None
            gone = delete(SignInAttempt).where(col(SignInAttempt.id) == found.id)
            if not tx.connection.execute(gone).rowcount:  # another request took it in the same moment
                return None
            return Attempt(Purpose(found.purpose), found.user_id, found.code_digest)

        attempt = await self._database.write_tx(body)
        if attempt is None:
            raise AttemptInvalid
        return attempt
