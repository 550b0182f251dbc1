"""A Word file as text."""

import pytest

from harness.documents.office_files import changed, word_file, word_file_with_own_styles
from sprout.documents.formats.readers import read_document
from sprout.documents.formats.word import read_word
from sprout.documents.limits import ReadingLimits
from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.errors import UnreadableDocument

TEXT = """# Wärmelehre

## Was ist Wärme?

Wärme ist Energie, die sich überträgt.

### Übertragung

- Leitung
- Strömung

1. messen
2. rechnen

| Stoff | Wert |
| --- | --- |
| Eis\\|Wasser | 2,1 |

Vorher eingefügt

Neben dem Kasten.

Im Kasten."""
DOCUMENT = "word/document.xml"


def text_of(content: bytes, limits: ReadingLimits = ReadingLimits()) -> str:
    return read_document(read_word, content, limits).text


def test_headings_lists_tables_and_changes_are_read_as_the_document_shows_them() -> None:
    assert text_of(word_file()) == TEXT
    assert [piece.heading for piece in split_into_spans(TEXT)][-1] == "Wärmelehre › Was ist Wärme? › Übertragung"


def test_a_style_of_ones_own_is_a_heading_where_it_is_based_on_one() -> None:
    assert text_of(word_file_with_own_styles()) == "# Kapitel eins\n\nText.\n\n## Abschnitt\n\nMehr Text."


def test_a_style_is_known_in_any_language() -> None:
    german = {"word/styles.xml": lambda data: data.replace(b'w:styleId="Heading1"', b'w:styleId="berschrift1"')}
    used = {DOCUMENT: lambda data: data.replace(b'w:val="Heading1"', b'w:val="berschrift1"')}
    assert text_of(changed(word_file(), german | used)) == TEXT


def test_styles_that_are_based_on_each_other_end() -> None:
    looped = {
        "word/styles.xml": lambda data: data.replace(b'<w:basedOn w:val="Normal"', b'<w:basedOn w:val="Heading1"')
    }
    assert "Wärme ist Energie" in text_of(changed(word_file(), looped))


def test_formulas_and_content_controls_are_read_and_fields_are_not() -> None:
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    inside = (
        f'<w:sdt><w:sdtContent><w:p><w:r><w:t xml:space="preserve">E = </w:t></w:r><m:oMath xmlns:m="{math}"><m:r>'
        "<m:t>mc²</m:t></m:r></m:oMath><w:r><w:instrText>PAGE</w:instrText></w:r></w:p></w:sdtContent></w:sdt>"
    )
    content = changed(word_file(), {DOCUMENT: lambda data: data.replace(b"<w:body>", b"<w:body>" + inside.encode())})
    assert text_of(content).startswith("E = $mc^{2}$\n\n")


def test_a_file_in_the_strict_form_says_how_to_save_it() -> None:
    strict = b"http://purl.oclc.org/ooxml/officeDocument/relationships"
    ordinary = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with pytest.raises(UnreadableDocument, match="Strict Open XML"):
        text_of(changed(word_file(), {"_rels/.rels": lambda data: data.replace(ordinary, strict)}))


def test_nesting_without_end_is_refused() -> None:
    nested = b"<w:sdt>" * 240 + b"<w:sdt>" * 240 + b"</w:sdt>" * 480
    with pytest.raises(UnreadableDocument):
        text_of(changed(word_file(), {DOCUMENT: lambda data: data.replace(b"<w:body>", b"<w:body>" + nested)}))


def test_a_document_without_words_and_one_with_too_many() -> None:
    with pytest.raises(UnreadableDocument, match="no text in the file"):
        text_of(
            changed(word_file(), {DOCUMENT: lambda data: data[: data.index(b"<w:body>")] + b"<w:body/></w:document>"})
        )
    with pytest.raises(UnreadableDocument, match="too much text"):
        text_of(word_file(), ReadingLimits(characters=50))


def test_a_part_that_is_missing_or_of_another_kind_is_damage() -> None:
    for part in ("_rels/.rels", "word/styles.xml", DOCUMENT, "[Content_Types].xml"):
        with pytest.raises(UnreadableDocument, match="damaged or incomplete"):
            text_of(changed(word_file(), {part: lambda _: b"<a>"}))
