"""Kinds of side questions in the authored courses, each with the source that its reply comes from."""

from itertools import pairwise

import pytest

from sprout.offline.demo.tutor.agent import make_tutor
from tests.offline.demo.tutor.classroom import Classroom, first_message

BAYES, FRANCE, PYTHON = "Bayesian reasoning", "French Revolution", "Python: functions and lists"
LAMPS = (BAYES, "A percentage is a count out of a hundred", "Of 500 lamps")
STAFF = (BAYES, "A share of a share", "A firm has 800 staff")
ODDS = (BAYES, "Odds compare for with against", "In a box of 24 balls")
WALL = "I find nothing in this course that answers that."
ASIDE = "clarification"

Place = tuple[str, str, str]


def room_at(place: Place) -> Classroom:
    """A lesson of a course at the question that begins so, with those before it solved without help."""
    topic, lesson, prompt = place
    room = Classroom(make_tutor(), first_message(topic, lesson, after="What comes later"), learns=99)
    room.open()
    while room.open_question is not None and not room.open_question["question"].startswith(prompt):
        room.answer(room.open_question["answer"], right=True)
    return room


def reply(place: Place, words: str) -> str:
    room = room_at(place)
    level = room.ladder.level
    said = room.ask(words, kind=ASIDE)
    assert room.open_question is not None
    assert room.ladder.level == level
    return said


@pytest.mark.parametrize(
    "words", ["is it like a fraction?", "so it is basically a fraction", "is that similar to a fraction"]
)
def test_what_a_thing_is_likened_to_gets_the_definition_and_no_verdict(words: str) -> None:
    assert "A fraction sets a part over its whole" in reply(LAMPS, words)


def test_what_comes_after_the_lesson_is_named() -> None:
    assert "What comes later" in reply(LAMPS, "what's next after this lesson?")


@pytest.mark.parametrize(
    ("lesson", "words", "title"),
    [
        ("A comparison gives True or False", "what did we learn about == ?", "== asks, = stores"),
        ("append changes the list and gives None", "did we have range before?", "range stops before its end"),
        ("Positions start at 0", "did we have elif before?", "elif: the first true branch wins"),
    ],
)
def test_where_no_sentence_answers_the_part_on_it_is_named(lesson: str, words: str, title: str) -> None:
    assert f"There is a part on that: “{title}”" in reply((PYTHON, lesson, ""), words)


@pytest.mark.parametrize(
    ("lesson", "words"),
    [
        ("A comparison gives True or False", "why can't I just use / here?"),
        ("A name gives its latest value", "what's the difference between \" and ' ?"),
        ("return hands back, print only shows", "and what if I never call it"),
    ],
)
def test_no_hint_answers_what_is_not_asked_of_the_open_question(lesson: str, words: str) -> None:
    room = room_at((PYTHON, lesson, ""))
    said = room.ask(words, kind=ASIDE)
    assert room.open_question is not None
    assert room.open_question["help"][0] not in said


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((BAYES, "Calibrated: 70 % comes true seven times in ten", ""), "why not just 80%?"),
        ((PYTHON, "A slice stops before its end", ""), "why is 9 not in it, it's the fourth?"),
        (ODDS, "so is 1 to 3 one third?"),
    ],
)
def test_a_question_about_a_number_is_no_answer_to_be_sent(place: Place, words: str) -> None:
    said = reply(place, words)
    assert "send" not in said


@pytest.mark.parametrize("words", ["i'm tired", "im so tired", "I am a bit tired."])
def test_who_is_tired_may_stop(words: str) -> None:
    assert "the question waits for you" in reply(LAMPS, words)


def test_a_sentence_that_works_out_a_wrong_idea_is_not_quoted() -> None:
    assert "One third predicts" not in reply(ODDS, "is odds 3 to 1 the same as 3/4?")


def test_a_simpler_explanation_is_no_wish_for_another_question() -> None:
    assert "You need not answer" not in reply(ODDS, "can you explain it again in a simpler way")


@pytest.mark.parametrize("words", ["is it like a sandwich?", "so the lamps are useless?", "is this like stereotypes?"])
def test_a_comparison_is_never_taken_for_a_guess(words: str) -> None:
    assert "Guessing" not in reply(LAMPS, words)


@pytest.mark.parametrize("words", ["is 21 right?", "8:4 is that it?", "is it 12?", "12?", "is B correct"])
def test_whether_a_guess_is_right_is_said_by_marking_it(words: str) -> None:
    assert "as your answer, then I can mark it" in reply(LAMPS, words)


@pytest.mark.parametrize("words", ["can i just do 12 x 44?", "so I multiply 12 and 44", "is it like 12 / 44"])
def test_a_calculation_of_ones_own_is_to_be_tried(words: str) -> None:
    said = reply(LAMPS, words)
    assert "send what it comes to" in said
    assert "528" not in said


