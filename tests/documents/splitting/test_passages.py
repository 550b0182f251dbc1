"""A text as passages."""

from hypothesis import example, given
from hypothesis import strategies as st

from sprout.documents.splitting.passage_spans import MAX_CHARACTERS, MAX_CODE_CHARACTERS, MAX_PARAGRAPH_CHARACTERS
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.paths.passages import Passage

SENTENCE = "Water that the sun has warmed rises as vapour, cools high above the ground and falls again as rain. "
LINES = st.one_of(
    st.sampled_from(
        ["", "", "# Top", "## Below", "### Deep #", "```", "~~~~", "---", "===", "- item", "| a | b |", "\t"]
    ),
    st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=60),
    st.integers(1, 60).map(lambda times: SENTENCE * times),
    st.integers(1, 9_000).map(lambda times: "x" * times),
)
TEXTS = st.lists(LINES, max_size=30).map("\n".join)


@given(TEXTS)
def test_S1_every_passage_is_the_text_between_its_offsets_and_only_white_space_is_left_out(text: str) -> None:
    at = 0
    for passage in split_into_passages("notes.md", text):
        assert passage.text == text[passage.start : passage.end]
        assert passage.text.strip()
        assert passage.start >= at
        assert not text[at : passage.start].strip()
        at = passage.end
    assert not text[at:].strip()


@given(TEXTS)
@example("\n".join(["x" * 50_000, "---", SENTENCE * 3]))  # a heading
def test_no_passage_grows_without_bound(text: str) -> None:
    longest = max((len(passage.text) for passage in split_into_passages("notes.md", text)), default=0)
    headings = sum(len(line) + 2 for line in text.split("\n") if len(line) < 70)
    break_between = 1
    assert longest <= MAX_CODE_CHARACTERS + break_between + MAX_PARAGRAPH_CHARACTERS + headings


def test_a_passage_carries_the_path_of_its_headings() -> None:
    text = "# Water\n\n## Rising\n\nIt rises.\n\n### Why\n\nHeat.\n\n## Falling\n\nIt falls.\n"
    assert [(passage.heading, passage.text) for passage in split_into_passages("notes.md", text)] == [
        ("Water › Rising", "# Water\n\n## Rising\n\nIt rises."),
        ("Water › Rising › Why", "### Why\n\nHeat."),
        ("Water › Falling", "## Falling\n\nIt falls."),
    ]


def test_underlined_headings_count_too_and_a_yaml_header_does_not() -> None:
    text = "---\ntitle: Notes\n---\nWater\n=====\nIt rises.\n\nRain\n----\nIt falls."
    assert [passage.heading for passage in split_into_passages("notes.md", text)] == [None, "Water", "Water › Rain"]


def test_headings_that_nothing_marks_part_passages_too() -> None:
    text = "\n\n".join(f"{title}\n{SENTENCE * 2}" for title in ("BENZENE", "GRAPHITE", "DIAMOND"))
    found = split_into_passages("notes.txt", text)
    assert [passage.heading for passage in found] == ["BENZENE", "GRAPHITE", "DIAMOND"]
    assert found[1].text == f"GRAPHITE\n{SENTENCE * 2}".strip()


def test_a_paragraph_that_begins_with_its_heading_is_a_passage_of_its_own() -> None:
    text = f"**1) Benzene**\n\n{SENTENCE}\n\n**2) Graphite:** {SENTENCE}\n\n**3) Diamond:** {SENTENCE}"
    found = split_into_passages("notes.md", text)
    assert [passage.heading for passage in found] == ["1) Benzene", "2) Graphite", "3) Diamond"]
    assert found[1].text == f"**2) Graphite:** {SENTENCE}".strip()


def test_a_text_longer_than_half_a_million_characters_is_parted_at_marked_headings_alone() -> None:
    text = f"BENZENE\n{SENTENCE}\n\nGRAPHITE\n{SENTENCE}\n\nDIAMOND\n{SENTENCE}\n\n"
    assert {passage.heading for passage in split_into_passages("notes.txt", text + SENTENCE * 5_500)} == {None}


def test_a_text_without_headings_has_passages_without_a_heading() -> None:
    text = "\n\n".join([SENTENCE.strip() * 5] * 9)
    found = split_into_passages("notes.txt", text)
    assert {passage.heading for passage in found} == {None}
    assert all(300 <= len(passage.text) <= MAX_CHARACTERS for passage in found)


def test_a_paragraph_is_never_cut_unless_it_is_huge() -> None:
    long, huge = SENTENCE * 28, SENTENCE * 60
    assert len(long) < MAX_PARAGRAPH_CHARACTERS < len(huge)
    assert [passage.text for passage in split_into_passages("notes.txt", long)] == [long.rstrip()]
    cut = split_into_passages("notes.txt", huge)
    assert len(cut) > 3
    assert all(passage.text.endswith("rain.") for passage in cut)


def test_fenced_code_stays_whole_and_its_comments_are_no_headings() -> None:
    code = "```python\n# not a heading\n\n" + "total += 1\n" * 200 + "```"
    found = split_into_passages("notes.md", f"# Loops\n\nA loop adds up.\n\n{code}\n\nThat was it.")
    assert [passage for passage in found if code in passage.text]
    assert {passage.heading for passage in found} == {"Loops"}


def test_an_endless_fence_is_cut_at_line_ends_and_keeps_its_indentation() -> None:
    lines = [f"    total += {number}" for number in range(2_000)]
    found = split_into_passages("notes.md", "```\n" + "\n".join(lines))
    assert len(found) > 5
    assert [line for passage in found for line in passage.text.split("\n")][1:] == lines


def test_words_without_spaces_are_cut_all_the_same() -> None:
    found = split_into_passages("notes.txt", "光合作用把光能变成化学能。" * 400)
    assert all(passage.text.endswith("。") for passage in found)
    assert max(len(passage.text) for passage in found) <= MAX_CHARACTERS


def test_an_empty_text_has_no_passages() -> None:
    assert split_into_passages("notes.md", " \n\t\n") == []


def test_a_heading_at_the_end_is_kept() -> None:
    assert split_into_passages("notes.md", "# Alone") == [Passage("notes.md", "Alone", "# Alone", 0, 7)]


@given(TEXTS, st.lists(st.integers(0, 2_000), max_size=12))
def test_B12_a_passage_is_on_the_page_that_it_begins_on(text: str, begins: list[int]) -> None:
    starts = [0, *sorted(min(at, len(text)) for at in begins)]
    for passage in split_into_passages("notes.pdf", text, starts):
        assert passage.page is not None
        assert starts[passage.page - 1] <= passage.start
        assert all(passage.start < start for start in starts[passage.page :])


def test_an_empty_page_has_no_passage() -> None:
    found = split_into_passages("notes.pdf", "# One\n\nfirst\n\n# Three\n\nthird", (0, 14, 14))
    assert [(passage.heading, passage.page) for passage in found] == [("One", 1), ("Three", 3)]


def test_a_text_without_pages_has_passages_without_one() -> None:
    assert [passage.page for passage in split_into_passages("notes.md", "Heat.")] == [None]
