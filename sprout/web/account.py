"""The answers about everything of a learner at once: taken along in one file, and deleted."""

import asyncio
from collections.abc import AsyncIterator
from typing import BinaryIO

from starlette.responses import Response, StreamingResponse

from sprout.errors import BadInput, Conflict
from sprout.web.bodies import Erasure, MaybeOwner, Nothing
from sprout.web.endpoint import Call, nothing_left

ZIP = "application/zip"
CONFIRMED = "delete everything"
NAMED = {"Content-Disposition": 'attachment; filename="sprout-data.zip"'}
_CHUNK_BYTES = 256 * 1024


async def archived(call: Call[MaybeOwner, Nothing]) -> Response:
    """Everything of the caller that may be shown."""
    return StreamingResponse(_read(await call.parts.account.archive(call.user_id)), media_type=ZIP, headers=NAMED)


async def erased(call: Call[Erasure, Nothing]) -> Response:
    """204 once everything of the caller is gone; what is going for them is stopped first."""
    if call.query.confirm != CONFIRMED:
        raise BadInput(f'confirm: write "{CONFIRMED}" to delete all that is kept of you.', field="confirm")
    try:
        async with asyncio.timeout(call.parts.limits.run_wait_s):
            await call.parts.runs.stop_all(user_id=call.user_id)
    except TimeoutError:
        raise Conflict("Something that was going is still being stopped. Nothing is deleted yet: try again.") from None
    await call.parts.account.erase(call.user_id)
    return nothing_left()


async def _read(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk
