"""GIFT (O2): each form that Moodle's description of the format names, and what cannot be taken over."""

import pytest

from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.gift import read_gift
from sprout.documents.question_files.readers import read_questions
from sprout.learning.questions.question_files import LeftOutReason, QuestionFile
from sprout.learning.questions.questions import QuestionDraft


def read(text: str) -> QuestionFile:
    return read_questions(read_gift, text.encode(), ReadingLimits())


def one(text: str) -> QuestionDraft:
    (only,) = read(text).questions
    return only


def test_O2_a_choice_has_its_title_taken_off_and_its_explanations_kept() -> None:
    found = one(
        "// a comment\n::Q1:: Where does it grow?{=In the *sun*#Yes ~%50%In caves #No ~Nowhere ####All need light.}"
    )
    assert (found.format, found.prompt) == ("mcq", "Where does it grow?")
    assert found.options == ("In the *sun*", "In caves", "Nowhere")
    assert found.correct_answer == "In the *sun*"
    assert found.solution == ("All need light.", "Yes")


def test_O2_a_missing_word_leaves_a_gap_and_terms_are_all_accepted() -> None:
    found = one("The capital of Wales is {=Cardiff =Caerdydd =%50%Swansea} today.")
    assert (found.format, found.prompt) == ("open_ended", "The capital of Wales is _____ today.")
    assert (found.correct_answer, found.accepted) == ("Cardiff", ("Cardiff", "Caerdydd"))
    assert one("The number 1 in words?{One}").accepted == ("One",)


@pytest.mark.parametrize(
    ("answers", "value", "tolerance"),
    [("#3.5:0.2", "3.5", 0.2), ("#1..5", "3", 2.0), ("#-4~#no", "-4", None), ("#=%50%1822:2 =1822:0#ok", "1822", None)],
)
def test_O2_numbers_have_their_tolerance_or_range(answers: str, value: str, tolerance: float | None) -> None:
    found = one(f"How many?{{{answers}}}")
    assert (found.format, found.correct_answer, found.tolerance) == ("numeric", value, tolerance)


def test_O2_true_and_false_and_pairs_become_choices() -> None:
    assert [one(f"Snow is white.{{{said}}}").correct_answer for said in ("T", "TRUE#no#yes", "false")] == [
        "True",
        "True",
        "False",
    ]
    pairs = read("Match.{=cat -> meow =dog -> bark =-> moo}").questions
    assert [(each.prompt, each.options, each.correct_answer) for each in pairs] == [
        ("Match.\n\ncat", ("meow", "bark", "moo"), "meow"),
        ("Match.\n\ndog", ("meow", "bark", "moo"), "bark"),
    ]


def test_O2_escaped_signs_are_text_and_markup_is_read_and_scripts_are_out() -> None:
    assert one(r"If x \= 3 and \{y\} \~ 1\: what?{=a\=b ~c}").correct_answer == "a=b"
    found = one("[html]<p>So <b>bold</b><script>alert(1)</script> \\(x^2\\)?</p>{=<i>yes</i> ~no}")
    assert (found.prompt, found.options) == ("So **bold** $x^2$?", ("yes", "no"))
    assert one("What does <main> hold?{=</main> ~<p>}").options == ("</main>", "<p>")
    assert one("What does <main> hold?{T}").prompt == r"What does \<main> hold?"
    assert one("2*3*4 is what?{#24}").prompt == r"2\*3\*4 is what?"


def test_O2_categories_and_tags_say_what_a_question_is_about() -> None:
    found = read("$CATEGORY: top/Light/Mirrors\n\n// [tag:angles]\nA?{T}\n\nB?{F}").questions
    assert [each.tests for each in found] == [("Mirrors", "angles"), ("Mirrors",)]


def test_O2_empty_lines_within_braces_part_nothing() -> None:
    assert one("Open {=\n\nyes\n\n~no}").options == ("yes", "no")
    both = read("::A:: Broken {=a ~b\n\n::B:: Whole {T}")
    assert [each.prompt for each in both.questions] == ["Whole"]
    assert both.left_out[0].name == "A"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("::Two:: Which?{~%50%a ~%50%b ~c}", LeftOutReason.SEVERAL_RIGHT),
        ("::Two:: Which?{=a =b ~c}", LeftOutReason.SEVERAL_RIGHT),
        ("::None:: Which?{~a ~b}", LeftOutReason.NO_ANSWER),
        ("::Essay:: Why?{}", LeftOutReason.NO_ANSWER),
        ("::Text:: Read this.", LeftOutReason.NO_QUESTION),
        ("::Broken:: Which?{words ~other}", LeftOutReason.BROKEN),
        ("::Broken:: Which?{#twelve}", LeftOutReason.BROKEN),
        ("::Any:: Which?{=*}", LeftOutReason.KIND),
        ("::Pairs:: Which?{" + "".join(f"=a{at} -> b{at} " for at in range(500)) + "}", LeftOutReason.OPTIONS),
        ("::Picture:: [html]<img src='a.png'> Which?{T}", LeftOutReason.MEDIA),
        ("::Deep:: [html]" + "<div>" * 5000 + "{T}", LeftOutReason.BROKEN),
    ],
)
def test_O2_what_cannot_be_taken_over_is_left_out_with_its_reason(text: str, reason: LeftOutReason) -> None:
    (only,) = read(text).left_out
    assert only.reason is reason
    assert only.name == text.split("::")[1]
