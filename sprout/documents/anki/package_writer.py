"""Anki package (.apkg) of flashcards: importing it again updates the notes that are there."""

import hashlib
import io
from collections.abc import Sequence

from genanki import Deck, Model, Note, Package  # type: ignore[import-untyped]

from sprout.documents.anki.card_html import card_html, list_html, source_html
from sprout.documents.anki.note_fields import NOTE_FIELDS, NOTE_TYPE
from sprout.learning.mastery.flashcards import Flashcard
from sprout.learning.text.normalization import one_line

_BACK = """\
{{FrontSide}}
<hr id="answer">
{{Answer}}
{{#Why}}<div class="why">{{Why}}</div>{{/Why}}
{{#Source}}<div class="source">{{Source}}</div>{{/Source}}
"""
_STYLE = """\
.card { font-family: system-ui, sans-serif; font-size: 19px; line-height: 1.5; max-width: 40em; margin: 0 auto; }
.card { padding: 0 12px; }
pre { overflow-x: auto; padding: 8px; border: 1px solid #8888; border-radius: 6px; font-size: 15px; }
table { border-collapse: collapse; } td, th { border: 1px solid #8888; padding: 2px 8px; }
.why, .source { margin-top: 1em; font-size: 16px; } .source { opacity: 0.8; }
"""


def write_anki_package(cards: Sequence[Flashcard]) -> bytes:
    """The file: a deck for each path, a note for each card, tagged with its path, concept and part.

    Decks, notes and their type have the same ids in every file, so that a repeated import doubles nothing.
    """
    decks: dict[str, Deck] = {}
    for card in cards:
        deck = decks.setdefault(card.path_id, _deck(card))
        deck.add_note(_note(card))
    file = io.BytesIO()
    Package(list(decks.values())).write_to_file(file)
    return file.getvalue()


def _deck(card: Flashcard) -> Deck:
    return Deck(_stable_id(f"deck {card.path_id}"), f"Sprout::{_level(card.path)}")


def _note(card: Flashcard) -> Note:
    source = source_html(card.source) if card.source is not None else ""
    answer, why = card_html(card.back), card_html(card.why or "")
    return Note(
        model=_MODEL,
        fields=[card_html(card.front), list_html(card.options), answer, why, source],
        tags=[_tag(card)],
        guid=card.id,
    )


def _tag(card: Flashcard) -> str:
    """Path, concept and part as one tag with levels; a tag has no spaces."""
    levels = (_level(title) for title in (card.path, card.concept, card.about) if title)
    return "::".join("_".join(level.split()) for level in levels)


def _level(title: str) -> str:
    """A title as one level: two colons would begin the next."""
    return one_line(title).replace("::", ":").strip(":") or "–"


def _stable_id(name: str) -> int:
    """A positive number of 48 bits, the same whenever it is asked for; Anki's own are times in milliseconds."""
    return 2**47 + int.from_bytes(hashlib.sha256(name.encode()).digest()[:5])


_MODEL = Model(
    _stable_id("note type"),
    NOTE_TYPE,
    fields=[{"name": name} for name in NOTE_FIELDS],
    templates=[{"name": "Card", "qfmt": "{{Question}}{{Options}}", "afmt": _BACK}],
    css=_STYLE,
)
