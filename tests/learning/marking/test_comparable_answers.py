"""Answers that are put beside the model answer, at once or in the place of an earlier one (A9, A11)."""

import pytest

from sprout.learning.marking.comparable_answers import answers_anew, is_worth_comparing
from sprout.learning.questions.questions import Criterion, QuestionDraft

SKY = QuestionDraft(
    "Why is the sky blue?",
    "open_ended",
    "Short waves are scattered most.",
    3,
    ("Light",),
    criteria=(
        Criterion("which waves", "names the short waves", 0.5),
        Criterion("what happens", "says that they are scattered", 0.5),
    ),
)
TERM = QuestionDraft(
    "Which term belongs in the blank? “In ____ a cell divides into two.”",
    "open_ended",
    "mitosis",
    3,
    ("Cells",),
    accepted=("mitosis",),
)
ORDERS = QuestionDraft(
    "Does a poor village priest belong to the third order? Say why.",
    "open_ended",
    "No: his office in the Church places him in the first order, whatever he earns.",
    3,
    ("Orders",),
)


@pytest.mark.parametrize(
    "answer",
    [
        "the short waves scatter", "the short ones are scattered", "because the blue light of the sky comes down",
        "they bounce off more often",
        "weil das kurzwellige Licht an den kleinen Teilchen der Luft viel stärker gestreut wird als das rote Licht",
    ],
)  # fmt: skip
def test_A11_an_answer_of_the_matter_is_worth_comparing(answer: str) -> None:
    assert is_worth_comparing(answer, SKY, ["Light that comes from the sun meets the air."])


@pytest.mark.parametrize(
    "answer",
    [
        "4/5", "it depends", "asdfgh", "blue sky", "this sucks so much", "fuck this, i hate the sky",
        "my mum says the sea is nice", "lol this is stupid, the sky can suck it, blue as it is",
    ],
)  # fmt: skip
def test_A11_what_has_little_to_do_with_the_question_is_not_compared_at_once(answer: str) -> None:
    assert not is_worth_comparing(answer, SKY, ["Light that comes from the sun meets the air."])


@pytest.mark.parametrize("answer", ["osmosis", "the nucleus", "meiosis?", "prophase and metaphase", "1882"])
def test_A11_another_term_is_an_answer_where_a_term_is_asked_for(answer: str) -> None:
    assert is_worth_comparing(answer, TERM)


@pytest.mark.parametrize("answer", ["no idea", "dont know sorry"])
def test_A11_no_term_is_asked_about_where_a_term_is_asked_for(answer: str) -> None:
    assert not is_worth_comparing(answer, TERM)


@pytest.mark.parametrize("answer", ["45 sous so 2.25 livres", "12", "12 livres", "[5, 6]", "it's 3 or 4"])
def test_A11_a_bare_number_is_asked_about_before_a_sentence_is_shown(answer: str) -> None:
    draft = QuestionDraft(
        "Say how many livres 45 sous are, and why.", "open_ended", "2.25 livres: 20 sous each.", 3, ("A",)
    )
    assert not is_worth_comparing(answer, draft)


@pytest.mark.parametrize(
    "answer",
    ["45/20 = 2.25 so 2.25 livres", "40 is 2 livres. then 5 more", "20 40 45, thats 2 and a quarter"],
)
def test_A11_numbers_that_lead_from_one_to_another_are_compared_at_once(answer: str) -> None:
    draft = QuestionDraft(
        "Say how many livres 45 sous are, and why.", "open_ended", "2.25 livres: 20 sous each.", 3, ("A",)
    )
    assert is_worth_comparing(answer, draft)


@pytest.mark.parametrize(
    "answer",
    ["hes a priest so first", "cause hes in the church", "first order since he is a priest", "church man, so 1st"],
)
def test_A11_a_short_answer_with_its_reason_is_compared_at_once(answer: str) -> None:
    assert is_worth_comparing(answer, ORDERS)


@pytest.mark.parametrize(
    "text",
    [
        "First order, because he is a priest - it's the office not the money that counts",
        "sorry i answered the wrong question. a priest is in the first order",
        "I mean because he serves the church, so the first", "wait no, actually his office puts him first",
        "better: a priest is first whatever he has", "let me correct that: priests are in the first order",
    ],
)  # fmt: skip
def test_A9_a_new_answer_takes_the_place_of_the_one_that_is_compared(text: str) -> None:
    assert answers_anew(text, "hes poor so hes in the third order i think", ORDERS)


@pytest.mark.parametrize(
    "text",
    [
        "hes poor so hes in the third order i think", "first order", "my answer said the third order",
        "I left out the office of the priest", "why is a priest in the first order?", "ok thanks", "this is so stupid",
        "his office in the Church places him in the first order, whatever he earns", "i dont get why it is the office",
        "mine is about the money of the priest, yours about the office", "lol whatever man ok",
    ],
)  # fmt: skip
def test_A9_a_remark_a_question_and_a_copy_are_no_new_answer(text: str) -> None:
    assert not answers_anew(text, "hes poor so hes in the third order i think", ORDERS)


def test_A11_a_program_where_words_are_asked_is_asked_about() -> None:
    program = "pay = 0\nfor order in orders:\n    pay += order\nprint(pay)"
    assert not is_worth_comparing(program, ORDERS)
    assert is_worth_comparing("the order counts his office:\nfirst order", ORDERS)


@pytest.mark.parametrize("answer", ["waves", "short waves", "the waves", "idc short waves lol", "scattered"])
def test_A11_a_fragment_is_asked_for_a_sentence_before_the_model_answer_is_shown(answer: str) -> None:
    assert not is_worth_comparing(answer, SKY, ["Light that comes from the sun meets the air."])


@pytest.mark.parametrize(
    "answer", ["short waves scatter more", "when the sun is up it goes round in light", "60 short waves"]
)
def test_A11_more_than_a_fragment_is_compared_at_once(answer: str) -> None:
    assert is_worth_comparing(answer, SKY, ["Light that comes from the sun meets the air."])
