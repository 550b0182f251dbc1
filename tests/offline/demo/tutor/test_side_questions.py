"""Side questions to the offline tutor: about an answer, about what a part is for, about the lesson's matter."""

from dataclasses import replace

import pytest

from sprout.offline.demo.tutor.agent import make_tutor
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.lesson import TutorLesson
from tests.offline.demo.tutor.classroom import Classroom, a_lesson, first_message

MULTIPLIED = "240 is what one gets if the way and the time are multiplied. Look at what each hour gets."
LONGER_WAY = "500 m is the longer way. It took him longer, too."


@pytest.fixture
def lesson() -> TutorLesson:
    """The lesson on speed, with a reply to one wrong number and to one wrong option."""
    taught = lesson_from_course(a_lesson())
    number, choice, text = taught.chunks
    by_number = replace(number, question=replace(number.question, replies={"240": MULTIPLIED}))
    wrong = choice.question.wrong[0][0]
    by_choice = replace(choice, question=replace(choice.question, replies={wrong: LONGER_WAY}))
    return replace(taught, chunks=(by_number, by_choice, text))


@pytest.fixture
def room(lesson: TutorLesson) -> Classroom:
    return room_of(lesson)


def room_of(lesson: TutorLesson) -> Classroom:
    found = Classroom(make_tutor(lambda _: lesson), first_message("Physics", "Speed", after="Acceleration"))
    found.open()
    return found


@pytest.mark.parametrize(
    "words",
    ["but why is 240 wrong?", "why isn't it 240", "what's wrong with 240?", "so why not 240?", "warum ist 240 falsch?"],
)
def test_question_about_a_number_gets_its_reply(room: Classroom, words: str) -> None:
    said = room.ask(words, kind="clarification")
    assert said.startswith(MULTIPLIED)
    assert room.open_question is not None


def test_last_answer_is_meant_where_none_is_named(room: Classroom) -> None:
    assert MULTIPLIED in room.answer("it's 240, I think", right=False)
    assert "multiplies way and time" in room.ask("what did I do wrong?", kind="clarification")
    assert "stands above" in room.ask("why is that wrong?", kind="clarification")


def test_reply_is_not_said_twice(room: Classroom) -> None:
    room.ask("why isn't it 240", kind="clarification")
    assert MULTIPLIED not in room.ask("but why is 240 wrong?", kind="clarification")


def test_marking_speaks_where_no_reply_is_prepared(room: Classroom) -> None:
    room.answer("0.07", right=False)
    assert "shares the time over the way" in room.ask("why is that wrong?", kind="clarification")
    room.answer("77", right=False)
    assert "not right yet" in room.ask("why is 77 wrong?", kind="clarification")


def test_right_number_and_unknown_one_are_spoken_of_alike(lesson: TutorLesson) -> None:
    right, unknown = (room_of(lesson).ask(f"why not {number}?", kind="clarification") for number in ("15", "77"))
    assert right == unknown


def test_option_is_spoken_of_once_it_was_given(room: Classroom) -> None:
    """Each wrong option has a reply: the one without would be the right one."""
    room.answer("15", right=True)
    assert room.open_question is not None
    letters = "ABCD"[: len(room.open_question["options"])]
    untried = [room.ask(f"why not {letter}?", kind="clarification") for letter in letters]
    assert all("send it" in said for said in untried)
    wrong = next(at for at, one in enumerate(room.open_question["options"]) if one.startswith("Ben"))
    assert LONGER_WAY in room.answer(letters[wrong], right=False)
    assert "longer is faster" in room.ask(f"why is {letters[wrong]} wrong?", kind="clarification")


def test_why_within_a_complaint_is_answered(room: Classroom) -> None:
    said = room.ask("this is stupid, why do I need to know this")
    assert said.index("frustrating") < said.index("share a way out over a time") < said.index("Acceleration")
    about_answer = room.ask("this is stupid, why is 240 wrong?")
    assert MULTIPLIED in about_answer


