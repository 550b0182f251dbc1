"""Fixed texts, which no model writes."""

import pytest

from sprout.learning.lessons.fixed_texts import fixed_text, said_anew
from sprout.learning.text.language import TAUGHT_LANGUAGES, detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I do not know what this is", "en"),
        ("Ich weiß nicht, warum das so ist", "de"),
        ("Je ne sais pas pourquoi les plantes sont vertes", "fr"),
        ("No sé por qué las plantas son verdes", "es"),
        ("Non so perché le piante sono verdi", "it"),
        ("Não sei por que as plantas são verdes", "pt"),
        ("42", "en"),
        ("光合作用", "en"),
    ],
)
def test_the_language_is_that_of_most_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl"])
@pytest.mark.parametrize("name", ["care", "withheld", "failed", "slow", "ended"])
def test_every_language_has_all_words_and_none_invents_a_number(name: str, language: str) -> None:
    words = fixed_text(name, language, why="the model is away")
    assert words
    assert not any(letter.isdigit() for letter in words)


@pytest.mark.parametrize(
    ("language", "write"),
    [("en", "Write"), ("de", "Schreib"), ("fr", "Écris"), ("es", "Escribe"), ("it", "Scrivi"), ("pt", "Escreve")],
)
@pytest.mark.parametrize("name", ["compare", "compare_new", "compare_again"])
def test_a_comparison_that_buttons_can_answer_does_not_ask_for_writing(name: str, language: str, write: str) -> None:
    assert write not in fixed_text(name, language, answer="")


@pytest.mark.parametrize("language", TAUGHT_LANGUAGES)
def test_H1a_a_reply_that_would_be_said_twice_in_a_row_says_so(language: str) -> None:
    reply = fixed_text("no_number", language)
    again = said_anew(reply, reply, language)
    assert again != reply
    assert again.endswith(reply)
    assert said_anew(reply, again, language) == reply
    assert said_anew(reply, "", language) == reply
