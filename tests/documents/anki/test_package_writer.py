"""Anki packages, opened by Anki's own library: nothing doubles, and nothing that a text says runs (open.md O1)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from anki.notes import Note

from sprout.documents.anki.package_writer import write_anki_package
from sprout.learning.mastery.flashcards import Flashcard
from sprout.learning.sources import PassageRow

PASSAGE = PassageRow(
    id="p", document_id="d", document="notes <b>.pdf", heading="Sizes", page=3, slides=False, start=0, end=9,
    text="What **weighs** most?",
)  # fmt: skip
CARD = Flashcard(
    "one", "Is $a<b$ here?", "Yes, \\[\\frac{1}{2}\\]", "path", "My :: path", "Sizes of things", "Small ones",
    options=("`a<b`", "no"), why="```\nif a < b:\n    pass\n```", source=PASSAGE,
)  # fmt: skip
HOSTILE = (
    "<script>fetch('//evil')</script> <img src=x onerror=alert(1)> [latex]\\input{/etc/passwd}[/latex] [sound:a.mp3] "
    "[x](javascript:alert(1)) ![pixel](https://evil.example/p.gif) $\\href{javascript:alert(1)}{x}$ \x1f {{Answer}}"
)


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    opened = Collection(str(tmp_path / "collection.anki2"))
    yield opened
    opened.close()


def notes_after(collection: Collection, cards: Sequence[Flashcard]) -> dict[str, Note]:
    """The notes of the collection by their guid, after an import of the cards."""
    file = Path(collection.path).parent / "cards.apkg"
    file.write_bytes(write_anki_package(cards))
    collection.import_anki_package(
        ImportAnkiPackageRequest(package_path=str(file), options=ImportAnkiPackageOptions(with_scheduling=False))
    )
    return {note.guid: note for note in (collection.get_note(one) for one in collection.find_notes(""))}


def test_O1_a_file_that_is_imported_twice_is_there_once(collection: Collection) -> None:
    cards = [CARD, replace(CARD, id="two", front="And the second?", path_id="other", path="Other")]
    assert notes_after(collection, cards).keys() == notes_after(collection, cards).keys() == {"one", "two"}
    assert collection.card_count() == 2
    named = {deck.name for deck in collection.decks.all_names_and_ids()}
    assert named == {"Default", "Sprout", "Sprout::My : path", "Sprout::Other"}
    assert len([one for one in collection.models.all_names_and_ids() if one.name.startswith("Sprout")]) == 1


def test_O1_a_card_has_formulas_code_tags_and_its_source(collection: Collection) -> None:
    note = notes_after(collection, [CARD])["one"]
    assert note.tags == ["My_:_path::Sizes_of_things::Small_ones"]
    assert note["Question"] == "<p>Is \\(a&lt;b\\) here?</p>"
    assert note["Options"] == "<ul><li><code>a&lt;b</code></li><li>no</li></ul>"
    assert "\\[\\frac{1}{2}\\]" in note["Answer"]
    assert note["Why"] == "<pre><code>if a &lt; b:\n    pass\n</code></pre>"
    assert note["Source"] == (
        "<details><summary>notes &lt;b&gt;.pdf · p. 3 · Sizes</summary>"
        "<p>What <strong>weighs</strong> most?</p></details>"
    )
    shown = note.cards()[0].render_output()
    assert "frac" not in shown.question_text
    assert "frac" in shown.answer_text


def test_O1_hostile_text_is_text_in_every_field(collection: Collection) -> None:
    hostile = replace(
        CARD, front=HOSTILE, back=HOSTILE, options=(HOSTILE,), why=HOSTILE, path=HOSTILE, concept=HOSTILE,
        source=PASSAGE.model_copy(update={"text": HOSTILE, "document": HOSTILE, "heading": HOSTILE}),
    )  # fmt: skip
    note = notes_after(collection, [hostile])["one"]
    assert len(note.fields) == 5
    shown = note.cards()[0].render_output()
    for html in (shown.question_text, shown.answer_text):
        assert "<script" not in html
        assert "<img" not in html
        assert 'href="javascript' not in html
        assert "\\(\\href" not in html
    assert not shown.question_av_tags
    assert not shown.answer_av_tags
    assert collection.media.check().unused == []
    assert all("[latex]" not in field and "[sound:" not in field for field in note.fields)
