"""Contents of an office file are checked before any library opens it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.documents.hostile_office_files import LAUGHS
from harness.documents.office_files import (
    changed,
    declaring,
    encrypted,
    overlapping,
    packed,
    slides_file,
    with_prolog,
    word_file,
)
from sprout.documents.file_types import FileType
from sprout.documents.formats.readers import read_document, reader_for
from sprout.documents.limits import MEBIBYTE, ReadingLimits
from sprout.documents.zip_archive import MAX_ENTRIES, check_entries, read_entries, refuse_dtd
from sprout.errors import UnreadableDocument

WORD, SLIDES = word_file(), slides_file()
DOCUMENT, STYLES = "word/document.xml", "word/styles.xml"
SMALL = ReadingLimits(inflated_bytes=2 * MEBIBYTE)


def check(content: bytes, limits: ReadingLimits = ReadingLimits()) -> int:
    return check_entries(content, read_entries(content), limits)


def refusal(content: bytes, kind: FileType, limits: ReadingLimits = ReadingLimits()) -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as raised:
        read_document(reader_for(kind), content, limits)
    return raised.value


@pytest.mark.parametrize("content", [WORD, SLIDES])
def test_good_files_are_let_through_and_counted(content: bytes) -> None:
    assert 50_000 < check(content) < 2_000_000


def test_B9_a_bomb_by_ratio_is_refused_before_it_is_unpacked() -> None:
    bomb = changed(WORD, {}, {"word/media/image1.png": bytes(100 * MEBIBYTE)})
    assert len(bomb) < 200_000
    assert refusal(bomb, FileType.DOCX).detail == "ratio"


def test_B9_a_bomb_by_count_is_refused_unseen() -> None:
    crowd = packed((f"{number}.xml", b"") for number in range(MAX_ENTRIES + 1))
    assert refusal(crowd, FileType.DOCX).detail == "entries"


def test_B9_all_together_may_not_unpack_to_more_than_the_limit() -> None:
    parts = {f"word/media/{number}.bin": bytes(range(256)) * 1_024 for number in range(10)}
    assert "too large once unpacked" in str(refusal(changed(WORD, {}, parts), FileType.DOCX, SMALL))


def test_B9_entries_that_lie_within_each_other_are_refused() -> None:
    assert refusal(overlapping(WORD, "docProps/app.xml", DOCUMENT), FileType.DOCX).detail == "local header"
    nested = packed([("a.xml", b"<a/>"), ("b.xml", b"<b/>")])
    assert check(nested) == 8
    same = packed([("a.xml", b"<a/>"), ("b.xml", b"<b/>")]).replace(b"b.xml", b"a.xml")
    for lies in (same, overlapping(same, "a.xml", "a.xml")):
        with pytest.raises(UnreadableDocument) as raised:
            check(lies)
        assert raised.value.detail in ("overlap", "doubled name")


@pytest.mark.parametrize("size", [0, 10, 2**32 - 1])
def test_B9_an_entry_that_lies_about_its_size_is_refused(size: int) -> None:
    assert refusal(declaring(WORD, DOCUMENT, size), FileType.DOCX).detail == "declared size"


def test_B9_an_encrypted_entry_says_that_a_password_must_be_taken_off() -> None:
    assert "protected by a password" in str(refusal(encrypted(WORD, DOCUMENT), FileType.DOCX))


@pytest.mark.parametrize(
    ("part", "prolog"),
    [
        (DOCUMENT, LAUGHS),
        (DOCUMENT, b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'>"),
        (STYLES, b"<!-- a --><!DOCTYPE a [<!ENTITY b SYSTEM 'http://127.0.0.1:9/'>]>"),
        ("_rels/.rels", b"<!DOCTYPE a>"),
        ("[Content_Types].xml", b"<!DOCTYPE a>"),
        ("word/_rels/document.xml.rels", b"<!DOCTYPE a>"),
    ],
)
def test_B9_a_part_that_declares_a_document_type_is_refused_before_it_is_parsed(part: str, prolog: bytes) -> None:
    assert refusal(with_prolog(WORD, part, prolog), FileType.DOCX).detail == "DTD"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp037", "iso-8859-1"])
def test_B9_a_document_type_is_seen_in_any_encoding(encoding: str) -> None:
    with pytest.raises(UnreadableDocument) as raised:
        refuse_dtd(f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a><a/>'.encode(encoding))
    assert raised.value.code in ("hostile", "damaged")


def test_B9_a_prolog_without_an_end_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="damaged"):
        refuse_dtd(b"<!-- " + b"a" * 100_000)


def test_B9_parts_with_names_that_climb_are_only_names(tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.getbasetemp() / "climbed.xml"
    climbing = {f"../../../../../../..{outside}": b"<a/>", "/etc/sprout": b"a", "word\\..\\..\\a": b"a"}
    draft = read_document(reader_for(FileType.DOCX), changed(WORD, {}, climbing), ReadingLimits())
    assert "Wärme ist Energie" in draft.text
    assert not outside.exists()


@given(st.binary(max_size=300))
def test_B12_any_bytes_are_an_archive_or_refused(tail: bytes) -> None:
    for content in (tail, b"PK\x03\x04" + tail, b"PK\x05\x06" + tail):
        try:
            unpacked = check(content)
        except UnreadableDocument:
            continue
        assert unpacked <= len(content) * 1_032


@given(at=st.integers(0, len(WORD) - 1), new=st.binary(min_size=1, max_size=8))
def test_B12_an_archive_with_some_bytes_changed_is_read_or_refused(at: int, new: bytes) -> None:
    content = WORD[:at] + new + WORD[at + len(new) :]
    try:
        unpacked = check(content)
    except UnreadableDocument:
        return
    assert unpacked < 10 * MEBIBYTE
