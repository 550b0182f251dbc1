"""Detection of file types by content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.documents.office_files import changed, packed, slides_file, with_type, word_file
from harness.documents.pdf_files import printed
from sprout.documents.file_types import SUPPORTED_TYPES, FileType, detect_file_type, display_name
from sprout.errors import BadInput, SproutError, TooLarge, UnsupportedType

MOST = 10_000_000
HEADS = st.sampled_from(
    [b"", b"%PDF-1.7\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"PK\x03\x04", b"PK\x05\x06", b"<"]
)
PDF, WORD, SLIDES = printed([["Wärme"]]), word_file(), slides_file()
HTML = b"<!doctype html><title>Heat</title><p>Heat moves.<script>alert(1)</script>"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def kind_of(content: bytes, name: str = "notes", mime: str = "") -> FileType:
    return detect_file_type(name, mime, content, max_bytes=MOST)[1]


@given(st.text(max_size=30), st.text(max_size=30), HEADS, st.binary(max_size=400))
def test_B12_any_bytes_are_of_a_kind_or_plainly_refused(name: str, mime: str, head: bytes, tail: bytes) -> None:
    try:
        shown, kind = detect_file_type(name, mime, head + tail, max_bytes=MOST)
    except SproutError:
        return
    assert shown.strip()
    assert not set("/\\\n\0") & set(shown)
    assert kind.media_type.count("/") == 1


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PDF, FileType.PDF),
        (WORD, FileType.DOCX),
        (SLIDES, FileType.PPTX),
        (HTML, FileType.HTML),
        (b"Heat", FileType.TEXT),
    ],
)
@pytest.mark.parametrize("name", ["notes.txt", "notes.pdf", "notes.docx", "notes.svg", "notes"])
@pytest.mark.parametrize("mime", ["", "text/plain", "application/pdf", "image/svg+xml"])
def test_B10_the_kind_follows_the_bytes_and_not_the_name_or_what_was_declared(
    content: bytes, kind: FileType, name: str, mime: str
) -> None:
    assert kind_of(content, name, mime) == kind


@pytest.mark.parametrize(
    ("name", "mime", "kind"),
    [
        ("notes.md", "", FileType.MARKDOWN),
        ("notes.MD", "application/octet-stream", FileType.MARKDOWN),
        ("notes", "text/x-markdown; charset=utf-8", FileType.MARKDOWN),
        ("notes.txt", "text/plain", FileType.TEXT),
    ],
)
def test_text_is_markdown_where_its_name_or_type_says_so(name: str, mime: str, kind: FileType) -> None:
    assert kind_of(b"Heat is energy that moves.", name, mime) == kind


@pytest.mark.parametrize(
    "content",
    [
        b"  <!DOCTYPE HTML><p>a",
        b"\xef\xbb\xbf<HTML><p>a",
        b"<!-- saved from elsewhere -->\n<html>",
        b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x">\n<html>',
        "<html><p>Ä".encode("utf-16"),
    ],
)
def test_B10_a_web_page_is_one_whatever_it_is_called(content: bytes) -> None:
    assert kind_of(content, "notes.txt", "text/plain") == FileType.HTML


def test_a_piece_of_a_page_is_a_page_only_where_its_name_says_so() -> None:
    assert kind_of(b"<p>Heat</p>", "a.html") == FileType.HTML
    assert kind_of(b"<p align=center>Heat</p>", "a.md") == FileType.MARKDOWN


def test_a_pdf_behind_other_bytes_is_one_where_its_name_says_so() -> None:
    assert kind_of(b"\x01\x02\x03\x04" * 20 + PDF, "notes.pdf") == FileType.PDF


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"\0\0\0\x18ftypmp42", "a binary file"),
        (b"text and then \0", "a binary file"),
        (b"text" * 20_000 + b"\0", "a binary file"),
        (bytes(range(1, 32)) * 4, "a binary file"),
        (b"\xff\xfe\0", "a binary file"),
        (b"\xef\xbb\xbf<svg onload=alert(1)>", "a picture"),
        (b'<?xml version="1.0"?><!-- a --><svg xmlns="x"/>', "a picture"),
        (b'<?xml version="1.0"?><note/>', "an XML file"),
        (b"<!DOCTYPE note [<!ENTITY a 'b'>]><note/>", "an XML file"),
        (b"{\\rtf1 Heat}", r"Rich Text file: save it as \.docx"),
        (OLE, "old Office file: save it as"),
        (OLE + "WordDocument".encode("utf-16-le"), r"old Word file \(\.doc\): save it as \.docx"),
        (OLE + "PowerPoint Document".encode("utf-16-le"), r"\(\.ppt\): save it as \.pptx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "protected by a password: save a copy without one"),
        (packed([("a.txt", b"Heat")]), r"packed file \(zip\): unpack it first"),
        (packed([("mimetype", b"application/epub+zip")]), "OpenDocument file or e-book: save it as"),
        (packed([("[Content_Types].xml", b"spreadsheetml.sheet.main+xml")]), "an Excel file"),
        (WORD[:2_000], "damaged or incomplete"),
        (b"PK\x03\x04", "damaged or incomplete"),
        (b"PK\x05\x06" + bytes(18), "unpack it first"),
    ],
)
def test_B10_other_files_are_refused_with_what_to_do_and_what_can_be_read(content: bytes, message: str) -> None:
    with pytest.raises(UnsupportedType, match=message) as refusal:
        kind_of(content, "notes.txt", "text/plain")
    assert SUPPORTED_TYPES in str(refusal.value)
    assert refusal.value.field == "files"


def test_B9_files_with_macros_are_refused() -> None:
    declared = with_type(
        WORD,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
        "application/vnd.ms-word.document.macroEnabled.main+xml",
    )
    hidden = changed(SLIDES, {}, {"ppt/vbaProject.bin": b"Sub AutoOpen()"})
    for content in (declared, hidden):
        with pytest.raises(UnsupportedType, match=r"with macros, which are not supported: save it as \."):
            kind_of(content)


def test_an_office_file_inside_another_does_not_make_it_one() -> None:
    assert kind_of(changed(SLIDES, {}, {"ppt/embeddings/inside.docx": WORD})) == FileType.PPTX


@pytest.mark.parametrize("content", [b"", b" \r\n\t\n", "\ufeff\u200b\u202e".encode()])
def test_a_file_without_text_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="no text"):
        kind_of(content)


def test_the_limit_of_size_is_named_when_it_is_broken() -> None:
    with pytest.raises(TooLarge, match=r"11 bytes\. Files can have up to 10\."):
        detect_file_type("notes.md", "", b"hello world", max_bytes=10)
    assert detect_file_type("notes.md", "", b"hello world", max_bytes=11) == ("notes.md", FileType.MARKDOWN)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\notes.txt", "notes.txt"),
        ("a\0b.md", "ab.md"),
        ("invoice\u202efdp.md", "invoicefdp.md"),
        ("a" * 300 + ".md", "a" * 197 + ".md"),
        ("a\ud800.md", "a.md"),
        ("a\nb.md", "a b.md"),
        ("..", "document"),
        ("", "document"),
        ("///", "document"),
        (".md", ".md"),
        ("naïve.md", "naïve.md"),
        ("%2e%2e%2fa.md", "%2e%2e%2fa.md"),
        ("CON", "CON"),
        ("a." + "b" * 300, ("a." + "b" * 300)[:200]),
    ],
)
def test_B7_a_file_name_is_only_a_name(sent: str, shown: str) -> None:
    assert display_name(sent) == shown
