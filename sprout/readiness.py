"""Whether a server can take requests now: asked for by whoever stands before it, such as a load balancer."""

import asyncio
from urllib.parse import urlsplit

from sprout.errors import SproutError
from sprout.runs.live import LiveRuns
from sprout.store.database import Database

KNOCK_S = 2.0


async def missing(runs: LiveRuns, database: Database, model_url: str | None) -> str | None:
    """Why requests should be sent elsewhere, and what to do about it; None where nothing is missing.

    Args:
        model_url: where the built-in model is; None where another one is used, of which a run says whether it answers.
    """
    if runs.closing:
        return "Sprout is about to stop. Try again in a few seconds."
    if not await database.answers():
        return "The database does not answer. Look at the server's log and at the database."
    if not await _current(database):
        return "The database's schema is not that of this program. Run `sprout migrate`, or start the other program."
    if model_url is not None and not await _listens(model_url):
        return "The built-in model does not answer. Restart Sprout."
    return None


async def _current(database: Database) -> bool:
    try:
        return await database.current()
    except SproutError:
        return False


async def _listens(url: str) -> bool:
    address = urlsplit(url)
    try:
        async with asyncio.timeout(KNOCK_S):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
