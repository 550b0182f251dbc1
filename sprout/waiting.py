"""Waiting of a process for the services that it needs, in whatever order they are started."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TypeVar

from sprout.errors import DatabaseBusy, DatabaseUnavailable, ServiceNotReady
from sprout.runs.cancellation import raise_if_cancelled

RETRY_S = 1.0

T = TypeVar("T")

log = logging.getLogger(__name__)


async def open_when_ready(
    stack: AsyncExitStack,
    opening: Callable[[], AbstractAsyncContextManager[T]],
    meanwhile: Callable[[Callable[[], str]], AbstractAsyncContextManager[None]],
) -> T:
    """What is opened, once every service that it needs is there; closed with the stack.

    It is tried again every `RETRY_S`, however long that takes. The log names each service that is waited for once.

    Args:
        meanwhile: entered while something is missing, with what says why.

    Raises SetupError: what no waiting mends.
    """
    wait = _Wait()
    async with AsyncExitStack() as waiting:
        while True:
            try:
                opened = await stack.enter_async_context(opening())
            except (ServiceNotReady, DatabaseBusy, DatabaseUnavailable) as missing:
                if not wait.service:
                    await waiting.enter_async_context(meanwhile(lambda: wait.reason))
                wait.go_on(missing)
            else:
                wait.end()
                return opened
            raise_if_cancelled()
            await asyncio.sleep(RETRY_S)


class _Wait:
    """What is waited for now, and why; empty before anything was missing."""

    def __init__(self) -> None:
        self.service = self.reason = ""

    def go_on(self, missing: ServiceNotReady | DatabaseBusy | DatabaseUnavailable) -> None:
        service = missing.service if isinstance(missing, ServiceNotReady) else "PostgreSQL"
        self.reason = str(missing)
        if service != self.service:
            log.warning("start.waits", extra={"kind": service, "reason": self.reason})
        self.service = service

    def end(self) -> None:
        if self.service:
            log.warning("start.goes_on", extra={"kind": self.service})
