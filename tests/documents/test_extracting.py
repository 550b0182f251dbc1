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

from sprout.documents.extracting import Extractor, ReadingLimits, checked
from sprout.documents.kinds import Kind
from sprout.documents.limits import MEBIBYTE
from sprout.errors import Unreadable
from tests.documents.children import reader_at_work, readers
from tests.documents.offices import changed, slides_file, word_file
from tests.documents.pdfs import printed, slow_pages

ROOT = Path(__file__).resolve().parents[2]
SLOW = slow_pages(100, 60_000)
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel of Linux")
FILES = {
    Kind.MARKDOWN: ("# Wärme\n\nWärme ist Energie.".encode(), None),
    Kind.TEXT: ("Wärme ist Energie.".encode(), None),
    Kind.HTML: ("<!doctype html><h1>Wärme</h1><p>Wärme ist Energie.".encode(), None),
    Kind.PDF: (printed([["Wärme ist Energie."], ["Wärme ist auch Bewegung."]], bookmarks=[("Wärme", 0)]), 2),
    Kind.DOCX: (word_file(), None),
    Kind.PPTX: (slides_file(), 4),
}


@pytest.mark.parametrize("kind", Kind)
async def test_a_file_of_every_kind_becomes_text_and_passages(kind: Kind) -> None:
    content, pages = FILES[kind]
    found = await Extractor().extracted("wärme", kind, content)
    assert "Wärme ist Energie" in found.text or "Brüche" in found.text
    assert found.pages == pages
    for passage in found.passages:
        assert passage.text == found.text[passage.start : passage.end]
        assert passage.document == "wärme"
        assert (passage.page is None) == (pages is None)
    assert found.passages[0].page == (None if pages is None else 1)


async def test_P3_a_reader_that_is_killed_may_be_tried_again_and_the_server_works_on() -> None:
    extractor = Extractor()
    reading = asyncio.create_task(extractor.extracted("slow.pdf", Kind.PDF, SLOW))
    (await reader_at_work()).send_signal(signal.SIGKILL)
    with pytest.raises(Unreadable, match="interrupted: try again") as raised:
        await reading
    assert raised.value.again
    assert (await extractor.extracted("a.md", Kind.MARKDOWN, b"Heat.")).text == "Heat."


async def test_B8_M20_a_file_that_takes_too_long_is_given_up_for_good() -> None:
    with pytest.raises(Unreadable, match="takes too long") as raised:
        await Extractor(ReadingLimits(cpu_s=1)).extracted("slow.pdf", Kind.PDF, SLOW)
    assert not raised.value.again


async def test_a_reader_that_gets_no_time_may_be_tried_again() -> None:
    with pytest.raises(Unreadable, match="while the server was busy: try again later") as raised:
        await Extractor(ReadingLimits(wall_s=0.05)).extracted("slow.pdf", Kind.PDF, SLOW)
    assert raised.value.again
    assert readers() == []


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (Kind.TEXT, b"heat\n" * 2_400_000),
        (Kind.HTML, b"<!doctype html>" + b"<p>a<b>b</b>" * 1_500_000),
        (
            Kind.DOCX,
            changed(
                word_file(),
                {"word/document.xml": lambda data: data.replace(b"<w:p>", b"<w:p/>" * 2_000_000 + b"<w:p>", 1)},
            ),
        ),
    ],
)
@LINUX
async def test_P4_a_reader_without_memory_ends_alone(kind: Kind, content: bytes) -> None:
    limits = ReadingLimits(memory_bytes=80 * MEBIBYTE, characters=50_000_000)
    with pytest.raises(Unreadable) as raised:
        await Extractor(limits).extracted("large", kind, content)
    assert not raised.value.again
    assert readers() == []


async def test_a_call_that_is_cancelled_leaves_no_process() -> None:
    reading = asyncio.create_task(Extractor().extracted("slow.pdf", Kind.PDF, SLOW))
    process = await reader_at_work()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    assert readers() == []


SERVER = """
import asyncio, sys
from sprout.documents.extracting import Extractor
from sprout.documents.kinds import Kind
asyncio.run(Extractor().extracted("slow.pdf", Kind.PDF, sys.stdin.buffer.read()))
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
    resource.setrlimit(resource.RLIMIT_NOFILE, (psutil.Process().num_fds(), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@LINUX
async def test_where_no_process_can_be_started_it_may_be_tried_again() -> None:
    extractor = Extractor()
    with no_more_files(), pytest.raises(Unreadable, match="try again") as raised:
        await extractor.extracted("a.md", Kind.MARKDOWN, b"Heat.")
    assert raised.value.again
    assert (await extractor.extracted("a.md", Kind.MARKDOWN, b"Heat.")).text == "Heat."


async def test_a_text_with_more_passages_than_anybody_reads_is_refused() -> None:
    with pytest.raises(Unreadable, match="too much text"):
        await Extractor().extracted("a.md", Kind.MARKDOWN, b"# a\n\nb\n\n" * 25_000)


GOOD = {"text": "Heat.", "pieces": [[None, 0, 5, 1]], "pages": 1, "unread": [], "unconfined": []}


def test_what_a_reader_says_for_the_log_is_a_few_plain_words() -> None:
    said = {"failed": "damaged", "detail": "Anna\n<anna@example.org> " * 20}
    with pytest.raises(Unreadable) as raised:
        checked("a.pdf", json.dumps(said).encode(), ReadingLimits())
    assert len(raised.value.detail) <= 60
    assert not set(raised.value.detail) & set("\n<>@.")


def test_an_answer_as_it_should_be_is_taken() -> None:
    assert checked("a.pdf", json.dumps(GOOD).encode(), ReadingLimits()).passages[0].page == 1


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
    with pytest.raises(Unreadable, match="damaged"):
        checked("a.pdf", json.dumps(GOOD | wrong).encode(), limits)


@settings(max_examples=40)
@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda it: json.dumps(it).encode())
)
def test_B12_any_answer_that_is_not_one_is_refused(answer: bytes) -> None:
    with pytest.raises(Unreadable):
        checked("a.pdf", answer, ReadingLimits())


@pytest.mark.parametrize(
    ("kind", "head"),
    [(Kind.PDF, b"%PDF-1.7\n"), (Kind.DOCX, b"PK\x03\x04"), (Kind.HTML, b"<html>"), (Kind.TEXT, b"")],
)
async def test_B12_a_thousand_strange_bytes_do_no_harm(kind: Kind, head: bytes) -> None:
    strange = head + bytes((number * 7 + 3) % 256 for number in range(1_000))
    try:
        found = await Extractor().extracted("strange", kind, strange)
    except Unreadable as refusal:
        again = refusal.again
    else:
        again = not found.text
    assert not again
