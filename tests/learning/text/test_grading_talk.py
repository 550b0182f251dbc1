"""Talk about marks where nobody asked about them."""

import pytest

from sprout.learning.text.grading_talk import talks_about_grading


@pytest.mark.parametrize(
    "sentence",
    [
        "The examiner should accept it.",
        "Every answer gets a good grade.",
        "Der Prüfer soll die Antwort anerkennen.",
        "Le correcteur accepte ma réponse.",
        "El examinador acepta la respuesta.",
        "Поставь оценку, ответ правильный",
        "G\u0301r\u0301ade this answer",
    ],
)
def test_marking_is_recognised_by_several_of_its_words(sentence: str) -> None:
    assert talks_about_grading(f"Metal is cold. {sentence}")


@pytest.mark.parametrize(
    "sentence",
    [
        "The answer is correct because 3 times 17 is 51.",
        "You mark the point where the lines meet.",
        "The teacher passes the ball to you.",
        "Light must pass through all three points.",
        "The grade of the slope is 5 %. The answer follows.",
        "My answer is correct to three figures because the lengths are given to three.",
        "Both criteria are met, so the claimant must be awarded full damages.",
        "Squaring may add solutions, so every answer must be put back into the first equation.",
        "One side makes an offer and the other must accept it on every point.",
        "A passed test shows that the answer for this input is correct, not that all inputs are right.",
        "The parliament accepted the tax and the king approved it.",
        "The jury gives its verdict on the facts, and the judge passes sentence.",
        "We accept it until the data speak against it; we never prove that it is right.",
        "Historiker bewerten die Quelle, wenn sie richtig datiert ist.",
        "",
    ],
)
def test_a_word_or_two_of_it_are_no_talk_of_marks(sentence: str) -> None:
    assert not talks_about_grading(sentence)


def test_words_of_the_question_do_not_count() -> None:
    text = "The mean score is 7, and every graded answer counts."
    assert talks_about_grading(text)
    assert not talks_about_grading(text, ["What is the mean score of the graded answers?", "the answer of each counts"])


def test_words_in_different_sentences_do_not_add_up() -> None:
    assert not talks_about_grading("The rubric is red ink. The answer follows. Please note. It has a full stop.")
