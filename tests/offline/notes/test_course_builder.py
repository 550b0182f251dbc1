"""Paths and lessons that are made from notes alone: whole, grounded in the text, and fit to learn from."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.offline.graph_plan import Plan, PlannedEdge, connected_components, reachable, transitive_reduction
from sprout.offline.notes.course_builder import path_from_notes, subconcepts_from_notes
from sprout.offline.notes.parser import parse_sections, sentences_of
from tests.offline.sdk_client import NOTES

FILES = ("water-cycle.md", "bread.txt", "photosynthese.md", "revolution.md")


def path_of(name: str) -> Plan:
    plan = path_from_notes([(NOTES / name).read_text()], least=6, most=10)
    assert plan is not None
    return plan


def lesson_of(text: str, *, least: int = 8, most: int = 12, most_items: int = 10) -> Plan:
    plan = subconcepts_from_notes([text], least=least, most=most, most_items=most_items)
    assert plan is not None
    return plan


def sections_of(name: str) -> list[str]:
    text = (NOTES / name).read_text()
    parts = [f"## {part}" for part in text.split("\n## ")[1:] if not part.startswith("References")]
    return parts or [text]


def plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`]", "", text).split())


def assert_sound(titles: Sequence[str], links: Sequence[PlannedEdge]) -> None:
    """Unique titles of fitting length; edges that are earned, without circles or shortcuts, in one piece."""
    assert len({title.casefold() for title in titles}) == len(titles)
    assert all(2 <= len(title.split()) <= 8 for title in titles)
    assert all(titles.index(link.source) < titles.index(link.target) for link in links)
    assert all(link.source not in reachable(link.target, links) for link in links)
    assert transitive_reduction(links) == list(links)
    assert len(connected_components(titles, links)) == 1


@pytest.mark.parametrize("name", FILES)
def test_a_path_has_six_to_ten_concepts_in_one_piece(name: str) -> None:
    plan = path_of(name)
    assert 6 <= len(plan.nodes) <= 10
    assert_sound([idea.title for idea in plan.nodes], plan.edges)


@pytest.mark.parametrize("name", FILES)
def test_descriptions_are_the_text_s_own_sentences(name: str) -> None:
    text = plain((NOTES / name).read_text())
    for idea in path_of(name).nodes:
        assert all(sentence in text for sentence in sentences_of(idea.desc))


def test_concepts_come_in_the_order_of_the_headings_and_small_print_is_left_out() -> None:
    plan = path_of("water-cycle.md")
    titles = [idea.title for idea in plan.nodes]
    assert titles[0] == "Where the water is"
    assert titles.index("Humidity and saturation") < titles.index("Condensation and clouds")
    everything = " ".join([*titles, *(idea.desc for idea in plan.nodes)])
    for junk in ("http", "storage_change", "Textbook", "author", "|"):
        assert junk not in everything


def test_an_edge_names_the_term_that_earns_it_and_independent_parts_are_entries() -> None:
    plan = path_of("water-cycle.md")
    why = {(link.source, link.target): link.why for link in plan.edges}
    assert "“dew point”" in why["Humidity and saturation", "Condensation and clouds"]
    assert all(text.count("“") == 3 for text in why.values())
    targets = {link.target for link in plan.edges}
    assert len([idea for idea in plan.nodes if idea.title not in targets]) >= 2


@pytest.mark.parametrize("name", FILES)
def test_questions_can_be_answered_from_the_text_and_do_not_answer_themselves(name: str) -> None:
    for section in sections_of(name):
        text, lesson = plain(section), lesson_of(section)
        titles = {idea.title for idea in lesson.nodes}
        assert_sound([idea.title for idea in lesson.nodes], lesson.edges)
        for question in (item.input for item in lesson.questions):
            assert set(question["tests"]) <= titles
            assert question["correct_answer"] not in question["prompt"]
            if question["format"] == "mcq":
                assert question["correct_answer"] in question["options"]
                assert len({option.casefold() for option in question["options"]}) == 4
                assert {row["option"] for row in question["misconceptions"]} | {question["correct_answer"]} == set(
                    question["options"]
                )
                assert question["correct_answer"].casefold().split()[-1][:4] in text.casefold()
            if question["format"] == "open_ended":
                assert 2 <= len(question["criteria"]) <= 5
                assert sum(row["weight"] for row in question["criteria"]) == pytest.approx(1)
                heaviest = max(question["criteria"], key=lambda row: row["weight"])
                assert heaviest["statement"].rstrip(".").casefold() in text.casefold()


def test_a_long_section_gives_a_full_and_mixed_set_of_questions() -> None:
    lesson = lesson_of(sections_of("water-cycle.md")[1])
    formats = [item.input["format"] for item in lesson.questions]
    assert 8 <= len(lesson.nodes) <= 12
    assert 5 <= len(formats) <= 10
    assert len(formats) / 3 <= sum(each != "mcq" for each in formats) < len(formats)
    assert [item.input["difficulty"] for item in lesson.questions] == sorted(
        item.input["difficulty"] for item in lesson.questions
    )


def test_a_gap_hides_the_answer_and_a_number_keeps_its_tolerance() -> None:
    lesson = lesson_of(sections_of("water-cycle.md")[0])
    number = next(item.input for item in lesson.questions if item.input["format"] == "numeric")
    assert "____ %" in number["prompt"]
    assert (number["correct_answer"], number["unit"], number["tolerance"]) == ("97", "%", 4.85)


def test_the_same_notes_give_the_same_lesson() -> None:
    section = sections_of("water-cycle.md")[2]
    assert lesson_of(section) == lesson_of(section)


@pytest.mark.parametrize(
    ("name", "words"), [("photosynthese.md", "Ich bin das Offline-Demomodell"), ("revolution.md", "Je suis le modèle")]
)
def test_notes_are_answered_in_their_own_language(name: str, words: str) -> None:
    assert words in path_of(name).closing


def test_one_sentence_makes_one_concept_and_says_that_it_is_little() -> None:
    plan = path_from_notes(["Copper conducts electricity because its outer electrons are free."], least=6, most=10)
    assert plan is not None
    assert [idea.desc for idea in plan.nodes] == ["Copper conducts electricity because its outer electrons are free."]
    assert "Your notes are short" in plan.closing


@pytest.mark.parametrize("text", ["", "   \n", "```\ncode only\n```", "# Title\n", "https://example.org", "1\n\n2\n"])
def test_notes_that_say_nothing_give_no_path(text: str) -> None:
    assert path_from_notes([text], least=6, most=10) is None


def test_many_small_headings_are_merged_and_one_long_text_is_split() -> None:
    many = "\n".join(
        f"## Part {n}\n\nThe gear number {n} turns the wheel of level {n}. It has {n} teeth." for n in range(40)
    )
    long = " ".join(f"The motor of type {n} drives a pump with {n} stages and cools itself." for n in range(60))
    for text in (many, long):
        plan = path_from_notes([text], least=6, most=10)
        assert plan is not None
        assert 6 <= len(plan.nodes) <= 10


def test_lists_tables_and_underlined_headings_are_read() -> None:
    listed = "- **Copper**: a red metal that conducts well\n- Iron rusts in damp air\n"
    table = "| Metal | Melts at |\n|---|---|\n| Lead | low heat indeed |\n"
    text = f"Metals\n======\n\n{listed}\n{table}"
    section = parse_sections(text)[0]
    assert section.title == "Metals"
    assert section.sentences == [
        "Copper: a red metal that conducts well.",
        "Iron rusts in damp air.",
        "Lead: low heat indeed.",
    ]
    assert section.bold == ["Copper"]


def test_references_and_what_stands_below_them_are_left_out() -> None:
    text = (
        "## Rust\n\nIron rusts in damp air.\n\n## References\n\nA book on rust.\n\n### More\n\nAnother book on rust.\n"
    )
    assert [section.title for section in parse_sections(text)] == ["Rust"]


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert sentences_of("Some metals, e.g. Copper, are soft. Dr. Lee says so.") == [
        "Some metals, e.g. Copper, are soft.",
        "Dr. Lee says so.",
    ]


@settings(max_examples=60)
@given(st.lists(st.text(max_size=200), max_size=8))
def test_no_text_breaks_the_reader(parts: list[str]) -> None:
    plan = path_from_notes(["\n\n".join(parts)], least=1, most=4)
    if plan is not None:
        assert 1 <= len(plan.nodes) <= 4
        subconcepts_from_notes(parts, least=1, most=4, most_items=3)
