"""Replies to wrong answers: found by the reading that marks them, and said once, in place of the prepared help."""

from dataclasses import replace
from typing import Any

import pytest

from sprout.offline.courses.lesson_format import Lesson
from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.lesson import PreparedQuestion
from sprout.offline.demo.tutor.replies.wrong_answers import reply_to
from tests.offline.demo.tutor.classroom import Classroom, a_lesson, first_message

PERCENT = PreparedQuestion(
    "Of 600 books 450 are lent. What percentage is that?",
    "number",
    "75",
    "say it in percent",
    unit="%",
    replies={"25": "These are the others.", "450": "That counts books.", "0.25": "A share of them, and of the others."},
)
CHOICE = PreparedQuestion(
    "Where did it fall?",
    "mcq",
    "Paris",
    "say where",
    wrong=(("Rome", "a"), ("Berlin", "b"), ("Madrid", "c")),
    replies={"Rome": "That lies on the Tiber.", "Berlin": "That lies on the Spree.", "Madrid": "That is in Spain."},
)
TERM = PreparedQuestion(
    "Which prison fell?",
    "text",
    "the Bastille",
    "name it",
    accepted=("Bastille",),
    replies={"Temple": "The king sat there later."},
)
SHOWN = ("Madrid", "Paris", "Rome", "Berlin")


@pytest.mark.parametrize("words", ["25", "it's 25 %, I think", "150/600 so 25 %", "25,0", "25 percent"])
def test_a_wrong_number_is_read_as_it_is_marked(words: str) -> None:
    assert reply_to(PERCENT, words) == PERCENT.replies["25"]


def test_of_a_share_and_the_percentage_that_it_may_stand_for_the_one_that_is_written_counts() -> None:
    assert reply_to(PERCENT, "0.25") == reply_to(PERCENT, "1/4") == PERCENT.replies["0.25"]


@pytest.mark.parametrize("words", ["75", "25 or 450?", "33", "450/600 = 74", "no idea", ""])
def test_what_is_right_unclear_slipped_or_not_prepared_for_has_no_reply(words: str) -> None:
    assert reply_to(PERCENT, words) == ""


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("Rome", "Rome"),
        ("C", "Rome"),
        ("the third one", "Rome"),
        ("I'd say berlin, because", "Berlin"),
        ("A", "Madrid"),
    ],
)
def test_a_wrong_option_is_named_by_its_letter_its_place_or_its_words(words: str, option: str) -> None:
    assert reply_to(CHOICE, words, SHOWN) == CHOICE.replies[option]


@pytest.mark.parametrize("words", ["B", "Paris", "Rome or Berlin", "somewhere"])
def test_the_right_option_and_none_or_two_have_no_reply(words: str) -> None:
    assert reply_to(CHOICE, words, SHOWN) == ""


def test_H7_who_was_sure_of_a_wrong_answer_is_told_so_once_and_who_was_not_is_not() -> None:
    named = "You were sure of it"
    lesson = at_the_number()
    assert named in lesson.answer("240", right=False, sure=True)
    assert named not in lesson.answer("7", right=False, sure=True)
    assert named not in at_the_number().answer("240", right=False)


def test_a_wrong_term_is_read_as_it_is_marked() -> None:
    assert reply_to(TERM, "it was the temple") == TERM.replies["Temple"]
    assert reply_to(TERM, "Bastille") == reply_to(TERM, "some palace or other") == ""


def test_a_yes_is_about_the_option_that_the_words_before_it_seemed_to_mean() -> None:
    options = ("The king lacks money for his debt", "The harvest failed in the hail", "The nobles want to vote")
    question = replace(
        CHOICE, answer=options[0], wrong=((options[1], "a"), (options[2], "b")), replies={options[1]: "!"}
    )
    assert reply_to(question, "yes", options, ["because of the hail in the harvest month"]) == "!"
    assert reply_to(question, "yes", options) == ""


def test_a_reply_that_grants_a_part_is_not_said_to_a_calculation_that_went_another_way() -> None:
    task = PreparedQuestion(
        "`[6, 10]`, its sum and its length?",
        "number",
        "18",
        "add",
        replies={"16": "16 is the two, and both are right."},
    )
    assert reply_to(task, "16") == reply_to(task, "6 + 10 = 16") == task.replies["16"]
    assert reply_to(task, "6 + 5 + 5 = 16") == ""


def test_the_second_one_is_a_result_of_the_words_before_it() -> None:
    assert reply_to(PERCENT, "the second one", before=["450 or 25"]) == PERCENT.replies["25"]


# In a lesson

PRODUCT = "240 is what one gets for multiplying the two numbers. What would a boat be like that covers that in an hour?"
LONGER = "The longer run is Ben's, and it took longer as well. Bring both to one second."
BELIEF = "longer is faster"


def a_lesson_with_replies() -> Lesson:
    fields = a_lesson().model_dump()
    number, choice = fields["steps"][0]["asks"], fields["steps"][1]["asks"]
    number["replies"] = {"240": PRODUCT, "56": "56 is what is left of the one number without the other."}
    choice["replies"] = {choice["wrong"][0]["option"]: LONGER}
    return Lesson.model_validate(fields)


