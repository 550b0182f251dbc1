"""A learner's account: exported as one archive, and erased."""

from typing import BinaryIO

from sprout.store.account.archive import user_archive
from sprout.store.account.erasure import erase_user
from sprout.store.documents.storage import Storage
from sprout.store.engine.database import Database
from sprout.store.sqlite.vacuum import SharedVacuum


class SqlAccount:
    """Account on SQL; the bytes of documents are in `storage`."""

    def __init__(self, database: Database, *, storage: Storage) -> None:
        self._database = database
        self._storage = storage
        self._vacuum = SharedVacuum(database.writer.engine)

    async def archive(self, user_id: str) -> BinaryIO:
        return await user_archive(self._database, self._storage, user_id)

    async def erase(self, user_id: str) -> None:
        await erase_user(self._database, self._storage, self._vacuum, user_id)
