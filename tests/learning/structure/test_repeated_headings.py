"""Headings that repeat among their siblings (agents.md, notes without a model)."""

import pytest

from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.repeated_headings import levels_of


@pytest.mark.parametrize(
    ("titles", "levels"),
    [
        (["Water", "Examples", "Plants", "Examples"], [2, 3, 2, 3]),
        (["Water", "Examples", "Summary", "Plants", "Examples", "Summary"], [2, 3, 3, 2, 3, 3]),
        (["Water", "1. Examples", "Plants", "2. EXAMPLES", "Animals"], [2, 3, 2, 3, 2]),
        (["Water", "Examples", "Examples", "Plants", "Examples"], [2, 3, 3, 2, 3]),
        (["Water", "Water", "Plants"], [2, 2, 2]),  # a slide that goes on
        (["Agenda", "Water", "Agenda", "Plants"], [2, 2, 2, 2]),  # one stands before all others
        (["Preface", "Theory", "Practice", "Theory", "Practice"], [2, 2, 2, 2, 2]),  # nothing tells them apart
        ([], []),
    ],
)
def test_a_heading_that_repeats_stands_below_the_sibling_before_it(titles: list[str], levels: list[int]) -> None:
    assert levels_of([(2, title) for title in titles]) == levels


def test_what_is_below_a_repeated_heading_goes_with_it() -> None:
    headings = [(1, "Lake"), (2, "Water"), (2, "Examples"), (3, "Deep"), (2, "Plants"), (2, "Examples"), (3, "Reed")]
    assert levels_of(headings) == [1, 2, 3, 4, 2, 3, 4]


def test_headings_that_would_be_deeper_than_six_stay() -> None:
    headings = [(6, "Water"), (6, "Examples"), (6, "Plants"), (6, "Examples")]
    assert levels_of(headings) == [6, 6, 6, 6]


def test_passages_and_structure_agree_about_repeated_headings() -> None:
    text = "# Lake\n\n## Water\n\nWet.\n\n## Examples\n\nA pond.\n\n## Plants\n\nGreen.\n\n## Examples\n\nReed.\n"
    assert [passage.heading for passage in split_into_passages("lake.md", text)] == [
        "Lake › Water",
        "Lake › Water › Examples",
        "Lake › Plants",
        "Lake › Plants › Examples",
    ]
    (lake,) = read_structure(text).subsections
    assert [(one.title, [below.title for below in one.subsections]) for one in lake.subsections] == [
        ("Water", ["Examples"]),
        ("Plants", ["Examples"]),
    ]
