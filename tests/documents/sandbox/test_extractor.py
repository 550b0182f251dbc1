"""Files read in a process of their own."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.documents.office_files import changed, slides_file, word_file
from harness.documents.pdf_files import printed, slow_pages
from harness.documents.reader_processes import readers, running_reader
from sprout.documents.file_types import FileType
from sprout.documents.limits import MEBIBYTE, ReadingLimits
from sprout.documents.sandbox.extractor import Extractor, parse_child_output
from sprout.errors import UnreadableDocument

ROOT = Path(__file__).resolve().parents[3]
SLOW = slow_pages(100, 60_000)
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel of Linux")
FILES = {
    FileType.MARKDOWN: ("# Wärme\n\nWärme ist Energie.".encode(), None),
    FileType.TEXT: ("Wärme ist Energie.".encode(), None),
    FileType.HTML: ("<!doctype html><h1>Wärme</h1><p>Wärme ist Energie.".encode(), None),
    FileType.PDF: (printed([["Wärme ist Energie."], ["Wärme ist auch Bewegung."]], bookmarks=[("Wärme", 0)]), 2),
    FileType.DOCX: (word_file(), None),
    FileType.PPTX: (slides_file(), 4),
}


@pytest.mark.parametrize("kind", FileType)
async def test_a_file_of_every_kind_becomes_text_and_passages(kind: FileType) -> None:
    content, pages = FILES[kind]
    found = await Extractor().extract("wärme", kind, content)
    assert "Wärme ist Energie" in found.text or "Brüche" in found.text
    assert found.pages == pages
    for passage in found.passages:
        assert passage.text == found.text[passage.start : passage.end]
        assert passage.document == "wärme"
        assert (passage.page is None) == (pages is None)
    assert found.passages[0].page == (None if pages is None else 1)


async def test_P3_a_reader_that_is_killed_may_be_tried_again_and_the_server_works_on() -> None:
    extractor = Extractor()
    reading = asyncio.create_task(extractor.extract("slow.pdf", FileType.PDF, SLOW))
    (await running_reader()).send_signal(signal.SIGKILL)
    with pytest.raises(UnreadableDocument, match="interrupted: try again") as raised:
        await reading
    assert raised.value.retryable
    assert (await extractor.extract("a.md", FileType.MARKDOWN, b"Heat.")).text == "Heat."


async def test_B8_M20_a_file_that_takes_too_long_is_given_up_for_good() -> None:
    with pytest.raises(UnreadableDocument, match="takes too long") as raised:
        await Extractor(ReadingLimits(cpu_s=1)).extract("slow.pdf", FileType.PDF, SLOW)
    assert not raised.value.retryable


async def test_a_reader_that_gets_no_time_may_be_tried_again() -> None:
    with pytest.raises(UnreadableDocument, match="while the server was busy: try again later") as raised:
        await Extractor(ReadingLimits(wall_s=0.05)).extract("slow.pdf", FileType.PDF, SLOW)
    assert raised.value.retryable
    assert readers() == []


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (FileType.TEXT, b"heat\n" * 2_400_000),
        (FileType.HTML, b"<!doctype html>" + b"<p>a<b>b</b>" * 1_500_000),
        (
            FileType.DOCX,
            changed(
                word_file(),
                {"word/document.xml": lambda data: data.replace(b"<w:p>", b"<w:p/>" * 2_000_000 + b"<w:p>", 1)},
            ),
        ),
    ],
)
@LINUX
async def test_P4_a_reader_without_memory_ends_alone(kind: FileType, content: bytes) -> None:
    limits = ReadingLimits(memory_bytes=80 * MEBIBYTE, characters=50_000_000)
    with pytest.raises(UnreadableDocument) as raised:
        await Extractor(limits).extract("large", kind, content)
    assert not raised.value.retryable
    assert readers() == []


@LINUX
async def test_P4_a_pdf_that_needs_too_much_memory_is_given_up_for_good() -> None:
    limits = ReadingLimits(memory_bytes=160 * MEBIBYTE)
    with pytest.raises(UnreadableDocument, match="too much memory") as raised:
        await Extractor(limits).extract("large.pdf", FileType.PDF, slow_pages(1, 400_000))
    assert not raised.value.retryable
    assert readers() == []


async def test_a_call_that_is_cancelled_leaves_no_process() -> None:
    reading = asyncio.create_task(Extractor().extract("slow.pdf", FileType.PDF, SLOW))
    process = await running_reader()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    assert readers() == []


SERVER = """
import asyncio, sys
from sprout.documents.sandbox.extractor import Extractor
from sprout.documents.file_types import FileType
asyncio.run(Extractor().extract("slow.pdf", FileType.PDF, sys.stdin.buffer.read()))
"""


@LINUX
async def test_a_reader_dies_with_its_server() -> None:
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVER, cwd=ROOT, stdin=subprocess.PIPE)
    assert server.stdin is not None
    server.stdin.write(SLOW)
    server.stdin.close()
    async with asyncio.timeout(60):
        while not (found := [one for one in readers(server.pid) if one.nice() > psutil.Process().nice()]):
            await asyncio.sleep(0)
    server.kill()
    await server.wait()
    gone, left = await asyncio.to_thread(psutil.wait_procs, found, 60)
    assert (len(gone), left) == (1, [])


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process may open none, and so no pipe to another."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))  # open ones stay open; a number between them is no way out
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@LINUX
async def test_where_no_process_can_be_started_it_may_be_tried_again() -> None:
    extractor = Extractor()
    with no_more_files(), pytest.raises(UnreadableDocument, match="try again") as raised:
        await extractor.extract("a.md", FileType.MARKDOWN, b"Heat.")
    assert raised.value.retryable
    assert (await extractor.extract("a.md", FileType.MARKDOWN, b"Heat.")).text == "Heat."


async def test_a_text_with_more_passages_than_anybody_reads_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="too much text"):
        await Extractor().extract("a.md", FileType.MARKDOWN, b"# a\n\nb\n\n" * 25_000)


GOOD = {"text": "Heat.", "pieces": [[None, 0, 5, 1]], "pages": 1, "unread": [], "unconfined": []}


def test_what_a_reader_says_for_the_log_is_a_few_plain_words() -> None:
    report = {"failed": "damaged", "detail": "Anna\n<anna@example.org> " * 20}
    with pytest.raises(UnreadableDocument) as raised:
        parse_child_output("a.pdf", json.dumps(report).encode(), ReadingLimits())
    assert len(raised.value.detail) <= 60
    assert not set(raised.value.detail) & set("\n<>@.")


def test_an_answer_as_it_should_be_is_taken() -> None:
    assert parse_child_output("a.pdf", json.dumps(GOOD).encode(), ReadingLimits()).passages[0].page == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": 5},
        {"text": "a" * 101},
        {"text": "\ud800"},
        {"pieces": [[None, 0, 6, 1]]},
        {"pieces": [[None, -1, 5, 1]]},
        {"pieces": [[None, 0, 3, 1], [None, 2, 5, 1]]},
        {"pieces": [[None, 0, 5, 2]]},
        {"pieces": [[None, 0, 5, None]]},
        {"pieces": [[5, 0, 5, 1]]},
        {"pieces": [["a" * 2_000, 0, 5, 1]]},
        {"pieces": [[None, True, 5, 1]]},
        {"pieces": [[None, 0, 5]]},
        {"pieces": [[None, 0, 5, 1]] * 11},
        {"pieces": None},
        {"pages": None},
        {"pages": "1"},
        {"unread": ["a"]},
        {"failed": "unheard of", "detail": ""},
        {"failed": []},
        {"unconfined": None},
    ],
)
def test_an_answer_that_makes_no_sense_is_not_believed(wrong: dict[str, object]) -> None:
    limits = ReadingLimits(characters=100, passages=10)
    with pytest.raises(UnreadableDocument, match="damaged"):
        parse_child_output("a.pdf", json.dumps(GOOD | wrong).encode(), limits)


@settings(max_examples=40)
@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda it: json.dumps(it).encode())
)
def test_B12_any_answer_that_is_not_one_is_refused(answer: bytes) -> None:
    with pytest.raises(UnreadableDocument):
        parse_child_output("a.pdf", answer, ReadingLimits())


@pytest.mark.parametrize(
    ("kind", "head"),
    [(FileType.PDF, b"%PDF-1.7\n"), (FileType.DOCX, b"PK\x03\x04"), (FileType.HTML, b"<html>"), (FileType.TEXT, b"")],
)
async def test_B12_a_thousand_strange_bytes_do_no_harm(kind: FileType, head: bytes) -> None:
    strange = head + bytes((number * 7 + 3) % 256 for number in range(1_000))
    try:
        found = await Extractor().extract("strange", kind, strange)
    except UnreadableDocument as refusal:
        again = refusal.retryable
    else:
        again = not found.text
    assert not again
