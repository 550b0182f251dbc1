"""Jobs that a process repeats."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sprout.errors import DatabaseUnavailable
from sprout.runs.cancellation import raise_if_cancelled

log = logging.getLogger(__name__)


async def repeat(seconds: float, job: Callable[[], Awaitable[None]]) -> None:
    """Do the job after every interval, until this is cancelled."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await job()
        except DatabaseUnavailable:
            log.info("job.postponed", extra={"problem": getattr(job, "__name__", "job")})
        except Exception:  # the job is tried again in the next round
            log.exception("job.failed", extra={"problem": getattr(job, "__name__", "job")})
        raise_if_cancelled()