def test_why_within_a_complaint_is_answered_with_nothing_open(room: Classroom) -> None:
    room.pending = None
    said = room.ask("this is stupid, why do I need to know this")
    assert said.index("frustrating") < said.index("share a way out over a time") < said.index("Acceleration")


def test_a_refusal_leaves_out_what_would_give_the_answer_away(lesson: TutorLesson) -> None:
    text = lesson.chunks[2]
    answer = "For the question below there is a hint, or “Change the question”."
    criteria = tuple({"label": f"part {at}", "statement": f"{answer} {at}", "weight": 0.5} for at in (1, 2))
    asked = replace(text.question, answer=answer, anchors=(answer,), criteria=criteria)
    taught = replace(lesson, chunks=(replace(text, question=asked), *lesson.chunks[:2]))
    room = Classroom(make_tutor(lambda _: taught), first_message("Physics", "Speed"))
    room.open()
    assert room.ask("is java faster", kind="clarification") == "I find nothing in this course that answers that."


def test_what_the_run_of_a_program_showed_is_said_once_more() -> None:
    room = Classroom(make_tutor(), first_message("Python: functions and lists", "Positions start at 0"))
    room.open()
    room.answer("140", right=True)
    room.compare("met")
    fault = "Your program printed February; it should print January."
    assert fault in room.answer("print(months[number])", right=False, next_step=fault)
    assert fault in room.ask("why is that wrong?", kind="clarification")
    assert fault in room.ask("why is february wrong??", kind="clarification")
    assert room.open_question is not None


@pytest.mark.parametrize(
    "words",
    ["but why can't I multiply the 60 and the 4?", "isn't it 60 times 4", "60*4 is 240, so it says 240", "aber 240?"],
)
def test_thought_that_comes_to_a_wrong_number_gets_its_reply(room: Classroom, words: str) -> None:
    assert room.ask(words, kind="clarification").startswith(MULTIPLIED)
    assert "stands above" in room.ask(words, kind="clarification")


def test_thought_gets_what_the_step_comes_down_to_once_each(room: Classroom) -> None:
    first = room.ask("but why must all hours be alike?", kind="clarification")
    assert "if all hours were alike.”" in first
    said = [first, *(room.ask("but why must all hours be alike?", kind="clarification") for _ in range(3))]
    assert len(set(said)) == len(said)
    assert not any("if all hours were alike" in one for one in said[1:])


@pytest.mark.parametrize("words", ["can you explain again", "explain it pls", "i still dont get it"])
def test_who_wants_it_explained_again_gets_the_point_of_the_step(room: Classroom, words: str) -> None:
    said = room.ask(words, kind="clarification")
    assert "if all hours were alike.”" in said or "Go back to the cyclist" in said


def test_a_question_on_another_matter_gets_no_sentence_of_the_step(room: Classroom) -> None:
    assert "I find nothing in this course that answers that." in room.ask(
        "what is the capital of France?", kind="clarification"
    )


def test_a_right_thought_is_not_given_away(room: Classroom) -> None:
    """Nor is it told apart from one that nothing is known of."""
    said = room.ask("so do I divide 60 by 4?", kind="clarification")
    assert "15" not in said
    assert "cut into four" not in said


def test_side_question_while_comparing_is_answered_too(room: Classroom) -> None:
    room.answer("15", right=True)
    room.answer("A", right=True)
    room.ladder = room.ladder.compare()
    said = room.ask("but why was most of it slow?", kind="clarification")
    assert room.ladder.comparing
    assert "Most of the walk was slow" in said


def test_a_term_asked_for_after_another_is_no_guess() -> None:
    room = Classroom(make_tutor(), first_message("Bayesian reasoning", "Sensitivity: how many of the ill are found"))
    room.open()
    room.ask("what does base rate mean?", kind="clarification")
    assert "share of the ill whom it finds" in room.ask("and sensitivity?", kind="clarification")
