"""Erasure of a learner: all rows and files, overwritten on disk."""

from sqlmodel import col, delete, select

from sprout.store.accounts.accounts import OWNERS_LOCK, refuse_without_owner
from sprout.store.accounts.security_log import forget_classes
from sprout.store.documents.full_text import rebuild_index
from sprout.store.documents.storage import Storage
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths import node_edits
from sprout.store.paths.removal_guards import refuse_while_running
from sprout.store.schema import run_tables, tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassTable
from sprout.store.sqlite.vacuum import SharedVacuum


async def erase_user(database: Database, storage: Storage, vacuum: SharedVacuum, user_id: str) -> None:
    """Delete everything of the learner, and their account. The one learner of a server without accounts stays, empty.

    Raises Conflict: one of their runs is active; LastOwner.
    """

    def body(tx: WriteTransaction) -> list[str]:
        tx.lock(OWNERS_LOCK)
        tx.lock(f"user:{user_id}")
        refuse_while_running(tx, col(run_tables.Run.user_id) == user_id)
        names = node_edits.storage_names(tx.session, col(tables.Node.user_id) == user_id)
        account = tx.session.exec(select(AccountTable.id).where(AccountTable.user_id == user_id)).first()
        refuse_without_owner(tx.session, user_id)
        forget_classes(tx, col(ClassTable.user_id) == user_id)
        tx.connection.execute(delete(tables.User).where(col(tables.User.id) == user_id))
        if account is None:
            tx.session.add(tables.User(id=user_id))
        if tx.is_exclusive:
            rebuild_index(tx.connection)
        return names

    await storage.remove(await database.write_tx(body))
    await vacuum.run()
