"""A file to its text and passages, in a process of its own that may take only so much and may die."""

import asyncio
import json
import logging
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sprout.documents.child import command
from sprout.documents.kinds import Kind
from sprout.documents.limits import MEBIBYTE, ReadingLimits
from sprout.documents.reasons import Reason, unreadable
from sprout.errors import Unreadable
from sprout.learning.paths.shelf import Passage

__all__ = ["Extracted", "Extractor", "ReadingLimits"]

CHUNK_BYTES = 256 * 1024
BYTES_FOR_A_CHARACTER = 6  # the worst that UTF-8 and JSON make of one
BYTES_FOR_A_PASSAGE = 4_096  # its path of headings
MAX_HEADING = 1_000
MAX_DETAIL = 60
_WORDS = re.compile(r"[^A-Za-z_ ]+")
_NETWORKED = frozenset({"namespaces", "system calls"})
ROOT = str(Path(__file__).resolve().parents[2])
# Nothing of the server's own: it may hold keys. Windows starts no program without the one name.
ENVIRONMENT = {"SYSTEMROOT": "C:\\Windows"} if sys.platform == "win32" else {"LC_ALL": "C.UTF-8"}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a file says.

    Args:
        pages: how many there are, where the file has pages.
        unread: the pages that could not be read, counted from 1; nothing of them is in the text.
    """

    text: str
    passages: tuple[Passage, ...]
    pages: int | None = None
    unread: tuple[int, ...] = ()


class Extractor:
    """Reads files within limits; how many are read at once is for its caller to say."""

    def __init__(self, limits: ReadingLimits = ReadingLimits()) -> None:
        self.limits = limits

    async def extracted(self, name: str, kind: Kind, content: bytes) -> Extracted:
        """Text and passages; a call that is cancelled leaves no process behind. Raises Unreadable.

        Args:
            name: what the passages say that they are from.
        """
        try:
            answer = await _answer(kind, content, self.limits)
            return await asyncio.to_thread(checked, name, answer, self.limits)
        except Unreadable as failure:
            why = {"kind": kind.value, "reason": failure.reason, "cause": failure.detail}
            log.info("document.unreadable", extra=why)
            raise


async def _answer(kind: Kind, content: bytes, limits: ReadingLimits) -> bytes:
    """What the process says, unread. Raises Unreadable where it did not come to say anything."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command(ROOT, kind, limits),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            cwd=ROOT, env=ENVIRONMENT, start_new_session=True,
        )  # fmt: skip
    except OSError as error:  # no room for another process
        raise unreadable(Reason.INTERRUPTED, detail=type(error).__name__) from None
    most = BYTES_FOR_A_CHARACTER * limits.characters + BYTES_FOR_A_PASSAGE * limits.passages + MEBIBYTE
    try:
        async with asyncio.timeout(limits.wall_s):
            _, answer = await asyncio.gather(_sent(process, content), _received(process, most))
            status = await process.wait()
    except TimeoutError:
        raise unreadable(Reason.LATE) from None
    finally:
        await _ended(process)
    if status != 0:
        raise unreadable(_reason(status), detail=f"exit status {status}")
    return answer


async def _sent(process: Process, content: bytes) -> None:
    """Raises nothing where the process stops listening: what it says, or its death, tells why."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(content), CHUNK_BYTES):
            process.stdin.write(content[start : start + CHUNK_BYTES])
            await process.stdin.drain()
    process.stdin.close()


async def _received(process: Process, most: int) -> bytes:
    assert process.stdout is not None
    parts: list[bytes] = []
    length = 0
    while part := await process.stdout.read(CHUNK_BYTES):
        parts.append(part)
        length += len(part)
        if length > most:
            raise unreadable(Reason.DAMAGED, detail="answer too long")
    return b"".join(parts)


async def _ended(process: Process) -> None:
    """Kill the process with all of its group, unless it has ended, and wait until it is gone."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    while await process.stdout.read(CHUNK_BYTES):  # a pipe that is full keeps its transport open
        pass
    await process.wait()


def _reason(status: int) -> Reason:
    if sys.platform != "win32":
        if status == -signal.SIGXCPU:
            return Reason.TOO_SLOW
        if status == -signal.SIGKILL:
            return Reason.INTERRUPTED
    return Reason.DAMAGED


def checked(name: str, answer: bytes, limits: ReadingLimits) -> Extracted:
    """The answer as values. It is believed as little as the file: whoever wrote the file may have written it too."""
    try:
        said = json.loads(answer)
        if "failed" in said:
            raise unreadable(Reason(said["failed"]), detail=_WORDS.sub("", str(said["detail"]))[:MAX_DETAIL])
        if set(said["unconfined"]) >= _NETWORKED:
            log.warning("document.reader_has_network", extra={"cause": "the kernel refused to take it away"})
        return _extracted(name, said, limits)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(Reason.DAMAGED, detail=f"answer: {type(error).__name__}") from None


def _extracted(name: str, said: dict[str, Any], limits: ReadingLimits) -> Extracted:
    text, pages = said["text"], said["pages"]
    if not isinstance(text, str) or len(text) > limits.characters or len(said["pieces"]) > limits.passages:
        raise ValueError
    if pages is not None and not (type(pages) is int and 0 < pages <= limits.pages):
        raise ValueError
    text.encode()
    unread = tuple(int(page) for page in said["unread"])
    return Extracted(text, tuple(_passages(name, text, said["pieces"], pages)), pages, unread)


def _passages(name: str, text: str, pieces: list[Any], pages: int | None) -> list[Passage]:
    reached = 0
    found = []
    for heading, start, end, page in pieces:
        whole = type(start) is int and type(end) is int and reached <= start < end <= len(text)
        named = heading is None or (isinstance(heading, str) and len(heading) <= MAX_HEADING)
        paged = page is None if pages is None else type(page) is int and 1 <= page <= pages
        if not (whole and named and paged):
            raise ValueError
        found.append(Passage(name, heading, text[start:end], start, end, page=page))
        reached = end
    return found
