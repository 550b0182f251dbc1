"""A PDF as text, page by page."""

import io

import pytest
from pypdf import PdfReader, PdfWriter

from harness.documents.pdf_files import FONT, one_page, printed, scanned, shown, stream
from sprout.documents.formats.pdf.reader import read_pdf
from sprout.documents.limits import ReadingLimits
from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.errors import UnreadableDocument

BOOK = [
    ["Biologie 7b", "1 Photosynthese", "Pflanzen nutzen das Licht der Sonne, um aus Wasser und Kohlen-",
     "dioxid Zucker aufzubauen. So entsteht auch Sauerstoff.", "• Licht", "• Wasser", "Seite 1"],
    ["Biologie 7b", "Die Blätter sind grün, weil sie das Licht zer-", "Seite 2"],
    ["Biologie 7b", "legen. Es gibt Vor-", "und Nachteile.", "2 Atmung", "Alle atmen.", "Seite 3"],
    ["Biologie 7b", "Seite 4"],
    ["Biologie 7b", "Am Schluss steht der Schluss.", "Seite 5"],
]  # fmt: skip
BOOKMARKS = [("Photosynthese", 0), ("Atmung", 2)]


def draft(content: bytes, limits: ReadingLimits = ReadingLimits()) -> tuple[str, tuple[int, ...]]:
    found = read_pdf(content, limits)
    return found.text, found.page_starts


def locked(password: str, owner: str, algorithm: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(printed(BOOK))))
    writer.encrypt(password, owner, algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_pages_become_one_text_under_the_bookmarks_without_what_repeats_and_with_words_made_whole() -> None:
    text, _ = draft(printed(BOOK, bookmarks=BOOKMARKS))
    assert text == (
        "# Photosynthese\n\n"
        "Pflanzen nutzen das Licht der Sonne, um aus Wasser und Kohlendioxid Zucker aufzubauen. "
        "So entsteht auch Sauerstoff.\n\n"
        "- Licht\n- Wasser\n\n"
        "Die Blätter sind grün, weil sie das Licht zerlegen. Es gibt Vor- und Nachteile.\n\n"
        "# Atmung\n\nAlle atmen.\n\n"
        "Am Schluss steht der Schluss."
    )


def test_every_piece_knows_its_page_and_heading() -> None:
    text, starts = draft(printed(BOOK, bookmarks=BOOKMARKS))
    assert [text[start:][:6] for start in starts] == ["# Phot", "Die Bl", "legen.", "Am Sch", "Am Sch"]
    assert [(piece.heading, piece.page) for piece in split_into_spans(text, starts)] == [
        ("Photosynthese", 1),
        ("Atmung", 3),
    ]


def test_a_text_without_bookmarks_has_no_headings_but_its_numbered_lines() -> None:
    text, starts = draft(printed(BOOK))
    assert "1 Photosynthese" in text.splitlines()
    assert {piece.heading for piece in split_into_spans(text, starts)} == {"1 Photosynthese", "2 Atmung"}


def test_left_and_right_pages_may_repeat_different_lines() -> None:
    pages = [[("Kapitel 1" if n % 2 else "Physik heute"), f"Das ist der Satz {'abcdefghijkl'[n]}."] for n in range(12)]
    text, _ = draft(printed(pages))
    assert "Kapitel" not in text
    assert "Physik" not in text
    assert text.count("Das ist der Satz") == 12


def test_what_repeats_on_few_pages_is_text() -> None:
    text, _ = draft(printed([["Merke!", "Erstens."], ["Merke!", "Zweitens."], ["Drittens."]]))
    assert text.count("Merke!") == 2


def test_the_head_of_each_of_two_pages_is_text_once() -> None:
    text, _ = draft(printed([["Physik heute", "Erstens."], ["Physik heute", "Zweitens."]]))
    assert text.count("Physik heute") == 1
    text, _ = draft(printed([["Kapitel 1", "Erstens."], ["Kapitel 2", "Zweitens."]]))
    assert "Kapitel 1" in text
    assert "Kapitel 2" in text


def test_a_hyphen_that_belongs_to_the_word_stays() -> None:
    text, _ = draft(
        printed([["A well-known rule.", "It is a well-", "known rule, and photo-", "graphs are pictures."]])
    )
    assert "a well-known rule, and photographs" in text


def test_a_title_over_two_lines_is_found() -> None:
    text, _ = draft(
        printed([["A long title of", "a chapter", "Text."]], bookmarks=[("1. A long title of a chapter", 0)])
    )
    assert text == "# 1. A long title of a chapter\n\nText."


def test_bookmarks_that_have_lost_their_accents_are_found_and_called_as_it_is_printed() -> None:
    text, _ = draft(
        printed([["Où la marée", "monte à l'été", "Text."]], bookmarks=[("1 Ou la maree monte a l'ete", 0)])
    )
    assert text == "# Où la marée monte à l'été\n\nText."


def test_a_bookmark_whose_title_is_a_picture_stands_above_its_page() -> None:
    text, _ = draft(printed([["First."], ["Second."]], bookmarks=[("One", 0), ("Two", 1)]))
    assert text == "# One\n\nFirst.\n\n# Two\n\nSecond."


def test_bookmarks_that_only_count_slides_are_no_headings() -> None:
    marks = [("Slayt Numarası 1", 0), ("Slide 2:", 1), ("Slide 3: Work", 2)]
    text, _ = draft(printed([["First."], ["Second."], ["Third."]], bookmarks=marks))
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# Slide 3: Work"]


def test_bookmarks_that_jump_back_and_forth_are_not_believed() -> None:
    bookmarks = [(f"Mark {number}", 9 - number) for number in range(10)]
    text, _ = draft(printed([["Some text."]] * 10, bookmarks=bookmarks))
    assert "Mark" not in text


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_B8_an_empty_password_opens_and_another_is_asked_to_be_taken_off(algorithm: str) -> None:
    assert "Photosynthese" in draft(locked("", "secret", algorithm))[0]
    with pytest.raises(UnreadableDocument, match="protected by a password: save a copy without one") as refusal:
        draft(locked("secret", "secret", algorithm))
    assert not refusal.value.retryable


def test_B8_pictures_of_text_are_distinguished_from_text() -> None:
    with pytest.raises(UnreadableDocument, match=r"looks scanned.*\(OCR\)") as refusal:
        draft(scanned())
    assert not refusal.value.retryable
    with pytest.raises(UnreadableDocument, match="looks scanned"):
        draft(printed([["1"], ["2"], ["3"]]))


def test_limits_of_pages_and_text() -> None:
    with pytest.raises(UnreadableDocument, match="too many pages: split it"):
        draft(printed(BOOK), ReadingLimits(pages=4))
    with pytest.raises(UnreadableDocument, match="too much text in the file: split it"):
        draft(printed(BOOK), ReadingLimits(characters=200))


def test_letters_that_are_drawn_as_one_are_several_again() -> None:
    unicode_map = stream(b"begincmap\n1 beginbfchar\n<41> <FB03>\nendbfchar\nendcmap")
    content = one_page(
        stream(shown(["diAcult question"])), others={3: FONT.replace(b">>", b"/ToUnicode 6 0 R >>"), 6: unicode_map}
    )
    assert draft(content)[0] == "difficult question"


def test_what_looks_like_markdown_is_not_meant() -> None:
    text, _ = draft(printed([["# 12 apples and some pears", "-----", "``` quoted"]]))
    assert [piece.heading for piece in split_into_spans(text)] == [None]
