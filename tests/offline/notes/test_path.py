"""Paths from notes: the document's own outline, merged to a sensible size, with honest edges and rationale."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.offline.graph_plan import Plan, reachable, transitive_reduction
from sprout.offline.notes.lesson_plan import lesson_plan_from_notes
from sprout.offline.notes.path import path_from_notes
from tests.offline.notes.reading import FILES, learned

SENTENCE = "The pump of stage {n} moves water to the tank, and the tank of stage {n} keeps it for a day. "


def path_of(text: str, *, most: int = 10) -> Plan:
    plan = path_from_notes([text], least=6, most=most)
    assert plan is not None
    return plan


def titles(plan: Plan) -> list[str]:
    return [node.title for node in plan.nodes]


def section(title: str, words: int, *, level: int = 2) -> str:
    sentences = "".join(SENTENCE.format(n=n) for n in range(-(-words // 20)))
    return f"{'#' * level} {title}\n\n{sentences}\n\n"


@pytest.mark.parametrize("name", FILES)
def test_titles_are_unique_and_edges_hold_all_together_without_shortcuts(name: str) -> None:
    for plan in (learned(name).path, *learned(name).lessons.values()):
        names = titles(plan)
        assert len({title.casefold() for title in names}) == len(names)
        assert all(names.index(edge.source) < names.index(edge.target) for edge in plan.edges)
        assert all(edge.source not in reachable(edge.target, plan.edges) for edge in plan.edges)
        assert transitive_reduction(plan.edges) == list(plan.edges)
        assert {edge.target for edge in plan.edges} == set(names[1:])


def test_concepts_are_the_headings_in_their_order() -> None:
    assert learned("water-cycle.md").titles == [
        "Where the water is",
        "Evaporation",
        "Humidity and saturation",
        "Condensation and clouds · Precipitation",
        "What happens to the rain on the ground",
        "Rivers and the drainage basin · The water balance",
        "How people change the cycle",
    ]


def test_three_pages_with_seven_headings_give_three_to_five_concepts() -> None:
    text = "# Pumps\n\n" + "".join(section(f"Part of the plant {letter}", 185) for letter in "ABCDEFG")
    assert 3 <= len(path_of(text).nodes) <= 5


def test_a_large_section_is_opened_and_a_small_path_stays_small() -> None:
    chapters = section("Heat", 900) + section("Heat in metals", 400, level=3) + section("Heat in gases", 400, level=3)
    plan = path_of(f"{chapters}{section('Light', 300)}")
    assert titles(plan) == ["Heat", "Heat in metals", "Heat in gases", "Light"]
    short = path_of(f"{chapters}{section('Light', 300)}", most=2)
    assert titles(short) == ["Heat", "Heat in metals"]
    assert "2 more parts of your notes" in short.closing


def test_a_short_text_that_is_one_concept_has_its_title() -> None:
    headings = ("What it is", "Light reactions", "Dark reactions (Calvin cycle)", "What limits it")
    text = "# Photosynthesis, biology on Friday\n\n" + "".join(section(one, 14) for one in headings)
    assert titles(path_of(text)) == ["Photosynthesis, biology on Friday"]


def test_exercises_references_and_boxes_are_no_concepts_and_the_rationale_says_why() -> None:
    text = (
        "# Rust\n\n"
        + section("How iron rusts", 200)
        + "## Exercises\n\n1. Why does iron rust in damp air?\n2. What keeps the air away?\n\n"
        + section("What keeps rust away", 200)
        + "## Further reading\n\n- [A book on rust](https://example.org/rust)\n"
    )
    plan = path_of(text)
    assert titles(plan) == ["How iron rusts", "What keeps rust away"]
    assert "Left out: Exercises (exercises), Further reading (references)." in plan.closing


def test_prose_without_headings_is_cut_at_its_turns_and_named_by_its_key_terms() -> None:
    assert learned("bread.txt").titles == [
        "Gluten",
        "Yeast, sourdough and salt",
        "Oven, crust and heat",
    ]


def test_an_edge_says_which_term_earns_it_or_that_only_the_order_of_the_text_does() -> None:
    text = (
        section("Valves", 100).replace("The pump", "A **bypass valve** is a valve beside the main one. The pump", 1)
        + section("Tanks", 100)
        + section("Repairs", 100).replace("The pump", "Close the bypass valve. Open the bypass valve. The pump", 1)
    )
    assert [edge.why for edge in path_of(text).edges] == [
        "“Tanks” comes next in your notes, after “Valves”.",
        "“Repairs” uses “bypass valve”, and it is in “Valves” that your notes introduce it.",
    ]


def test_a_term_belongs_to_the_section_that_is_named_after_it() -> None:
    text = (
        section("Overview of the plant", 100).replace(
            "The pump", "- **Turbine**: a wheel that water turns\n\nThe pump", 1
        )
        + section("Turbine", 100)
        + section("Turbine repairs", 100).replace("The pump", "Stop the turbine. Lift the turbine. The pump", 1)
    )
    assert not any(
        "“Turbine repairs” uses “Turbine”, and it is in “Overview" in edge.why for edge in path_of(text).edges
    )


def test_headings_that_say_nothing_stand_after_the_one_above_and_equal_ones_are_told_apart() -> None:
    both = [f"# {name}\n\n{section('Overview', 300)}{section(f'{name} in use', 300)}" for name in ("Pumps", "Turbines")]
    plan = path_of("".join(both))
    assert titles(plan) == ["Pumps: Overview", "Pumps in use", "Turbines: Overview", "Turbines in use"]
    assert plan.nodes[0].desc == "In your notes: Pumps › Overview"


@pytest.mark.parametrize(
    ("name", "words"), [("photosynthese.md", "Ich bin das Offline-Demomodell"), ("revolution.md", "Je suis le modèle")]
)
def test_notes_are_answered_in_their_own_language(name: str, words: str) -> None:
    assert words in learned(name).path.closing
    assert len(learned(name).path.closing.split()) <= 150


def test_spanish_notes_are_answered_in_spanish() -> None:
    plan = path_of("## El agua\n\nEl agua es un líquido que cae de las nubes y que las plantas toman del suelo.\n")
    assert plan.closing.startswith("Soy el modelo de demostración sin conexión.")
    assert plan.nodes[0].desc == "En tus apuntes: El agua"


def test_one_sentence_makes_one_concept_and_says_that_it_is_little() -> None:
    plan = path_of("Copper conducts electricity because its outer electrons are free.")
    assert len(plan.nodes) == 1
    assert "Your notes are short" in plan.closing


@pytest.mark.parametrize("text", ["", "   \n", "# Title\n", "https://example.org", "1\n\n2\n", "-"])
def test_notes_that_say_nothing_give_no_path(text: str) -> None:
    assert path_from_notes([text], least=6, most=10) is None


def test_a_document_that_is_only_a_glossary_is_learned_from() -> None:
    entries = "\n".join(
        f"- **Term {letter}**: a wheel of the kind {letter} that water turns\n" for letter in "abcdefgh"
    )
    assert titles(path_of(f"## Glossary\n\n{entries}")) == ["Glossary"]


@settings(max_examples=60)
@given(st.lists(st.text(max_size=200), max_size=8))
def test_no_text_breaks_the_reader(parts: list[str]) -> None:
    plan = path_from_notes(["\n\n".join(parts)], least=1, most=4)
    if plan is not None:
        assert 1 <= len(plan.nodes) <= 4
        lesson_plan_from_notes([("a", "", part) for part in parts], most=4, most_items=3)
