"""Meaning of a lesson's turn, and format of a reply for those who parse it (contract §1.9; H1, Q1, Q2)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.checkpoints import AskedCheckpoint, LessonCheckpoint
from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel, LadderStep
from sprout.learning.lessons.turn import (
    InputMeaning,
    TurnKind,
    extract_explanation,
    interpret_input,
    lacks_number,
    ladder_after,
    ladder_after_grade,
    named_option,
    parse_input,
    render_reply,
    with_confirmed_answer,
)
from sprout.learning.marking.choices import Option
from sprout.learning.marking.number_grading import grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.questions.questions import QuestionDraft

OPEN = QuestionDraft("Why is the sky blue by day?", "open_ended", "short waves are scattered most", 3, ("Light",))
CHOICE = QuestionDraft("Which is a gas?", "mcq", "steam", 3, ("States",), options=("steam", "sand", "milk", "stone"))
# A marker as the contract has it: a line that is a marker alone, or one with a colon, however it is led in.
MARKER = re.compile(
    r"^[\s>#*+\-•\d.)]*(?:\*\*|__)?\s*(?:(?:new |checkpoint )?question\s*(?::|$)|(?:question type|mode)\s*[:\-–—])",
    re.IGNORECASE | re.MULTILINE,
)


def posed(draft: QuestionDraft = OPEN, *, last: str = "", **changes: object) -> AskedCheckpoint:
    kind = "mcq" if draft.format == "mcq" else "text"
    options = tuple(Option(f"{at}", text) for at, text in enumerate(draft.options))
    checkpoint = LessonCheckpoint(draft, kind, ("1", "2", "3", "4"))  # type: ignore[arg-type]
    return AskedCheckpoint("q", checkpoint, options, last_attempt_text=last, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "kind", "text", "mode"),
    [
        ("", TurnKind.OPENING, "", "text"),
        ("  \n ", TurnKind.OPENING, "", "text"),
        ("[ANSWER]\nMode: text\nbecause of light", TurnKind.ANSWER, "because of light", "text"),
        ("[ANSWER]\nMode: code\nfor x in y:\n    x", TurnKind.ANSWER, "for x in y:\n    x", "code"),
        ("[answer]\nmode: DRAW\n", TurnKind.ANSWER, "", "draw"),
        ("[ANSWER]\nMode: dance\nlight", TurnKind.ANSWER, "Mode: dance\nlight", "text"),
        ("[ANSWER] light", TurnKind.ANSWER, "light", "text"),
        ("[CLARIFICATION]\nwhat is a wave?", TurnKind.CLARIFICATION, "what is a wave?", "text"),
        ("hello [ANSWER] there", TurnKind.MESSAGE, "hello [ANSWER] there", "text"),
    ],
)
def test_the_tags_of_the_contract_say_what_words_are(content: str, kind: TurnKind, text: str, mode: str) -> None:
    words = parse_input(content)
    assert (words.kind, words.text, words.mode) == (kind, text, mode)


@pytest.mark.parametrize(
    ("content", "meaning"),
    [
        ("[ANSWER]\nblue light is scattered", InputMeaning.ATTEMPT),
        ("[ANSWER]\nI don't know", InputMeaning.DONT_KNOW),
        ("[ANSWER]\ni forgot what goes in and out", InputMeaning.HELP_REQUEST),
        ("[ANSWER]\nIs it because of the sea?", InputMeaning.ASIDE),
        ("[ANSWER]\nIsn't it because short waves are scattered?", InputMeaning.ATTEMPT),
        ("[ANSWER]\nidk something with waves and air?", InputMeaning.ATTEMPT),
        ("[ANSWER]\ngoogle it yourself", InputMeaning.ASIDE),
        ("[ANSWER]\n", InputMeaning.DONT_KNOW),
        ("[ANSWER]\njust tell me the answer", InputMeaning.HELP_REQUEST),
        ("[ANSWER]\nWhy is the sky blue by day?", InputMeaning.HELP_REQUEST),
        ("[ANSWER]\nthe sea is in it", InputMeaning.HELP_REQUEST),
        ("[CLARIFICATION]\nwhat is scattering like in fog?", InputMeaning.ASIDE),
        ("[CLARIFICATION]\nI dont get why the moon shines at night", InputMeaning.ASIDE),
        ("[CLARIFICATION]\nich versteh nicht warum der mond leuchtet", InputMeaning.ASIDE),
        ("[CLARIFICATION]\nI dont get it", InputMeaning.HELP_REQUEST),
        ("[CLARIFICATION]\nI dont get why the sky is blue", InputMeaning.HELP_REQUEST),
        ("[CLARIFICATION]\nWhy is the sky blue by day?", InputMeaning.HELP_REQUEST),
        ("[CLARIFICATION]\nidk", InputMeaning.DONT_KNOW),
        ("[CLARIFICATION]\nwhy does it stop before the end, thats silly", InputMeaning.ASIDE),
        ("do you like football?", InputMeaning.ASIDE),
    ],
)
def test_Q4_only_a_genuine_answer_is_an_attempt(content: str, meaning: InputMeaning) -> None:
    assert interpret_input(posed(last="the sea is in it"), parse_input(content)) is meaning


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        ("8 planets", InputMeaning.ATTEMPT),
        ("seven or eight", InputMeaning.ATTEMPT),
        ("just 5", InputMeaning.ATTEMPT),
        ("just one", InputMeaning.ATTEMPT),
        ("only one", InputMeaning.ATTEMPT),
        ("just the one", InputMeaning.ATTEMPT),
        ("4 + 4", InputMeaning.ATTEMPT),
        ("does Pluto count?", InputMeaning.ASIDE),
        ("too hard for me", InputMeaning.HELP_REQUEST),
        ("many of them", InputMeaning.ASIDE),
        ("no clue, we havent done this with our teacher", InputMeaning.DONT_KNOW),
        ("ok", InputMeaning.ASIDE),
        ("can we stop now", InputMeaning.ASIDE),
        ("3% * 0.3 ... I don't get it", InputMeaning.DONT_KNOW),
        ("8, but i dont get it", InputMeaning.ATTEMPT),
        ("this is boring, can we stop", InputMeaning.ASIDE),
    ],
)
def test_A11_without_a_number_there_is_no_try_at_one(answer: str, meaning: InputMeaning) -> None:
    planets = QuestionDraft("How many planets circle the sun?", "numeric", "8", 1, ("Planets",))
    assert interpret_input(posed(planets), parse_input(f"[ANSWER]\n{answer}")) is meaning


@pytest.mark.parametrize("kind", ["[ANSWER]", "[CLARIFICATION]", ""])
@pytest.mark.parametrize(
    "words", ["this is stupid", "you suck", "I'm so stupid", "am i stupid", "sorry im so bad at this", "this is boring"]
)
def test_H1a_anger_and_shame_bring_no_help_unasked(words: str, kind: str) -> None:
    assert interpret_input(posed(), parse_input(f"{kind}\n{words}")) is InputMeaning.ASIDE


def test_H1a_anger_as_an_answer_brings_help_for_the_second_time_in_a_row_and_beside_the_question_never() -> None:
    angry, other, tried = (parse_input(f"[ANSWER]\n{one}") for one in ("this is stupid", "I hate this", "7"))
    assert interpret_input(posed(), other, before=[angry]) is InputMeaning.HELP_REQUEST
    assert interpret_input(posed(), other, before=[angry, tried]) is InputMeaning.ASIDE
    for beside in ("[CLARIFICATION]\nI hate this", "I hate this"):
        assert interpret_input(posed(), parse_input(beside), before=[angry]) is InputMeaning.ASIDE


@pytest.mark.parametrize("words", ["I don't get it", "this is too hard", "this is stupid, idk", "ugh, a hint please"])
def test_H1a_not_understanding_and_asking_bring_help_however_upset(words: str) -> None:
    assert interpret_input(posed(), parse_input(f"[ANSWER]\n{words}")) is not InputMeaning.ASIDE


@pytest.mark.parametrize("words", ["I dont understand", "huh?", "what do i have to do, just guess?", "how do i start"])
def test_H1a_confusion_beside_the_question_brings_help_and_never_the_solution(words: str) -> None:
    given, question = parse_input(f"[CLARIFICATION]\n{words}"), posed()
    assert interpret_input(question, given) is InputMeaning.HELP_REQUEST
    helped = posed(ladder=HelpLadder(HelpLevel.WORKED_STEP))
    assert interpret_input(helped, given) is InputMeaning.ASIDE


@pytest.mark.parametrize("kind", ["[ANSWER]", "[CLARIFICATION]", ""])
@pytest.mark.parametrize("words", ["can i skip this", "next", "skip"])
def test_H1a_the_wish_to_skip_counts_no_help(words: str, kind: str) -> None:
    assert interpret_input(posed(), parse_input(f"{kind}\n{words}")) is InputMeaning.ASIDE


@pytest.mark.parametrize("kind", ["[CLARIFICATION]", ""])
def test_H1a_signs_alone_beside_the_question_count_no_help(kind: str) -> None:
    assert interpret_input(posed(), parse_input(f"{kind}\n???")) is InputMeaning.ASIDE
    assert interpret_input(posed(), parse_input("[ANSWER]\n???")) is InputMeaning.DONT_KNOW


def test_A11_who_writes_no_number_twice_gets_help() -> None:
    planets = posed(QuestionDraft("How many planets circle the sun?", "numeric", "8", 1, ("Planets",)))
    given = parse_input("[ANSWER]\nlots of them")
    assert interpret_input(planets, given, before=[parse_input("[ANSWER]\nmany of them")]) is InputMeaning.DONT_KNOW
    assert interpret_input(planets, given, before=[parse_input("[ANSWER]\n9")]) is InputMeaning.ASIDE
    asked = [parse_input("[CLARIFICATION]\nwhat is a planet?")]
    assert interpret_input(planets, given, before=asked) is InputMeaning.ASIDE
    assert lacks_number(planets, given)
    assert not lacks_number(planets, parse_input("[ANSWER]\n8 of them"))


def test_a_drawing_is_an_attempt_whatever_stands_beside_it() -> None:
    assert interpret_input(posed(), parse_input("[ANSWER]\nMode: draw\n"), has_drawing=True) is InputMeaning.ATTEMPT
    assert interpret_input(posed(), parse_input("[CLARIFICATION]\nlike this?"), has_drawing=True) is InputMeaning.ASIDE


@pytest.mark.parametrize(
    ("answer", "text"),
    [("milk", "milk"), ("C", "milk"), ("c)", "milk"), ("(C)", "milk"), ("C. milk", "milk"), ("3", None), ("tea", None)],
)
def test_Q1_an_option_is_named_by_its_text_or_by_the_letter_that_was_shown(answer: str, text: str | None) -> None:
    option = named_option(posed(CHOICE, last=""), answer if answer != "3" else "E")
    assert (option.text if option else None) == text


def test_Q1_a_letter_is_an_attempt_at_a_choice_and_other_words_are_talk() -> None:
    assert interpret_input(posed(CHOICE), parse_input("[ANSWER]\nB")) is InputMeaning.ATTEMPT
    assert interpret_input(posed(CHOICE), parse_input("[ANSWER]\nsomething green")) is InputMeaning.ASIDE


def test_H1_what_waits_moves_nothing_and_what_is_wrong_brings_one_level() -> None:
    question = posed(ladder=HelpLadder(HelpLevel.LOOK_HERE, attempts=2, step=LadderStep.GIVE_HELP))
    beside = ladder_after(question, InputMeaning.ASIDE)
    assert (beside.level, beside.step) == (HelpLevel.LOOK_HERE, LadderStep.WAIT)
    assert ladder_after(question, InputMeaning.ATTEMPT, right=False).level is HelpLevel.PARALLEL
    assert ladder_after(question, InputMeaning.ATTEMPT, right=True).step is LadderStep.SOLVED
    assert ladder_after(question, InputMeaning.ATTEMPT, right=None).level is HelpLevel.LOOK_HERE


def test_A7_what_follows_an_answer_that_could_not_be_marked_is_marked_together_with_it() -> None:
    assert posed(last="blue light").words_to_mark("is scattered") == "is scattered"
    unmarked = posed(last="blue light", unmarked=True)
    assert unmarked.words_to_mark("is scattered") == "blue light\n\nis scattered"
    assert unmarked.words_to_mark(" blue  light ") == " blue  light "
    assert posed(CHOICE, last="milk", unmarked=True).words_to_mark("steam") == "steam"


def test_A11_there_is_something_to_compare_only_while_the_learner_compares() -> None:
    assert posed().comparison is None
    comparison = posed(ladder=HelpLadder(step=LadderStep.COMPARE)).comparison
    assert comparison is not None
    assert comparison.model_answer == OPEN.correct_answer


@pytest.mark.parametrize(
    ("answer", "level", "attempts"),
    [("6*10+3", 0, 0), ("more than 60", 0, 0), ("63 million", 0, 0), ("60 or 63", 1, 1), ("64", 1, 1)],
)
def test_H1_an_answer_that_only_has_to_be_finished_uses_up_no_help(answer: str, level: int, attempts: int) -> None:
    number = QuestionDraft("What does it show?", "numeric", "63", 3, ("Loops",))
    grade = grade_number(NumericQuestion(number.prompt, "63"), answer)
    ladder = ladder_after_grade(posed(number, ladder=HelpLadder(unmarked=1)), grade)
    assert (grade.correct is True, ladder.level, ladder.attempts) == (False, level, attempts)


@pytest.mark.parametrize(("reply", "taken"), [("yes 60", True), ("yes", True), ("yes 45", False), ("no", False)])
def test_A11_a_yes_with_the_words_of_the_offered_option_takes_it(reply: str, taken: bool) -> None:
    shares = ("180, the number of the others", "45, the number beside it", "60, the number it grew out of")
    asked = posed(QuestionDraft("A share of which number?", "mcq", shares[2], 3, ("Trees",), options=shares))
    given = with_confirmed_answer(asked, parse_input(f"[ANSWER]\n{reply}"), [parse_input("[ANSWER]\nthe 60 firs")])
    assert (given.text == shares[2]) is taken


def test_a_reply_is_rendered_as_clients_parse_it() -> None:
    assert render_reply("Light bends.", posed()) == (
        "Light bends.\n\nQuestion Type: text\n\nQuestion:\nWhy is the sky blue by day?"
    )
    assert render_reply("Three states.", posed(CHOICE)).endswith(
        "Question:\nWhich is a gas?\n\nA. steam\nB. sand\nC. milk\nD. stone"
    )
    assert render_reply("Done.", None) == "Done."


@pytest.mark.parametrize(
    "line",
    [
        "Question: what?",
        "## Question",
        "- New question: x",
        "1. LessonCheckpoint question",
        "Question Type: code",
        "Mode: draw",
    ],
)
def test_no_line_of_the_explanation_can_be_taken_for_the_question(line: str) -> None:
    reply = render_reply(f"First.\n{line}\nLast.", posed())
    found = [hit.start() for hit in MARKER.finditer(reply)]
    assert len(found) == 2  # the type and the question, both ours
    assert found[0] > reply.index("Last.")


@given(st.text(st.characters(codec="utf-8")))
def test_a_rendered_reply_has_its_question_once_and_gives_its_words_back(words: str) -> None:
    reply = render_reply(words, posed())
    assert reply.endswith("Question:\nWhy is the sky blue by day?")
    assert len(MARKER.findall(reply)) == 2
    assert extract_explanation(reply) == render_reply(words, None)
