"""Queue of mails: they are written and sent one after another, outside of the requests that ask for them.

So a request takes as long for an address that is known as for any other, and no mail server can hold it up. What still
waits when the process ends is lost: its person asks again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from sprout.accounts.mail import Mail, Mailer
from sprout.errors import SproutError

MAX_WAITING = 500
DRAIN_S = 10.0  # at the end of the process

WriteMails = Callable[[], Awaitable[Sequence[Mail]]]

log = logging.getLogger(__name__)


class MailQueueFull(SproutError):
    """So many mails wait that one more would come too late."""

    code = "mail_queue_full"
    retry_after_s = 60.0

    def __init__(self) -> None:
        super().__init__("Too many e-mails are waiting to be sent. Try again in a minute.")


class MailQueue:
    """A queue of mails that are still to be written."""

    def __init__(self, mailer: Mailer) -> None:
        self._mailer = mailer
        self._waiting = asyncio.Queue[WriteMails](MAX_WAITING)

    def add(self, write: WriteMails) -> None:
        """Have mails written and sent. Raises MailQueueFull."""
        try:
            self._waiting.put_nowait(write)
        except asyncio.QueueFull:
            raise MailQueueFull from None

    async def send_all(self) -> None:
        """Send what waits and what comes, until this is cancelled."""
        while True:
            write = await self._waiting.get()
            try:
                await self._write_and_send(write)
            except Exception:  # a bug in one mail must not keep back the others
                log.exception("mail.failed")
            finally:
                self._waiting.task_done()

    async def drain(self) -> None:
        """Wait a moment for what is still to be sent."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                await self._waiting.join()
        if lost := self._waiting.qsize():
            log.warning("mail.dropped", extra={"count": lost})

    async def _write_and_send(self, write: WriteMails) -> None:
        try:
            mails = await write()
        except SproutError as error:  # the database is busy, or does not answer
            log.error("mail.not_written", extra={"reason": str(error)})
            return
        for mail in mails:
            try:
                await self._mailer.send(mail)
            except SproutError as error:
                log.error("mail.not_sent", extra={"reason": str(error)})


@asynccontextmanager
async def open_mail_queue(mailer: Mailer) -> AsyncIterator[MailQueue]:
    """A queue whose mails are sent until the block is left."""
    queue = MailQueue(mailer)
    async with asyncio.TaskGroup() as tasks:
        sending = tasks.create_task(queue.send_all())
        try:
            yield queue
            await queue.drain()
        finally:
            sending.cancel()
