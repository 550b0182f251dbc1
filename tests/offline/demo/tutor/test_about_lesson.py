"""Side questions about the lesson itself, and about the open question: answered by what the turn knows."""

import pytest

from sprout.offline.demo.tutor.agent import make_tutor
from tests.offline.demo.tutor.classroom import Classroom, first_message
from tests.offline.demo.tutor.test_kinds_of_side_questions import ASIDE, BAYES, FRANCE, LAMPS, PYTHON, STAFF, room_at


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("is this for a mark", "no marks here"),
        ("do I lose points for this", "no marks here"),
        ("gibt es noten?", "no marks here"),
        ("is it ok to use a calculator", "whatever helps"),
        ("cant i just run it", "whatever helps"),
        ("how long does this lesson take", "3 steps"),
        ("am i finished", "Not finished yet."),
        ("how many questions are left", "Still open:"),
        ("am I doing well so far?", "Solved without help: turn a percentage"),
        ("can i change my answer now", "send a new answer"),
        ("do i have to write 2 whole sentences", "the number alone"),
        ("where did my first answer go", "above in the conversation"),
        ("can i skip this", "“Show me and continue”"),
        ("next", "“Change the question”"),
        ("what next", "The question below."),
    ],
)
def test_a_question_about_the_lesson_gets_a_short_true_answer(words: str, answer: str) -> None:
    said = room_at(LAMPS).ask(words, kind=ASIDE)
    assert answer in said
    assert len(said.split()) <= 60


@pytest.mark.parametrize("words", ["did i get it right", "Is my answer right or not???", "thats right isnt it"])
def test_whether_the_last_answer_was_right_is_known_from_its_mark(words: str) -> None:
    room = Classroom(make_tutor(), first_message(BAYES, "A share of a share"), learns=99)
    room.open()
    assert "I can mark it" in room.ask(words, kind=ASIDE)
    room.answer("1", right=False)
    assert "not right yet" in room.ask(words, kind=ASIDE)
    assert room.open_question is not None
    room.answer(room.open_question["answer"], right=True)
    assert "was right, with help" in room.ask(words, kind=ASIDE)


def test_two_questions_about_the_lesson_are_both_answered() -> None:
    said = room_at(LAMPS).ask("did i get it right and how many more questions are there?", kind=ASIDE)
    assert "was right, and without help" in said
    assert "Still open:" in said


@pytest.mark.parametrize("words", ["can you tell me if mine is right?", "i ticked nothing, what do i do now", "huh?"])
def test_beside_a_comparison_it_is_said_how_that_is_done(words: str) -> None:
    room = room_at(LAMPS)
    room.ladder = room.ladder.compare()
    said = room.ask(words, kind=ASIDE)
    assert "the full answer" in said


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((PYTHON, "return hands back, print only shows", ""), "why is it // and not just / ?"),
        ((FRANCE, "An absolute king still needs consent", ""), "Is my answer right or not???"),
        ((FRANCE, "An absolute king still needs consent", ""), "that was right before, why did you say no?"),
        (STAFF, "is it fair to ask that"),
    ],
)
def test_words_of_the_conversation_get_no_definition(place: tuple[str, str, str], words: str) -> None:
    said = room_at(place).ask(words, kind=ASIDE)
    assert not any(one in said for one in ("What the course says of it", "In plain words", "From the course"))


def test_a_why_about_the_task_gets_the_reason_and_no_hint() -> None:
    said = room_at(STAFF).ask("why not 10% of 800?", kind=ASIDE)
    assert "its whole is the group that the first step made" in said
    assert "Where does each of your steps start?" not in said
    assert "stands here" not in said


@pytest.mark.parametrize(
    ("place", "words", "answer"),
    [
        ((FRANCE, "The same sum is not the same burden", ""), "why is it unfair if everybody pays the same??", "share"),
        ((FRANCE, "Needed or enough: testing a cause", ""), "what troops? where does it say about troops", "20,000"),
        ((PYTHON, "Positions start at 0", ""), "why on earth do they start at 0??", "before the first there are none"),
        ((FRANCE, "An absolute king still needs consent", ""), "what is a edict", "order of a king"),
        ((FRANCE, "Napoleon: what he kept and what he undid", ""), 'what does "sieve" mean', "small holes"),
    ],
)
def test_what_the_course_says_is_found(place: tuple[str, str, str], words: str, answer: str) -> None:
    assert answer in room_at(place).ask(words, kind=ASIDE)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((PYTHON, "Adding up starts before the loop", ""), "is python hard to learn"),
        ((FRANCE, "An absolute king still needs consent", ""), "so was the king a dictator?"),
        ((PYTHON, "A small program, from task to check", ""), "can i use a for loop in a function"),
    ],
)
def test_a_sentence_that_shares_one_word_by_chance_is_not_quoted(place: tuple[str, str, str], words: str) -> None:
    assert "“" not in room_at(place).ask(words, kind=ASIDE).replace("“Change the question”", "")


def test_that_the_question_is_open_is_said_once_in_a_lesson() -> None:
    room = room_at(LAMPS)
    said = [room.ask(words, kind=ASIDE) for words in ("what does % mean", "what is a percentage", "is this for a mark")]
    assert ["open" in one for one in said] == [True, False, False]


def test_a_name_of_the_program_is_said_to_be_one() -> None:
    room = room_at((PYTHON, "A small program, from task to check", ""))
    said = room.ask("what does best mean", kind=ASIDE)
    assert "`best` is a name in the program" in said


def test_who_has_had_all_help_is_told_the_last_step_again_and_the_ways() -> None:
    room = room_at(LAMPS)
    for _ in range(4):
        room.ask_for_help("hint")
    said = room.ask("I dont understand", kind=ASIDE)
    assert room.open_question is not None
    assert room.open_question["help"][-1] in said
    assert "Show me and continue" in said


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((FRANCE, "Orders are made by law, not by wealth", ""), "could you buy a noble title?"),
        ((FRANCE, "An absolute king still needs consent", ""), "how old was louis when he became king?"),
        ((PYTHON, "// counts whole times, % gives the remainder", ""), "what if the number is negative?"),
        ((PYTHON, "An indented block belongs to its if", ""), "do i have to use 4 spaces?"),
    ],
)
def test_A11_what_shares_a_word_by_chance_is_not_said(place: tuple[str, str, str], words: str) -> None:
    said = room_at(place).ask(words, kind=ASIDE)
    assert "“Change the question”" in said
    assert "comes down to" not in said
    assert "says:" not in said
    assert "It comes up in the part" not in said


@pytest.mark.parametrize(
    ("place", "words", "answer"),
    [
        ((FRANCE, "Wars, not parties, made the debt", ""), "explain treasury pls", "money of the state"),
        ((FRANCE, "Dear bread empties the workshops", "Explain the chain"), "explain journeyman pls", "journeyman"),
    ],
)
def test_A11_a_question_without_its_mark_is_answered(place: tuple[str, str, str], words: str, answer: str) -> None:
    room = room_at(place)
    assert answer in room.ask(words, kind="answer")
    assert room.open_question is not None


def test_A11_that_the_course_says_nothing_is_said_only_where_no_text_of_it_does() -> None:
    room = room_at((FRANCE, "Orders are made by law, not by wealth", ""))
    assert "nothing in this course" not in room.ask("how many nobles were there?", kind=ASIDE)
    assert "nothing in this course" in room.ask("how many elephants were there?", kind=ASIDE)
