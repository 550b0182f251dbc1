"""Fixed texts, which no model writes."""

import pytest

from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I do not know what this is", "en"),
        ("Ich weiß nicht, warum das so ist", "de"),
        ("Je ne sais pas pourquoi les plantes sont vertes", "fr"),
        ("No sé por qué las plantas son verdes", "es"),
        ("42", "en"),
        ("光合作用", "en"),
    ],
)
def test_the_language_is_that_of_most_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "nl"])
@pytest.mark.parametrize("name", ["care", "withheld", "failed", "slow", "ended"])
def test_every_language_has_all_words_and_none_invents_a_number(name: str, language: str) -> None:
    words = fixed_text(name, language, why="the model is away")
    assert words
    assert not any(letter.isdigit() for letter in words)
