"""Files in, documents out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.documents.passages import passages_of
from sprout.documents.reading import read_document
from sprout.errors import BadInput, SproutError, TooLarge, UnsupportedType

HEADS = st.sampled_from([b"", b"%PDF-1.7\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"PK\x03\x04"])


@given(st.text(max_size=30), st.text(max_size=30), HEADS, st.binary(max_size=400))
def test_any_bytes_become_a_document_or_a_plain_refusal(name: str, mime: str, head: bytes, tail: bytes) -> None:
    try:
        document = read_document(name, mime, head + tail)
    except SproutError:
        return
    assert document.text.strip()
    assert "\0" not in document.text
    assert document.text.encode()
    assert document.filename
    assert "/" not in document.filename
    assert document.content == head + tail
    assert passages_of(document.filename, document.text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
def test_text_is_read_whatever_its_encoding(encoding: str) -> None:
    content = "Schüler fragen: „Was heißt Wärme?“".translate({0x201E: '"', 0x201C: '"'}).encode(encoding)
    assert read_document("notes.txt", "text/plain", content).text == 'Schüler fragen: "Was heißt Wärme?"'


def test_windows_quotation_marks_survive() -> None:
    assert read_document("notes.txt", "", b"\x93Heat\x94 \x96 caf\xe9").text == "“Heat” – café"


@pytest.mark.parametrize(
    ("name", "mime", "kind"),
    [
        ("notes.md", "", "text/markdown"),
        ("notes.MD", "application/octet-stream", "text/markdown"),
        ("notes", "text/x-markdown; charset=utf-8", "text/markdown"),
        ("notes.txt", "text/plain", "text/plain"),
        ("notes.pdf", "application/pdf", "text/plain"),
    ],
)
def test_the_type_follows_content_and_name_and_not_what_was_declared(name: str, mime: str, kind: str) -> None:
    assert read_document(name, mime, b"Heat is energy that moves.").mime_type == kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n...", "a PDF file"),
        (b"PK\x03\x04\x14\0", "packed"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"\0\0\0\x18ftypmp42", "a binary file"),
        (b"text and then \0", "a binary file"),
        (bytes(range(1, 32)) * 4, "a binary file"),
        (b"\xff\xfe\0", "a binary file"),
        (b"  <!DOCTYPE HTML><script>alert(1)</script>", "a web page"),
        (b"\xef\xbb\xbf<svg onload=alert(1)>", "a picture"),
    ],
)
def test_what_is_not_text_is_refused_and_the_types_that_are_read_are_named(content: bytes, kind: str) -> None:
    with pytest.raises(UnsupportedType, match=kind) as refusal:
        read_document("notes.txt", "text/plain", content)
    assert "Markdown (.md) and plain text (.txt)" in str(refusal.value)
    assert refusal.value.field == "files"


@pytest.mark.parametrize("content", [b"", b" \r\n\t\n", "\ufeff\u200b\u202e".encode()])
def test_a_file_without_text_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="no text"):
        read_document("notes.md", "", content)


def test_limits_of_size_are_parameters_and_named_when_broken() -> None:
    with pytest.raises(TooLarge, match="11 bytes; at most 10"):
        read_document("notes.md", "", b"hello world", max_bytes=10)
    with pytest.raises(TooLarge, match="11 characters; at most 10"):
        read_document("notes.md", "", b"hello world", max_characters=10)
    assert read_document("notes.md", "", b"hello world", max_bytes=11, max_characters=11).text == "hello world"


def test_newlines_are_plain_and_what_hides_is_taken_out() -> None:
    content = "a\r\nb\rc\x0cd\u202ee\u200bf\U000e0041g\u2028h".encode()
    assert read_document("notes.md", "", content).text == "a\nb\nc\ndefg\nh"


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\notes.md", "notes.md"),
        ("a\u202egpj.md", "agpj.md"),
        ("", "document"),
        ("///", "document"),
    ],
)
def test_only_the_last_part_of_a_name_is_kept(given_name: str, kept: str) -> None:
    assert read_document(given_name, "", b"text").filename == kept


def test_a_long_name_keeps_its_ending() -> None:
    name = read_document("n" * 500 + ".md", "", b"text").filename
    assert len(name) <= 200
    assert name.endswith(".md")
