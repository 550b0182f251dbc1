"""Names of text without headings: what begins and ends as they say is found again."""

import pytest

from sprout.learning.paths.passages import NAME_SEPARATOR, named_in
from sprout.learning.paths.quoted_text import QuotableTexts, quoted_name

TEXTS = [
    "There was a mill above the village, and all of the grain went there.",
    "1. The **miller** kept a tenth of [the flour](https://example.org/flour)\nfor himself … as · millers “do”.",
    "In dry summers the wheel stood still.",
    "Then they carried the grain to the mill by the sea.",
]


@pytest.mark.parametrize(("first", "last"), [(0, 3), (0, 0), (1, 2), (2, 3)])
def test_a_text_is_found_by_its_name_whatever_marks_stand_in_it(first: int, last: int) -> None:
    shown = [TEXTS[0], "The miller kept a tenth of the flour\nfor himself … as · millers “do”.", *TEXTS[2:]]
    name = quoted_name("\n".join(shown[first : last + 1]))
    assert QuotableTexts(TEXTS).find(name) == range(first, last + 1)
    assert len(name) <= 90


def test_a_name_is_one_of_those_that_a_description_parts() -> None:
    names = [quoted_name(TEXTS[1]), quoted_name(TEXTS[2]), "Wheels"]
    assert named_in(f"In your notes: {NAME_SEPARATOR.join(names)}") == names


@pytest.mark.parametrize(
    "name", ["Wheels", "“a cloud … the village”", "“There was a mill … a cloud”", "“1 … 2”", "", "“ … ”"]
)
def test_what_is_not_there_is_not_found(name: str) -> None:
    assert QuotableTexts(TEXTS).find(name) == range(0)


def test_text_without_spaces_is_quoted_too() -> None:
    texts = ["细胞是生物体结构和功能的基本单位。" * 4, "细胞膜把细胞和外面分开，也让一些东西进去。" * 4]
    assert QuotableTexts(texts).find(quoted_name(texts[1])) == range(1, 2)


def test_a_text_that_begins_and_ends_as_words_in_another_do_is_found_where_one_begins_and_ends() -> None:
    texts = [f"They say: {TEXTS[0]} So they say.", TEXTS[0], f"{TEXTS[2]} {TEXTS[3]} So they say.", TEXTS[3]]
    find = QuotableTexts(texts).find
    assert find(quoted_name(TEXTS[0])) == range(1, 2)
    assert find(quoted_name("\n".join(texts[1:]))) == range(1, 4)
    assert find(quoted_name(TEXTS[2])) == range(2, 3), "a text may stand within one that has been given whole"
