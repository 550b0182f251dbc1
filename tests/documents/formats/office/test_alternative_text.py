"""Alternative text that a person wrote."""

import pytest

from sprout.documents.formats.office.alternative_text import written_description


@pytest.mark.parametrize("text", ["The water cycle: sun, sea, cloud, rain", "Wasserkreislauf", "Graph of y = x²"])
def test_a_description_is_kept(text: str) -> None:
    assert written_description(f" {text}\n") == text


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "image1.png",
        "C:\\Users\\a\\Pictures\\heat rises.jpg",
        "https://example.org/heat.svg",
        "Picture 4",
        "Grafik 12",
        "A picture containing text, outdoor",
        "A diagram of a cell\n\nDescription automatically generated",
        "Ein Bild, das Text enthält.\n\nAutomatisch generierte Beschreibung",
        "Une image contenant texte",
    ],
)
def test_what_a_program_made_is_not(text: str | None) -> None:
    assert written_description(text) == ""
