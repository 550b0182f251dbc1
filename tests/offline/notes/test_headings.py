"""Headings that name a subject, and those that say nothing by themselves."""

import pytest

from sprout.offline.notes.document import read_document
from sprout.offline.notes.headings import names_subject, says_nothing


@pytest.mark.parametrize(
    "heading",
    [
        "Heat",
        "IP",
        "Vitamin A",
        "Was ist Wärme?",
        "kulturelles Gedächtnis",
        "fit()",
        "Preorden (Raíz - Izquierda - Derecha)",
        "What happens to the rain on the ground",
        "Europe between 1815 and 1848",
        "Les paramètres du son",
        "What cells are",
        "How stars are formed",
        r"Lattice energy, $\Delta H_\text{LE}$",
        "die „zwei Kulturen“ der Weimarer Republik",
        "Uses of biology,the social sciences and technology",
        "什么是细胞？",
        "水资源的开发、利用与保护",
    ],
)
def test_a_name_is_a_heading_of_its_own(heading: str) -> None:
    assert names_subject(heading)


@pytest.mark.parametrize(
    "heading",
    [
        "15",
        "There are several key assumptions of the model",
        "If t is the value of the statistic, then",
        "y / p₁ x1",
        "} else {",
        "• Every word is indexed",
        "Example 3",
        "Exemple : 88.45.124.201",
        "The joint distribution of 22reference2222",
        "From the office…",
        "Attitudes and ....... values",
        "SC ← SC - 1",
        "Yi ∼ Bernoulli(p)",
        "v=sqrt((a+2*b)/r)",
        "Substituting we get",
        "The simplest model of the pump assuming",
        "Examples: open, not open",
        "The mask tells the bits of networks. Example",
        "of the good and its price.",
        "overview_03.html",
        "aumenta?",
        "A change of the prices changes the",
        "Arctic change is driven by changes in the",
        "Inorganic molecules are",
        "a,b,laz",
        "16 HLT B0 DAT 000 B1 DAT 001 VAL DAT 050",
        "a,laz...lan",
        "https://example.org/notes.html",
        "平衡位置是指合外力为零的位置。",
        "当 t = 0.5 s 时",
        "已知某简谐振动的速度曲线",
        "由图可见",
        "The value of the statistic: 23.73",
        "Value of an hour: 30 000 / 25 = 1 200",
        "How can you explain this?",
        "I am in the car",
        "CH₃COOH → CH₃COO⁻ + H⁺",
        "E and J are established",
        "The layer of the net is the first one of all the layers that a packet meets on its way",
    ],
)
def test_formulas_sentences_and_single_cases_name_nothing(heading: str) -> None:
    assert not names_subject(heading)


@pytest.mark.parametrize("title", ["核心概念", "Uygulama", "Segundo parcial", "Explanation", "A–D", "L-Ny"])
def test_a_title_that_is_a_kind_of_part_says_nothing_in_any_language(title: str) -> None:
    assert says_nothing(title)


@pytest.mark.parametrize("title", ["Overview", "Results", "Ergebnisse", "Qu’est-ce que c’est ?", "Before I Start"])
def test_a_title_of_little_words_says_nothing(title: str) -> None:
    assert says_nothing(title)
    assert not says_nothing(f"{title} of the pump")


@pytest.mark.parametrize("title", ["Daily life example 2", "Crypto examples", "Notes from the last lecture"])
def test_a_title_that_tells_the_kind_of_text_alone_says_nothing(title: str) -> None:
    assert says_nothing(title)


@pytest.mark.parametrize(
    "title", ["Example of a conversion", "Exemple dans le cas ordinal", "From base to base example"]
)
def test_an_example_says_nothing_without_what_it_is_of(title: str) -> None:
    assert says_nothing(title)
    assert not says_nothing(f"Histograms: {title}")


def test_a_section_under_such_a_heading_is_found_by_it_and_has_no_title() -> None:
    (pump,) = read_document("# Pumps\n\n## Example 3\n\nThe pump runs.\n\n## Overview\n\nIt lifts.\n").content.parts
    assert [(part.path[-1], part.title) for part in pump.parts] == [("Example 3", ""), ("Overview", "Pumps: Overview")]


@pytest.mark.parametrize("title", ["IS-LM", "TCP/IP", "Cu-Zn"])
def test_letters_that_stand_for_things_are_no_range_of_an_alphabet(title: str) -> None:
    assert not says_nothing(title)
