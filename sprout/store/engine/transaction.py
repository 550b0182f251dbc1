"""Write transactions, and the Protocol of a database's writer."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlmodel import Session

T = TypeVar("T")

_ADVISORY_LOCK = text("select pg_advisory_xact_lock(hashtextextended(:key, 0))")


class WriteTransaction:
    """A transaction: `connection` for plain SQL, `session` for objects; both are the same transaction.

    All of it is synchronous: a body cannot await, so no transaction ever waits for a model, a task or the network.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._session: Session | None = None
        self._after_commit: list[Callable[[], None]] = []

    @property
    def session(self) -> Session:
        """A failed flush has rolled back everything done with objects: let its error out of the body."""
        if self._session is None:
            self._session = Session(
                bind=self.connection, expire_on_commit=False, join_transaction_mode="create_savepoint"
            )
        return self._session

    def flush(self) -> None:
        """Send pending changes of objects, so that plain SQL sees them."""
        if self._session is not None:
            self._session.flush()

    @property
    def is_exclusive(self) -> bool:
        """Whether no other transaction can be active, so that nothing needs a lock."""
        return self.connection.dialect.name == "sqlite"

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call this on the event loop after the commit, in the order of commits."""
        self._after_commit.append(callback)

    def lock(self, key: str) -> None:
        """Wait for the advisory lock of this key, and hold it until the transaction ends."""
        if not self.is_exclusive:
            self.connection.execute(_ADVISORY_LOCK, {"key": key})

    def run(self, body: Callable[["WriteTransaction"], T]) -> tuple[T, Sequence[Callable[[], None]]]:
        """Run the body and send all of its changes; its result, and the callbacks for after the commit."""
        try:
            result = body(self)
            if self._session is not None:
                self._session.commit()  # into the transaction
            return result, self._after_commit
        finally:
            if self._session is not None:
                self._session.close()


class Writer(Protocol):
    """Runs bodies, each in a transaction that is committed when it returns and rolled back when it raises."""

    @property
    def engine(self) -> Engine:
        """The engine of the transactions."""
        ...

    async def run(self, body: Callable[[WriteTransaction], T], order: str | None) -> T:
        """The body's result, after the commit and its callbacks. Raises what the body raises."""
        ...
