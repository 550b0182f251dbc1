"""Readiness: whether the server can take requests now, as a load balancer asks."""

import asyncio
from urllib.parse import urlsplit

from sprout.errors import SproutError
from sprout.runs.live_runs import LiveRuns
from sprout.store.engine.database import Database

CONNECT_TIMEOUT_S = 2.0


async def unready_reason(runs: LiveRuns, database: Database, model_url: str | None) -> str | None:
    """Why the server should get no requests now, and what to do about it; None if it is ready.

    Args:
        model_url: address of the built-in model; None if another one is used, whose failures show in the runs.
    """
    if runs.closing:
        return "Sprout is restarting. Try again in a few seconds."
    if not await database.is_reachable():
        return "The database does not respond. Check the database and the server's log."
    if not await _has_schema(database):
        return "The database's schema is missing, or older than this version. Run `sprout migrate`."
    if model_url is not None and not await _accepts_connections(model_url):
        return "The built-in model does not respond. Restart Sprout."
    return None


async def _has_schema(database: Database) -> bool:
    try:
        return await database.has_needed_schema()
    except SproutError:
        return False


async def _accepts_connections(url: str) -> bool:
    address = urlsplit(url)
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
