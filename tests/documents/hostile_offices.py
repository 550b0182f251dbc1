"""Word and PowerPoint files and web pages that mean harm, by what they try."""

from sprout.documents.archive import MAX_ENTRIES
from sprout.documents.kinds import Kind
from sprout.documents.limits import MEBIBYTE
from tests.documents.offices import (
    changed,
    declaring,
    encrypted,
    overlapping,
    packed,
    slides_file,
    with_prolog,
    word_file,
)

DOCUMENT = "word/document.xml"
LAUGHS = (
    b"<!DOCTYPE a [<!ENTITY a 'ha'>"
    + b"".join(
        b"<!ENTITY %c '%s'>" % (after, b"&%c;" % before * 10)
        for before, after in zip(b"abcdefgh", b"bcdefghi", strict=True)
    )
    + b"]>"
)


def hostile() -> dict[str, tuple[Kind, bytes]]:
    """Each with the kind that it says it is."""
    word, slides = word_file(), slides_file()
    body = b"<w:body>"
    return {
        "bomb by ratio": (Kind.DOCX, changed(word, {}, {"word/media/a.png": bytes(150 * MEBIBYTE)})),
        "bomb by ratio in slides": (Kind.PPTX, changed(slides, {}, {"ppt/media/a.png": bytes(150 * MEBIBYTE)})),
        "bomb by count": (Kind.DOCX, packed((f"{number}.xml", b"") for number in range(MAX_ENTRIES + 1))),
        "bomb by sum": (
            Kind.DOCX,
            changed(word, {}, {f"word/media/{number}": bytes(range(256)) * 4_096 * 7 for number in range(32)}),
        ),
        "overlap": (Kind.DOCX, overlapping(word, "docProps/app.xml", DOCUMENT)),
        "size that lies": (Kind.DOCX, declaring(word, DOCUMENT, 10)),
        "encrypted entry": (Kind.DOCX, encrypted(word, DOCUMENT)),
        "billion laughs": (Kind.DOCX, with_prolog(word, DOCUMENT, LAUGHS, word=b"Energie", entity=b"&i;")),
        "outside entity": (
            Kind.DOCX,
            with_prolog(
                word,
                DOCUMENT,
                b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>",
                word=b"Energie",
                entity=b"&b;",
            ),
        ),
        "a million empty paragraphs": (
            Kind.DOCX,
            changed(word, {DOCUMENT: lambda data: data.replace(body, body + b"<w:p/>" * 1_000_000)}),
        ),
        "a table of a million cells": (
            Kind.DOCX,
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
            Kind.DOCX,
            changed(
                word,
                {
                    DOCUMENT: lambda data: data.replace(
                        body, body + b"<w:tbl><w:tr><w:tc>" * 80 + b"</w:tc></w:tr></w:tbl>" * 80
                    )
                },
            ),
        ),
        "page without an end": (Kind.HTML, b"<!doctype html>" + b"<div>" * 3_000_000),
        "page of many tags": (Kind.HTML, b"<!doctype html>" + b"<p>a<b>b</b>" * 1_500_000),
        "page of one attribute": (Kind.HTML, b"<!doctype html><p a='" + b"a" * 15_000_000 + b"'>b"),
        "text of one word": (Kind.TEXT, b"a" * 20_000_000),
        "text of headings": (Kind.MARKDOWN, b"# a\n" * 4_000_000),
        "text of fences": (Kind.MARKDOWN, b"```\n~~~\n" * 200_000),
        "text of open brackets": (Kind.MARKDOWN, b"[" * 1_900_000),
    }
