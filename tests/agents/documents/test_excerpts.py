"""Share of each document that the topic agent sees."""

from sprout.agents.documents.excerpts import document_excerpts
from sprout.learning.paths.passages import Passage


def passages(document: str, *sizes: int) -> list[Passage]:
    at, found = 0, []
    for number, size in enumerate(sizes):
        found.append(Passage(document, f"Part {number}", f"{document}{number}".ljust(size, "x"), at, at + size))
        at += size
    return found


def test_documents_that_fit_are_shown_whole_and_without_a_note() -> None:
    text, note = document_excerpts([*passages("a", 50, 50), *passages("b", 30)], characters=200)
    assert note == ""
    assert text.count("<document ") == 2
    assert "a0x" in text
    assert "a1x" in text
    assert text.count("x") == 50 + 50 + 30 - 6


def test_a_long_document_is_cut_between_passages_and_its_remaining_headings_are_named() -> None:
    text, note = document_excerpts(passages("a", 50, 50, 50), characters=120)
    assert "1 of the 1 documents did not fit in whole" in note
    assert "a1x" in text
    assert "a2x" not in text
    assert text.count("<left_out ") == 1
    assert "Part 2</left_out>" in text


def test_a_short_document_leaves_its_rest_to_the_long_one() -> None:
    text, _ = document_excerpts([*passages("a", *[50] * 10), *passages("b", 20)], characters=400)
    assert "b0x" in text
    assert sum(f"a{number}x" in text for number in range(10)) == 7


def test_no_document_shuts_the_others_out() -> None:
    text, note = document_excerpts([*passages("a", *[50] * 10), *passages("b", *[50] * 10)], characters=400)
    assert [sum(f"{name}{number}x" in text for number in range(10)) for name in "ab"] == [3, 3]
    assert "2 of the 2" in note


def test_without_documents_nothing_is_shown() -> None:
    assert document_excerpts([], characters=100) == ("", "")
