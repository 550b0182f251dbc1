"""Plain HTTP on a socket, with nothing in between that would hide a cut."""

import asyncio
import json
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

HOST = "127.0.0.1"
POLL_S = 0.01
ANSWER_S = 60.0


class ConnectionCut(Exception):
    """The connection ended before its answer did, or there was none to be had."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The begin of an answer; names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RawResponse:
    status: int
    headers: Mapping[str, str]
    body: Any


async def send_request(
    port: int, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
) -> RawResponse:
    """The answer to a request, its JSON read; other content as text. Raises Cut."""
    async with open_connection(port) as (reader, writer):
        head = await write_request(reader, writer, method, path, body, headers)
        raw = b"".join([part async for part in iter_body(reader, head)])
    if "json" not in head.headers.get("content-type", ""):
        return RawResponse(head.status, head.headers, raw.decode())
    return RawResponse(head.status, head.headers, json.loads(raw))


@asynccontextmanager
async def open_connection(port: int) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """A connection for one request. Raises Cut, also for what the network says while it is held."""
    try:
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            yield reader, writer
        finally:
            writer.close()
    except (OSError, IncompleteReadError) as error:
        raise ConnectionCut(f"{type(error).__name__}: {error}") from None


async def write_request(
    reader: StreamReader,
    writer: StreamWriter,
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> ResponseHead:
    """Send a request; the head of its answer."""
    raw = b"" if body is None else json.dumps(body).encode()
    given = {"Host": HOST, "Content-Length": str(len(raw)), "Content-Type": "application/json", **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + raw)
    await writer.drain()
    async with asyncio.timeout(ANSWER_S):
        status, *fields = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    named = (field.partition(": ") for field in fields if field)
    return ResponseHead(int(status.split()[1]), {name.lower(): value for name, _, value in named})


async def iter_body(reader: StreamReader, head: ResponseHead) -> AsyncGenerator[bytes, None]:
    """The body in pieces as they come. Raises IncompleteReadError where it is cut."""
    if head.headers.get("transfer-encoding") != "chunked":
        yield await reader.readexactly(int(head.headers.get("content-length", "0")))
        return
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)


async def wait_accepting(port: int) -> None:
    """Wait until the port accepts a connection."""
    while True:
        try:
            async with open_connection(port):
                return
        except ConnectionCut:
            await asyncio.sleep(POLL_S)