@pytest.mark.parametrize(
    ("place", "words", "answer"),
    [
        (STAFF, "what does staff mean", "people who work for a firm"),
        (STAFF, "whats a skylight", "window in the roof"),
        (STAFF, "are tight pipes the ones with leaks?", "no leak"),
        ((FRANCE, "Orders are made by law, not by wealth", ""), "i dont get it what is gout", "joints"),
        (LAMPS, "what does % even mean", "out of each hundred"),
        (LAMPS, "what does the line | mean", "the bar is read as"),
        (LAMPS, "what does the bar mean in P(A|B)", "the bar is read as"),
        (ODDS, "what does n mean", "the number that you are looking for"),
        (ODDS, "whats the colon thing", "3:1 is"),
        ((PYTHON, "A list holds values in order", ""), "what is len short for", "how many values"),
    ],
)
def test_words_and_signs_of_the_task_are_explained(place: Place, words: str, answer: str) -> None:
    if answer == "3:1 is":  # what a colon is would have the form of this answer in it
        place = LAMPS
    said = reply(place, words)
    assert answer.removesuffix(" is") in said


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("whats the 25 for", "25 % work at night"),
        ("what does the 800 do?", "A firm has 800 staff"),
        ("which number do i use, 25 or 800", "A firm has 800 staff"),
    ],
)
def test_a_number_of_the_task_gets_the_words_that_it_stands_in(words: str, place: str) -> None:
    assert place in reply(STAFF, words)


def test_a_date_is_no_number_of_the_task() -> None:
    place = (FRANCE, "14 July: Paris saves an assembly in Versailles", "")
    assert "stands here" not in reply(place, "why is 14 july a holiday")


@pytest.mark.parametrize("words", ["why was it 7 times 6", "why do you multiply 7 and 6", "how come 7 times 6"])
def test_a_question_about_the_one_just_solved_gets_its_way(words: str) -> None:
    said = reply(LAMPS, words)
    assert said.startswith("In the question before it went like this: 700 is 7 hundreds.")


def test_the_way_of_a_question_that_was_put_away_is_not_told() -> None:
    room = room_at((BAYES, LAMPS[1], "A library"))
    room.push("change")
    assert "In the question before" not in room.ask("why was it 7 times 6", kind=ASIDE)


@pytest.mark.parametrize(
    "words", ["do I need this for the exam?", "is this gonna be on the test", "will this come up in my test on friday"]
)
def test_an_exam_is_honestly_not_known_and_what_comes_later_is_named(words: str) -> None:
    said = reply(LAMPS, words)
    assert "I do not know your exam" in said
    assert "What comes later" in said


def test_a_test_of_the_course_is_no_exam() -> None:
    place = (BAYES, "Sensitivity: how many of the ill are found", "")
    assert "exam" not in reply(place, "is he ill if he is positive on the test?")


@pytest.mark.parametrize(
    "words", ["how do i know if i divide or multiply", "where do i start", "could you show another one like this"]
)
def test_who_asks_how_it_is_done_is_shown_the_worked_example(words: str) -> None:
    room = room_at(LAMPS)
    assert "How many of 450 parcels" in room.ask(words, kind=ASIDE)
    assert [call.name for call in room.calls] == ["generate_example"]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("thanks!", "You're welcome."),
        ("omg thank u", "You're welcome."),
        ("ok", "Good."),
        ("am i stupid", "This is hard, and that says nothing about you."),
        ("i hate formulas", "This is hard, and that says nothing about you."),
        ("who are you, are you an ai?", "I am the scripted tutor of this course"),
        ("i give up", "That's all right."),
        ("wer bist du", "I am the scripted tutor of this course"),
    ],
)
def test_a_word_to_the_tutor_gets_a_kind_word_back(words: str, first: str) -> None:
    assert reply(LAMPS, words).startswith(first)


def test_who_gives_up_is_told_the_ways_on() -> None:
    said = reply(LAMPS, "i give up, this is too much")
    assert all(way in said for way in ("hint", "“Change the question”", "“Show me and continue”"))


def test_a_refusal_is_short_varies_and_names_what_can_be_done() -> None:
    room = room_at(LAMPS)
    asked = ("who invented lamps", "were lamps always electric", "do cats see lamps", "can lamps float")
    said = [room.ask(words, kind=ASIDE) for words in asked]
    assert len({*said}) == len(said)
    assert all("hint" in one and len(one.split()) < 40 for one in said)


def test_a_quotation_has_at_least_half_of_what_is_asked() -> None:
    place = (FRANCE, "Tax, dues and tithe go to three different hands", "")
    assert WALL in reply(place, "why did they not move to another country")
    assert "stops before the second" in reply((PYTHON, "A slice stops before its end", ""), "why is 5 not included")


def test_signs_of_a_program_are_quoted_with_all_their_stars() -> None:
    place = (PYTHON, "An expression is worked out to one value", "")
    assert "`*`" in reply(place, "are there signs of equal rank in python")


@pytest.mark.parametrize(
    "words", ["why do you add them?", "thanks!", "is 21 right?", "i give up", "is it like a sandwich?"]
)
def test_H1a_no_reply_is_said_twice_in_a_row(words: str) -> None:
    room = room_at(LAMPS)
    assert all(one != other for one, other in pairwise(room.ask(words, kind=ASIDE) for _ in range(4)))


def test_with_nothing_open_the_last_solution_is_explained() -> None:
    room = room_at(LAMPS)
    room.asked.pop()
    room.pending = None
    assert "7 · 6 = 42" in room.ask("why was it 7 times 6", kind=ASIDE)


@pytest.mark.parametrize(("words", "first"), [("am i stupid", "This is hard"), ("thanks", "You're welcome")])
def test_with_nothing_open_a_kind_word_is_said_too(words: str, first: str) -> None:
    room = room_at(LAMPS)
    room.pending = None
    assert room.ask(words, kind=ASIDE).startswith(first)
