"""Labels in a section: a passage begins with the line that says what comes next."""

import pytest

from sprout.documents.splitting.passages import split_into_passages

SAID = "The keeper of the mill writes down each day what it has cost and what came in for the flour. " * 3


@pytest.mark.parametrize("label", ["Grinding stones", "Grinding stones:", "**Grinding stones** turn by water."])
def test_a_passage_begins_with_a_label(label: str) -> None:
    found = split_into_passages("mills.md", f"## Mills\n\n{SAID}\n\n{label}\n\n{SAID}\n\n{SAID}")
    assert [one.text.startswith(label) for one in found] == [False, True]


@pytest.mark.parametrize("line", ["They grind.", "- one\n- two", "On day one the keeper wrote down what it cost", SAID])
def test_a_sentence_or_a_list_is_no_label(line: str) -> None:
    found = split_into_passages("mills.md", f"## Mills\n\n{SAID}\n\n{line}\n\n{SAID}")
    assert not any(one.text.startswith(line) for one in found[1:]) or line == SAID


def test_a_label_soon_after_a_heading_or_before_the_end_stays_in_its_passage() -> None:
    (found,) = split_into_passages("mills.md", f"## Mills\n\nThey turn.\n\nGrinding stones\n\n{SAID}\n\nThe end")
    assert found.text.endswith("The end")