LESSON = a_lesson_with_replies()
HELP = LESSON.steps[0].asks.help


def at_the_number(**fields: Any) -> Classroom:
    taught = lesson_from_course(LESSON)
    lesson = Classroom(make_tutor(lambda _: taught), first_message("Motion", LESSON.subconcept), **fields)
    lesson.open()
    return lesson


@pytest.mark.parametrize("words", ["240", "it's 240 km/h, I think", "4 · 60 = 240"])
def test_a_wrong_answer_gets_its_reply_after_the_verdict_and_no_prepared_help(words: str) -> None:
    lesson = at_the_number()
    reply = lesson.answer(words, right=False, misconception="multiplies way and time")
    assert reply.startswith("You answered")
    assert reply.endswith(f"{words}”. That is not right yet. {PRODUCT}")


def test_the_same_wrong_answer_gets_the_prepared_help_of_its_level_the_second_time() -> None:
    lesson = at_the_number()
    lesson.answer("240", right=False)
    reply = lesson.answer("it is 240", right=False)
    assert PRODUCT not in reply
    assert reply.endswith(HELP[1])
    assert lesson.ask_for_help().endswith(HELP[2])


def test_another_wrong_answer_gets_its_own_reply_and_one_without_the_prepared_help() -> None:
    lesson = at_the_number()
    assert lesson.answer("240", right=False).endswith(PRODUCT)
    assert lesson.answer("56", right=False).endswith("56 is what is left of the one number without the other.")
    assert HELP[2] in lesson.answer("12", right=False)


def test_a_faulty_sum_is_named_where_the_result_has_no_reply_and_not_beside_one() -> None:
    lesson = at_the_number()
    named = lesson.answer("60 - 4 = 57", right=False, next_step="Look at 60 - 4 once more.")
    assert named.endswith("Look at 60 - 4 once more.")
    assert lesson.answer("60 - 3 = 56", right=False, next_step="Look at 60 - 3 once more.").endswith(
        "56 is what is left of the one number without the other."
    )


def test_a_slip_in_the_right_calculation_is_named_and_has_no_reply() -> None:
    slipped = "Your way is right. Work 60 / 4 out once more."
    assert at_the_number().answer("60 / 4 = 56", right=False, next_step=slipped).endswith(slipped)


def test_the_reply_to_a_wrong_option_takes_the_place_of_the_test_case_too() -> None:
    lesson = at_the_number()
    lesson.answer(LESSON.steps[0].asks.answer, right=True)
    assert lesson.pending is not None
    letter = "ABCD"[lesson.pending["options"].index(LESSON.steps[1].asks.wrong[0].option)]
    reply = lesson.answer(letter, right=False, misconception=BELIEF)
    assert reply.endswith(LONGER)
    assert LESSON.contrast.case not in reply
    again = lesson.answer(f"I say {letter}", right=False, misconception=BELIEF)
    assert LESSON.contrast.case in again
    assert LESSON.steps[1].asks.help[1] in again


def test_H7_to_who_was_sure_the_case_against_the_belief_comes_before_the_reply() -> None:
    lesson = at_the_number()
    lesson.answer(LESSON.steps[0].asks.answer, right=True)
    wrong = LESSON.steps[1].asks.wrong[0].option
    reply = lesson.answer(wrong, right=False, misconception=BELIEF, sure=True)
    assert reply.endswith(f"{LESSON.contrast.case} {LONGER}")


def test_H7_a_belief_of_the_question_itself_meets_its_own_case() -> None:
    taught = lesson_from_course(LESSON)
    first = taught.chunks[0]
    asks = replace(first.question, contrasts={"multiplies way and time": "Two trips of one hour make one hour faster?"})
    taught = replace(taught, chunks=(replace(first, question=asks), *taught.chunks[1:]))
    lesson = Classroom(make_tutor(lambda _: taught), first_message("Motion", LESSON.subconcept))
    lesson.open()
    reply = lesson.answer("240", right=False, misconception="multiplies way and time", sure=True)
    assert reply.endswith(f"Two trips of one hour make one hour faster? {PRODUCT}")


@pytest.mark.parametrize(
    "words", ["I'm 100% sure it is 240, you are wrong", "this is stupid, 240", "just a guess: 240", "240!!! no clue"]
)
def test_whatever_is_written_beside_it_a_wrong_answer_has_its_reply(words: str) -> None:
    reply = at_the_number().answer(words, right=False)
    assert PRODUCT in reply
    assert HELP[0] not in reply
    assert LESSON.contrast.case not in reply


def test_a_reply_that_would_say_too_much_is_not_said() -> None:
    fields = LESSON.model_dump()
    fields["steps"][0]["asks"]["replies"] = {"240": "240 multiplies, and sharing out gives 60 ÷ 4 = 15."}
    taught = lesson_from_course(Lesson.model_validate(fields))
    lesson = Classroom(make_tutor(lambda _: taught), first_message("Motion", LESSON.subconcept))
    lesson.open()
    assert lesson.answer("240", right=False).endswith(HELP[0])


def test_what_could_not_be_marked_has_no_reply() -> None:
    assert PRODUCT not in at_the_number().answer_unmarked("240 or so")
