"""Footnotes and endnotes of a Word file, numbered together in the order of their references."""

from collections.abc import Iterator, Mapping
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from sprout.documents.formats.word_styles import W

NOTE_REFERENCES = {f"{W}footnoteReference": f"{W}footnote", f"{W}endnoteReference": f"{W}endnote"}
_SPECIAL_TYPES = frozenset({"separator", "continuationSeparator", "continuationNotice"})


class WordNotes:
    """Notes by kind and id.

    Args:
        parts: relations of the document's part by type.
    """

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self._notes: dict[tuple[str, str], Any] = {}
        self._labels: dict[tuple[str, str], str] = {}
        for kind in (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES):
            if kind in parts:
                self._read(parts[kind].target_part.blob)

    def _read(self, part: bytes) -> None:
        for note in etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True)):
            has_text = any((text.text or "").strip() for text in note.iter(f"{W}t")) if len(note) else False
            if has_text and note.get(f"{W}type") not in _SPECIAL_TYPES:
                self._notes[note.tag, note.get(f"{W}id") or ""] = note

    def label(self, reference: Any) -> str | None:
        """The label of the note that is referred to; None for a note without text."""
        key = (NOTE_REFERENCES[reference.tag], reference.get(f"{W}id") or "")
        if key not in self._notes:
            return None
        return self._labels.setdefault(key, str(len(self._labels) + 1))

    def referenced(self) -> Iterator[tuple[str, Any]]:
        """The labels and notes in the order of their references, those that are met on the way too."""
        written = 0
        while written < len(self._labels):
            for key, label in list(self._labels.items())[written:]:
                written += 1
                yield label, self._notes[key]
