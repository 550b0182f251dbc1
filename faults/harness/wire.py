"""Plain HTTP on a socket, with nothing in between that would hide a cut."""

import asyncio
import json
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

HOST = "127.0.0.1"
KNOCK_S = 0.01
ANSWER_S = 60.0


class Cut(Exception):
    """The connection ended before its answer did, or there was none to be had."""


@dataclass(frozen=True, slots=True)
class Head:
    """The begin of an answer; names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: Any


async def asked(
    port: int, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """The answer to a request, its JSON read; other content as text. Raises Cut."""
    async with connected(port) as (reader, writer):
        head = await sent(reader, writer, method, path, body, headers)
        raw = b"".join([part async for part in content(reader, head)])
    if "json" not in head.headers.get("content-type", ""):
        return Answer(head.status, head.headers, raw.decode())
    return Answer(head.status, head.headers, json.loads(raw))


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """A connection for one request. Raises Cut, also for what the network says while it is held."""
    try:
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            yield reader, writer
        finally:
            writer.close()
    except (OSError, IncompleteReadError) as error:
        raise Cut(f"{type(error).__name__}: {error}") from None


async def sent(
    reader: StreamReader,
    writer: StreamWriter,
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> Head:
    """Send a request; the head of its answer."""
    raw = b"" if body is None else json.dumps(body).encode()
    given = {"Host": HOST, "Content-Length": str(len(raw)), "Content-Type": "application/json", **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + raw)
    await writer.drain()
    async with asyncio.timeout(ANSWER_S):
        status, *fields = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    named = (field.partition(": ") for field in fields if field)
    return Head(int(status.split()[1]), {name.lower(): value for name, _, value in named})


async def content(reader: StreamReader, head: Head) -> AsyncGenerator[bytes, None]:
    """The body in pieces as they come. Raises IncompleteReadError where it is cut."""
    if head.headers.get("transfer-encoding") != "chunked":
        yield await reader.readexactly(int(head.headers.get("content-length", "0")))
        return
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)


async def accepting(port: int) -> None:
    """Wait until somebody accepts a connection."""
    while True:
        try:
            async with connected(port):
                return
        except Cut:
            await asyncio.sleep(KNOCK_S)
