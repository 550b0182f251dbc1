"""Account: export of all of a learner's data as one file, and its deletion."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO

from starlette.responses import Response, StreamingResponse

from sprout.errors import BadInput
from sprout.learning.paths.account import Account
from sprout.web.handlers.run_wait import cancel_runs
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import Call, no_content
from sprout.web.schemas.requests import ErasureQuery, UserRequest

ZIP = "application/zip"
CONFIRMATION = "delete everything"
ATTACHMENT_HEADERS = {"Content-Disposition": 'attachment; filename="sprout-data.zip"'}
_CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class AccountDependencies:
    """The data of a learner, and the runs to stop before it is deleted."""

    account: Account
    runs: Runs


async def download_archive(call: Call[AccountDependencies, UserRequest]) -> Response:
    """A ZIP file with all data of the caller."""
    return StreamingResponse(
        _read_chunks(await call.dependencies.account.archive(call.user_id)), media_type=ZIP, headers=ATTACHMENT_HEADERS
    )


async def erase_account(call: Call[AccountDependencies, ErasureQuery]) -> Response:
    """204 once all data of the caller is deleted; active runs are stopped first."""
    if call.query.confirm != CONFIRMATION:
        raise BadInput(
            'confirm: write "{word}" to delete all your data.', field="confirm", code="not_confirmed", word=CONFIRMATION
        )
    await cancel_runs(call, call.dependencies.runs)
    await call.dependencies.account.erase(call.user_id)
    return no_content()


async def _read_chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk
