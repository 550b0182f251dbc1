"""Answers to side questions in the learner's notes."""

import pytest

from sprout.offline.demo.tutor.replies.notes_places import NotesAnswer, answer_from_notes
from sprout.offline.demo.tutor.templates import templates_for

NOTES = {
    "en": "A plant needs osmosis to drink. Osmosis moves water through a membrane. Water is a liquid without a smell.",
    "fr": "La cartographie sert aux voyages. Une carte est une image de la terre. Le relief est dessiné en brun.",
    "de": "Der Plan hat einen Maßstab und Farben. Der Maßstab sagt, wie stark verkleinert wurde. Grün ist der Wald.",
    "es": "La hoja usa la fotosíntesis de día. La fotosíntesis produce azúcar con luz. El agua sube por el tallo.",
    "it": "La foglia usa la fotosintesi di giorno. La fotosintesi produce zucchero con luce. Il tronco porta acqua.",
    "pt": "A folha usa a fotossíntese de dia. A fotossíntese produz açúcar com luz. O tronco leva muita água.",
}


def answer(asked: str, language: str) -> NotesAnswer:
    return answer_from_notes(asked, [{"id": "p1", "text": NOTES[language]}], templates_for(language), "", None)


@pytest.mark.parametrize(
    ("language", "asked", "begins"),
    [
        ("en", "What is osmosis?", "Osmosis moves water"),
        ("en", "I dont get osmosis", "Osmosis moves water"),
        ("fr", "Qu'est-ce qu'une carte ?", "Une carte est"),
        ("fr", "C’est quoi la cartographie ?", "La cartographie sert"),
        ("de", "Was ist eigentlich ein Maßstab?", "Der Maßstab sagt"),
        ("de", "Wie funktioniert der Maßstab?", "Der Maßstab sagt"),
        ("es", "¿Qué significa fotosíntesis?", "La fotosíntesis produce"),
        ("it", "Che cos'è la fotosintesi?", "La fotosintesi produce"),
        ("pt", "O que é a fotossíntese?", "A fotossíntese produz"),
    ],
)
def test_a_question_in_any_wording_finds_the_sentence_that_is_about_its_word(
    language: str, asked: str, begins: str
) -> None:
    found = answer(asked, language)
    assert begins in found.words
    assert found.passages == ("p1",)


PUMP = (
    "An artery carries blood away from the heart. A vein carries blood back to it. Capillaries lead from arteries to "
    "veins. The left side is thick. It is so because it pushes blood through the whole body. The pericardium wraps it. "
    "The heart beats with two sounds:\n\n- a low one\n- a high one\n"
)


def told(asked: str, secret: tuple[str, ...] = ()) -> str:
    row = {"id": "p1", "text": PUMP}
    return answer_from_notes(asked, [row], templates_for("en"), "", None, secret=secret).words


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("waht is the pericardum for??", "The pericardium wraps it."),
        (
            "why is the left side thick",
            "The left side is thick. It is so because it pushes blood through the whole body.",
        ),
        ("what two sounds does the heart make", "The heart beats with two sounds: a low one a high one"),
    ],
)
def test_a_slip_of_the_pen_a_reason_and_a_list_are_understood(asked: str, says: str) -> None:
    assert told(asked) == f"Your notes say: “{says}”"


@pytest.mark.parametrize(
    "asked", ["Difference between artery and vein?", "whats the differnce between an artery and a vein"]
)
def test_a_difference_is_told_by_the_sentence_on_each(asked: str) -> None:
    both = "An artery carries blood away from the heart. A vein carries blood back to it."
    assert told(asked) == f"Your notes say: “{both}”"


@pytest.mark.parametrize("asked", ["how much does a heart weigh", "who pays for a heart"])
def test_a_sentence_with_half_of_the_words_alone_is_no_answer(asked: str) -> None:
    assert told(asked) == "I find nothing about that in your notes."


def test_what_settles_the_open_question_is_not_told_beside_it() -> None:
    words = told("what is the pericardium", secret=("The pericardium wraps it.",))
    assert "wraps" not in words
    assert "I leave it to you" in words


@pytest.mark.parametrize("asked", ["What is a valve?", "1:50000, how far is 6 cm?", "why?"])
def test_what_the_notes_do_not_say_is_said_to_be_missing(asked: str) -> None:
    assert answer(asked, "en") == NotesAnswer("I find nothing about that in your notes.")
