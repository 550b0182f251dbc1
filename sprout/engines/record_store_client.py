"""Record stores over HTTP: xAPI 1.0.3, to addresses that this server may call."""

import asyncio
import json
import logging
from collections.abc import Collection
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from sprout.accounts.lrs.record_stores import (
    BatchTooLarge,
    RecordStoreFailed,
    StatementsKnown,
    StoreAccess,
    StoreProblem,
)
from sprout.engines.reachable_hosts import HostNotAllowed, addresses_of
from sprout.learning.xapi.statements import VERSION

CONNECT_S, TOTAL_S = 5.0, 30.0
MAX_BYTES = 256 * 1024
_PROBLEMS = {
    400: StoreProblem.REFUSED,
    401: StoreProblem.CREDENTIALS,
    403: StoreProblem.CREDENTIALS,
    408: StoreProblem.BUSY,
    425: StoreProblem.BUSY,
    429: StoreProblem.BUSY,
}

log = logging.getLogger(__name__)


class _About(BaseModel):
    """What a store says of itself, as far as it is needed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: list[str]


class HttpRecordStoreClient:
    """A RecordStoreClient.

    Args:
        allowed_hosts: hosts in private networks, or of this machine, that may be called.
        total_s: the longest that a request may take.
    """

    def __init__(self, allowed_hosts: Collection[str] = (), *, total_s: float = TOTAL_S) -> None:
        self._allowed = frozenset(host.lower() for host in allowed_hosts)
        self._total_s = total_s

    async def about(self, access: StoreAccess) -> list[str]:
        status, content, headers = await self._request("GET", "about", access)
        if status != 200:
            raise _failure(status, headers)
        try:
            return _About.model_validate_json(content).version
        except ValidationError as error:
            raise RecordStoreFailed(StoreProblem.NO_STORE) from error

    async def send(self, access: StoreAccess, statements: bytes) -> None:
        status, content, headers = await self._request("POST", "statements", access, statements)
        match status:
            case 204:
                return
            case 200 if _ids(content) >= {one["id"] for one in json.loads(statements)}:
                return
            case 200:  # something that is no record store answers everything so
                raise RecordStoreFailed(StoreProblem.NO_STORE)
            case 409:
                raise StatementsKnown
            case 413:
                raise BatchTooLarge
            case _:
                raise _failure(status, headers)

    async def _request(
        self, method: str, resource: str, access: StoreAccess, content: bytes | None = None
    ) -> tuple[int, bytes, httpx2.Headers]:
        """The status, the body and the headers of an answer. Raises RecordStoreFailed."""
        try:
            async with asyncio.timeout(self._total_s):
                return await self._answer(method, httpx2.URL(f"{access.endpoint}/{resource}"), access, content)
        except HostNotAllowed as error:
            raise RecordStoreFailed(StoreProblem.NOT_ALLOWED) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:  # a timeout is an OSError
            log.info("lrs.unreachable", extra={"reason": type(error).__name__})
            raise RecordStoreFailed(StoreProblem.UNREACHABLE) from error

    async def _answer(
        self, method: str, url: httpx2.URL, access: StoreAccess, content: bytes | None
    ) -> tuple[int, bytes, httpx2.Headers]:
        """Call the first of the host's addresses that can be reached; its certificate must be for the host's name."""
        host, port = url.raw_host.decode("ascii"), url.port or (443 if url.scheme == "https" else 80)
        addresses = await addresses_of(host, port, allowed=self._allowed)
        async with httpx2.AsyncClient(
            timeout=httpx2.Timeout(self._total_s, connect=CONNECT_S), trust_env=False
        ) as client:
            for left, address in zip(range(len(addresses) - 1, -1, -1), addresses, strict=True):
                request = client.build_request(
                    method,
                    url.copy_with(host=address),
                    content=content,
                    headers=_headers(url, has_content=content is not None),
                    extensions={"sni_hostname": host},
                )
                try:
                    return await _read(client, request, access)
                except (httpx2.ConnectError, httpx2.ConnectTimeout):
                    if not left:
                        raise
        raise OSError(f"no address of {host}")


async def _read(
    client: httpx2.AsyncClient, request: httpx2.Request, access: StoreAccess
) -> tuple[int, bytes, httpx2.Headers]:
    answer = await client.send(request, auth=httpx2.BasicAuth(access.key, access.secret), stream=True)
    try:
        content = b""
        async for piece in answer.aiter_bytes():
            content += piece
            if len(content) > MAX_BYTES:
                raise RecordStoreFailed(StoreProblem.NO_STORE)
        return answer.status_code, content, answer.headers
    finally:
        await answer.aclose()


def _headers(url: httpx2.URL, *, has_content: bool) -> dict[str, str]:
    headers = {
        "Host": url.netloc.decode("ascii"),
        "X-Experience-API-Version": VERSION,
        "Accept": "application/json",
        "Accept-Encoding": "identity",  # or a small answer could become a large one
    }
    return {**headers, "Content-Type": "application/json"} if has_content else headers


def _failure(status: int, headers: httpx2.Headers) -> RecordStoreFailed:
    if status in _PROBLEMS:
        problem = _PROBLEMS[status]
    elif status >= 500:
        problem = StoreProblem.BUSY
    elif status in (404, 405, 410) or status < 400:  # a redirect is not followed: the credentials are for this address
        problem = StoreProblem.NO_STORE
    else:
        problem = StoreProblem.REFUSED
    asked = headers.get("Retry-After", "")
    return RecordStoreFailed(problem, retry_after_s=float(asked) if asked.isascii() and asked.isdigit() else 0)


def _ids(content: bytes) -> set[Any]:
    """The ids in an answer to statements; none where it is no such answer."""
    try:
        found = json.loads(content)
    except ValueError:
        return set()
    return {one.lower() for one in found if isinstance(one, str)} if isinstance(found, list) else set()
