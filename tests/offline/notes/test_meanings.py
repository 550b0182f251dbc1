"""Meanings that notes state, in four languages, and what only looks like one."""

import pytest

from sprout.offline.notes.document import read_document
from sprout.offline.notes.meanings import meanings_in


def found(text: str, code: str) -> list[tuple[str, str]]:
    return [
        (one.term, one.meaning) for one in meanings_in(read_document(text).content.all_blocks, code) if not one.loose
    ]


@pytest.mark.parametrize(
    ("code", "sentence", "term", "meaning"),
    [
        (
            "en",
            "A reservoir is a place where water stays for some time.",
            "reservoir",
            "a place where water stays for some time",
        ),
        (
            "en",
            "The temperature at which air becomes saturated is called the dew point.",
            "dew point",
            "the temperature at which air becomes saturated",
        ),
        ("en", "- **Copper**: a red metal that conducts well", "Copper", "a red metal that conducts well"),
        ("en", "Where $v$ is the speed of the wave.", "$v$", "the speed of the wave"),
        ("de", "Ein Farbstoff ist ein Stoff, der Licht aufnimmt.", "Farbstoff", "ein Stoff, der Licht aufnimmt"),
        ("de", "Die Stapel von Membranen nennt man Thylakoide.", "Thylakoide", "die Stapel von Membranen"),
        (
            "fr",
            "Une **membrane** est une enveloppe qui entoure la cellule.",
            "membrane",
            "une enveloppe qui entoure la cellule",
        ),
        (
            "es",
            "Un árbol es una estructura que guarda nodos en niveles.",
            "árbol",
            "una estructura que guarda nodos en niveles",
        ),
    ],
)
def test_definitions_are_found(code: str, sentence: str, term: str, meaning: str) -> None:
    assert found(f"## Words\n\n{sentence}\n", code) == [(term, meaning)]


@pytest.mark.parametrize(
    "sentence",
    [
        "A friend of mine went home and had tea.",
        "It is a place where water stays for some time.",
        "The ocean is the largest reservoir of all the water there is.",
        "Another option is the use of a pump in the tank.",
        "Is a reservoir a place where water stays?",
        "- **Wind**: when it blows from the sea it brings rain to the coast",
    ],
)
def test_what_only_looks_like_a_definition_is_none(sentence: str) -> None:
    assert found(f"## Words\n\n{sentence}\n", "en") == []
