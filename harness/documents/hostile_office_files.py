"""Word and PowerPoint files and web pages that mean harm, by what they try."""

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
from sprout.documents.limits import MEBIBYTE
from sprout.documents.zip_archive import MAX_ENTRIES

DOCUMENT = "word/document.xml"
LAUGHS = (
    b"<!DOCTYPE a [<!ENTITY a 'ha'>"
    + b"".join(
        b"<!ENTITY %c '%s'>" % (after, b"&%c;" % before * 10)
        for before, after in zip(b"abcdefgh", b"bcdefghi", strict=True)
    )
    + b"]>"
)


def hostile() -> dict[str, tuple[FileType, bytes]]:
    """Each with the kind that it says it is."""
    word, slides = word_file(), slides_file()
    body = b"<w:body>"
    return {
        "bomb by ratio": (FileType.DOCX, changed(word, {}, {"word/media/a.png": bytes(150 * MEBIBYTE)})),
        "bomb by ratio in slides": (FileType.PPTX, changed(slides, {}, {"ppt/media/a.png": bytes(150 * MEBIBYTE)})),
        "bomb by count": (FileType.DOCX, packed((f"{number}.xml", b"") for number in range(MAX_ENTRIES + 1))),
        "bomb by sum": (
            FileType.DOCX,
            changed(word, {}, {f"word/media/{number}": bytes(range(256)) * 4_096 * 7 for number in range(32)}),
        ),
        "overlap": (FileType.DOCX, overlapping(word, "docProps/app.xml", DOCUMENT)),
        "size that lies": (FileType.DOCX, declaring(word, DOCUMENT, 10)),
        "encrypted entry": (FileType.DOCX, encrypted(word, DOCUMENT)),
        "billion laughs": (FileType.DOCX, with_prolog(word, DOCUMENT, LAUGHS, word=b"Energie", entity=b"&i;")),
        "outside entity": (
            FileType.DOCX,
            with_prolog(
                word,
                DOCUMENT,
                b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>",
                word=b"Energie",
                entity=b"&b;",
            ),
        ),
        "a million empty paragraphs": (
            FileType.DOCX,
            changed(word, {DOCUMENT: lambda data: data.replace(body, body + b"<w:p/>" * 1_000_000)}),
        ),
        "a table of a million cells": (
            FileType.DOCX,
            changed(
                word,
                {
                    DOCUMENT: lambda data: data.replace(
                        body, body + b"<w:tbl><w:tr>" + b"<w:tc/>" * 10**6 + b"</w:tr></w:tbl>"
                    )
                },
            ),
        ),
        "tables within tables": (
            FileType.DOCX,
            changed(
                word,
                {
                    DOCUMENT: lambda data: data.replace(
                        body, body + b"<w:tbl><w:tr><w:tc>" * 80 + b"</w:tc></w:tr></w:tbl>" * 80
                    )
                },
            ),
        ),
        "page without an end": (FileType.HTML, b"<!doctype html>" + b"<div>" * 3_000_000),
        "page of many tags": (FileType.HTML, b"<!doctype html>" + b"<p>a<b>b</b>" * 1_500_000),
        "page of one attribute": (FileType.HTML, b"<!doctype html><p a='" + b"a" * 15_000_000 + b"'>b"),
        "text of one word": (FileType.TEXT, b"a" * 20_000_000),
        "text of headings": (FileType.MARKDOWN, b"# a\n" * 4_000_000),
        "text of fences": (FileType.MARKDOWN, b"```\n~~~\n" * 200_000),
        "text of open brackets": (FileType.MARKDOWN, b"[" * 1_900_000),
    }
