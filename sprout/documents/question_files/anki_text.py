"""Reader of Anki's notes in plain text: a line each, with fields between tabs or what its first lines say.

Source: the Anki manual, "Importing text files".
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.plain_text import decode_text
from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.anki_notes import BASIC, AnkiNote, note_drafts, sort_labels
from sprout.documents.question_files.drafts import Drafted
from sprout.documents.question_files.file_types import ANKI_HEADER
from sprout.documents.question_files.markup import as_html

_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """Settings in the first lines: `html` is None where they do not, columns are counted from 0."""

    separator: str = "\t"
    html: bool | None = None
    deck: str = ""
    tags: tuple[str, ...] = ()
    deck_column: int | None = None
    tags_column: int | None = None
    other_columns: frozenset[int] = frozenset()


def read_anki_text(content: bytes, limits: ReadingLimits) -> Iterator[Drafted]:
    """The questions of the file. Raises UnreadableDocument."""
    text = decode_text(content).lstrip("\ufeff")
    if len(text) > limits.characters:
        raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
    lines = io.StringIO(text, newline="").readlines()
    headers = dict[str, str]()
    while lines and (found := ANKI_HEADER.match(lines[0])):
        headers[found[1].lower()] = found[2].strip()
        lines = lines[1:]
    layout = _layout(headers)
    csv.field_size_limit(limits.characters)
    try:
        for row in _rows(lines, layout.separator):
            yield from note_drafts(_note(row, layout), BASIC)
    except csv.Error:
        raise unreadable(UnreadableReason.DAMAGED, detail="rows") from None


def _layout(headers: dict[str, str]) -> _Layout:
    separator = headers.get("separator", "tab")
    columns = {
        name.removesuffix(" column"): int(value) - 1
        for name, value in headers.items()
        if name.endswith(" column") and value.isdecimal()
    }
    return _Layout(
        _SEPARATORS.get(separator.lower(), separator[:1] or "\t"),
        headers["html"].lower() == "true" if "html" in headers else None,
        headers.get("deck", ""),
        tuple(headers.get("tags", "").split()),
        columns.get("deck"),
        columns.get("tags"),
        frozenset(columns.values()),
    )


def _rows(lines: Sequence[str], separator: str) -> Iterator[list[str]]:
    rows = csv.reader(lines, delimiter=separator)
    begins = 0
    for row in rows:
        is_comment = lines[begins].startswith("#")  # in quotes, # is the first character of a field
        begins = rows.line_num
        if any(map(str.strip, row)) and not is_comment:
            yield row


def _note(row: Sequence[str], layout: _Layout) -> AnkiNote:
    fields = [_html(cell, layout.html) for at, cell in enumerate(row) if at not in layout.other_columns]
    deck = _cell(row, layout.deck_column) or layout.deck
    tags = (*layout.tags, *_cell(row, layout.tags_column).split())
    return AnkiNote(tuple(fields) or ("",), sort_labels(deck, tags))


def _cell(row: Sequence[str], column: int | None) -> str:
    return row[column] if column is not None and column < len(row) else ""


def _html(cell: str, is_html: bool | None) -> str:
    if is_html is None:
        return as_html(cell)
    return cell if is_html else escape(cell, quote=False).replace("\n", "<br>")
