"""Times at which sessions and tokens were last used."""

import logging

from sqlalchemy import Executable

from sprout.errors import DatabaseBusy, StorageFull
from sprout.store.engine.database import Database

log = logging.getLogger(__name__)


async def keep_use(database: Database, update: Executable) -> None:
    """Keep such a time. A request that only reads is answered also while nothing can be written."""
    try:
        await database.write_tx(lambda tx: tx.connection.execute(update).close())
    except (DatabaseBusy, StorageFull) as error:
        log.warning("accounts.use_not_kept", extra={"reason": str(error)})
