"""Moodle XML (O2): the kinds that Moodle's own export writes, as it writes them."""

from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.moodle_xml import read_moodle_xml
from sprout.documents.question_files.readers import read_questions
from sprout.learning.questions.question_files import LeftOutReason, QuestionFile


def question(kind: str, inner: str, text: str = "<p>What?</p>") -> str:
    return (
        f'<question type="{kind}"><name><text>{kind}</text></name>'
        f'<questiontext format="html"><text><![CDATA[{text}]]></text></questiontext>{inner}</question>'
    )


def answer(text: str, fraction: str, more: str = "") -> str:
    return f'<answer fraction="{fraction}" format="html"><text><![CDATA[{text}]]></text>{more}</answer>'


def read(*questions: str) -> QuestionFile:
    content = f'<?xml version="1.0" encoding="UTF-8"?><quiz>{"".join(questions)}</quiz>'
    return read_questions(read_moodle_xml, content.encode(), ReadingLimits())


def test_O2_choices_terms_numbers_and_pairs_are_read() -> None:
    note = '<feedback format="html"><text>Well done.</text></feedback>'
    number = answer("3.14", "100", "<tolerance>0.01</tolerance>")
    pair = '<subquestion format="html"><text>{}</text><answer><text>{}</text></answer></subquestion>'
    found = read(
        '<question type="category"><category><text>$course$/top/Circles</text></category></question>',
        question("multichoice", answer("<p>one</p>", "0") + answer("<p>two</p>", "100", note)),
        question("truefalse", answer("true", "100") + answer("false", "0")),
        question("shortanswer", answer("disc", "100") + answer("disk", "100") + answer("*", "0")),
        question(
            "numerical", number + "<units><unit><multiplier>1</multiplier><unit_name>m</unit_name></unit></units>"
        ),
        question("matching", pair.format("cat", "meow") + pair.format("dog", "bark") + pair.format("", "moo")),
        question("essay", '<graderinfo format="html"><text>Names the radius.</text></graderinfo>'),
    )
    assert not found.left_out
    choice, truth, term, value, cat, _, words = found.questions
    assert (choice.options, choice.correct_answer, choice.solution) == (("one", "two"), "two", ("Well done.",))
    assert (truth.options, truth.correct_answer) == (("True", "False"), "True")
    assert term.accepted == ("disc", "disk")
    assert (value.correct_answer, value.tolerance, value.unit) == ("3.14", 0.01, "m")
    assert (cat.prompt, cat.options, cat.correct_answer) == ("What?\n\ncat", ("meow", "bark", "moo"), "meow")
    assert words.criteria[0].statement == "Names the radius."
    assert {each.tests for each in found.questions} == {("Circles",)}


def test_O2_other_kinds_pictures_and_several_right_options_are_left_out() -> None:
    found = read(
        question("description", ""),
        question("ddimageortext", ""),
        question("cloze", "", "It is {1:SA:=so}."),
        question("multichoice", answer("a", "50") + answer("b", "50") + answer("c", "0")),
        question("truefalse", answer("true", "100"), '<img src="@@PLUGINFILE@@/a.png">Is it?'),
        question("multichoice", answer('<img src="@@PLUGINFILE@@/a.png">', "100") + answer("b", "0")),
        question("essay", ""),
    )
    assert not found.questions
    assert [each.reason for each in found.left_out] == [
        LeftOutReason.NO_QUESTION,
        LeftOutReason.KIND,
        LeftOutReason.KIND,
        LeftOutReason.SEVERAL_RIGHT,
        LeftOutReason.MEDIA,
        LeftOutReason.MEDIA,
        LeftOutReason.NO_ANSWER,
    ]
