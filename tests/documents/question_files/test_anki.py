"""Decks of Anki as questions: those of Anki's own library and of genanki, and hostile ones (open.md O1)."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import genanki  # type: ignore[import-untyped]
import pytest
from anki.collection import Collection, ExportAnkiPackageOptions
from anki.notes import Note

from sprout.documents.question_files.file_reader import QuestionFileReader
from sprout.errors import SproutError
from sprout.learning.questions.question_files import LeftOutReason, QuestionFile

BASIC, REVERSED, CLOZE = genanki.BASIC_MODEL, genanki.BASIC_AND_REVERSED_CARD_MODEL, genanki.CLOZE_MODEL


def package(*notes: genanki.Note, deck: str = "Cells::Parts of a cell") -> bytes:
    made = genanki.Deck(2_059_400_110, deck)
    for note in notes:
        made.add_note(note)
    file = io.BytesIO()
    genanki.Package(made).write_to_file(file)
    return file.getvalue()


def basic(front: str, back: str, **options: Sequence[str]) -> genanki.Note:
    return genanki.Note(model=BASIC, fields=[front, back], **options)


async def read(content: bytes, name: str = "deck.apkg") -> QuestionFile:
    return await QuestionFileReader().read(name, content)


async def refusal(content: bytes) -> str:
    with pytest.raises(SproutError) as refused:
        await read(content)
    return refused.value.code


async def test_O1_each_side_and_each_gap_is_a_question() -> None:
    found = await read(
        package(
            basic("What makes <b>energy</b> in a cell?", "the mitochondrion", tags=["Biology::Power_plants"]),
            basic("Why does a cell <i>need</i> a membrane?", "It keeps <b>what</b> is needed in, and the rest out."),
            genanki.Note(model=REVERSED, fields=["nucleus", "Zellkern"]),
            genanki.Note(
                model=CLOZE,
                fields=[
                    r"{{c1::Water}} is \(H_{ {{c2::2}} }O\), and boils at {{c3::100 °C::of Celsius}}.",
                    "At 1 bar.",
                ],
            ),
        )
    )
    asked = {draft.prompt: draft for draft in found.questions}
    assert list(asked) == [
        "What makes **energy** in a cell?",
        "Why does a cell *need* a membrane?",
        "nucleus",
        "Zellkern",
        "_____ is $H_{ 2 }O$, and boils at 100 °C.",
        r"Water is $H_{ \underline{\qquad} }O$, and boils at 100 °C.",
        "Water is $H_{ 2 }O$, and boils at _____ (of Celsius).",
    ]
    assert found.left_out == ()
    short, long, *_, gap = asked.values()
    assert (short.accepted, short.tests) == (("the mitochondrion",), ("Parts of a cell", "Power plants"))
    assert (long.accepted, long.correct_answer) == ((), "It keeps **what** is needed in, and the rest out.")
    assert (gap.accepted, gap.solution) == (("100 °C",), ("At 1 bar.",))


async def test_O1_what_cannot_be_asked_is_left_out_with_its_reason() -> None:
    found = await read(
        package(
            basic("<img src='heart.png'> Which organ?", "the heart"),
            basic("[sound:hello.mp3]", "hello"),
            basic("A question", " "),
            basic("x" * 200_000, "too long"),
            basic(
                "<script>steal()</script>Say hello[sound:a.mp3]", "<svg onload=steal()></svg>hello<script>x</script>"
            ),
        )
    )
    assert [one.reason for one in found.left_out] == [
        LeftOutReason.MEDIA, LeftOutReason.MEDIA, LeftOutReason.NO_ANSWER, LeftOutReason.PROMPT, LeftOutReason.MEDIA,
    ]  # fmt: skip


async def test_O1_scripts_and_markup_are_taken_out() -> None:
    note = basic(
        "<script>steal()</script>Say <a href='javascript:x()'>hello</a>[sound:a.mp3]", "hi<style>b</style> you"
    )
    (draft,) = (await read(package(note))).questions
    assert (draft.prompt, draft.accepted) == ("Say hello", ("hi you",))


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    opened = Collection(str(tmp_path / "collection.anki2"))
    yield opened
    opened.close()


def anki_note(collection: Collection, kind: str, *fields: str) -> Note:
    model = collection.models.by_name(kind)
    assert model is not None
    note = collection.new_note(model)
    note.fields = list(fields)
    deck = collection.decks.id("Physics::Light")
    assert deck is not None
    collection.add_note(note, deck)
    return note


def exported(collection: Collection, *, legacy: bool) -> bytes:
    file = Path(collection.path).parent / "out.apkg"
    options = ExportAnkiPackageOptions(with_scheduling=False, with_media=False, legacy=legacy)
    collection.export_anki_package(out_path=str(file), options=options, limit=None)
    return file.read_bytes()


async def test_O1_a_deck_that_anki_itself_exports_is_read(collection: Collection) -> None:
    anki_note(collection, "Basic", "What is faster than sound?", "light")
    anki_note(collection, "Basic (type in the answer)", "A mirror of glass is backed with …?", "silver")
    gaps = anki_note(collection, "Cloze", "Light is {{c1::bent}} by {{c1::glass}}", "")
    gaps.guid = "#by chance"
    collection.update_note(gaps)
    found = await read(exported(collection, legacy=True))
    assert [(one.prompt, one.correct_answer, one.tests) for one in found.questions] == [
        ("What is faster than sound?", "light", ("Light",)),
        ("A mirror of glass is backed with …?", "silver", ("Light",)),
        ("Light is _____ by _____", "bent\n\nglass", ("Light",)),
    ]
    file = Path(collection.path).parent / "notes.txt"
    collection.export_note_csv(
        out_path=str(file),
        limit=None,
        with_html=True,
        with_tags=True,
        with_deck=True,
        with_notetype=True,
        with_guid=True,
    )
    as_text = await read(file.read_bytes(), "notes.txt")
    assert [(one.prompt, one.tests) for one in as_text.questions] == [
        (one.prompt, one.tests) for one in found.questions
    ]
    assert await refusal(exported(collection, legacy=False)) == "new_anki"


async def test_O1_a_text_without_header_is_read_and_one_of_20_000_lines_refused() -> None:
    found = await read(
        b'What is 2 < 3?\tTrue\n"Two\nlines?"\tyes\nThe {{c1::sun}} shines\n# no note\n"#1"\tone\n', "cards.txt"
    )
    assert [(one.prompt, one.accepted) for one in found.questions] == [
        ("What is 2 < 3?", ("True",)), ("Two\nlines?", ("yes",)), ("The _____ shines", ("sun",)), ("#1", ("one",)),
    ]  # fmt: skip
    assert await refusal(b"#separator:tab\n" + b"front\tback\n" * 20_000) == "too_many_questions"
    assert await refusal(b'#separator:tab\n"front\tback\n' + b"x" * 3_000_000) == "too_much_text"


def zipped(collection: bytes, **others: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("collection.anki2", collection)
        for name, content in others.items():
            archive.writestr(name, content)
    return file.getvalue()


def database(script: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(script)
        return made.serialize()


ENDLESS = """
CREATE VIEW notes AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
SELECT id, 1 AS mid, hex(zeroblob(10000)) AS flds, '' AS tags FROM n;
"""
MODELS = json.dumps({"1": {"flds": [{"name": "A"}], "tmpls": [{"qfmt": "{{A}}", "afmt": "{{A}}"}]}})
COL = f"CREATE TABLE col (models, decks); INSERT INTO col VALUES ('{MODELS}', '{{}}'); CREATE TABLE cards (nid, did);"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(zipped(b"\0" * 90_000_000), "hostile", id="zip-bomb"),
        pytest.param(zipped(b"not a database"), "damaged", id="no-database"),
        pytest.param(zipped(database("CREATE TABLE notes (id)")), "damaged", id="other-tables"),
        pytest.param(zipped(database(COL + "CREATE TABLE notes (id, mid, flds, tags)")[:4_097]), "damaged", id="cut"),
        pytest.param(
            zipped(database(COL + "CREATE TABLE notes (id, mid, flds, tags)")), "no_file_questions", id="empty"
        ),
        pytest.param(zipped(database(COL + ENDLESS)), "too_many_questions", id="endless-view"),
    ],
)
async def test_O1_a_hostile_deck_is_refused_with_a_reason(content: bytes, code: str) -> None:
    assert await refusal(content) == code


async def test_O1_a_deck_of_more_files_than_it_may_have_is_refused_before_one_is_read() -> None:
    one = zipped(b"x", media=b"{}")
    end = one.rindex(b"PK\x05\x06")
    many = (65_535).to_bytes(2, "little")
    assert await refusal(one[: end + 8] + many + many + one[end + 12 :]) == "hostile"


async def test_O1_values_of_other_types_in_a_deck_are_broken_notes() -> None:
    notes = (
        "CREATE TABLE notes (id, mid, flds, tags); INSERT INTO notes VALUES (1, 1, x'00ff', 1), (2, 'a', NULL, NULL)"
    )
    found = await read(zipped(database(COL + notes)))
    assert {one.reason for one in found.left_out} == {LeftOutReason.BROKEN}
    assert len(found.left_out) == 2
