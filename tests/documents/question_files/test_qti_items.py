"""QTI items (O2): the common kinds, in the spelling of 3.0 and of 2.x."""

import pytest

from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.qti_items import read_qti_item
from sprout.documents.question_files.readers import read_questions
from sprout.learning.questions.question_files import LeftOutReason, QuestionFile

V3 = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
V2 = "http://www.imsglobal.org/xsd/imsqti_v2p1"


def item(body: str, right: str = "", *, base: str = "identifier", kind: str = "single", more: str = "") -> str:
    correct = f"<qti-correct-response>{right}</qti-correct-response>" if right else ""
    return (
        f'<qti-assessment-item xmlns="{V3}" identifier="i" title="Item" adaptive="false" time-dependent="false">'
        f'<qti-response-declaration identifier="R" cardinality="{kind}" base-type="{base}">{correct}'
        f"</qti-response-declaration><qti-item-body>{body}</qti-item-body>{more}</qti-assessment-item>"
    )


def read(text: str) -> QuestionFile:
    return read_questions(read_qti_item, text.encode(), ReadingLimits())


def value(text: str) -> str:
    return f"<qti-value>{text}</qti-value>"


CHOICE = (
    "<p>Look at <b>this</b>.</p>"
    '<qti-choice-interaction response-identifier="R" max-choices="1"><qti-prompt>Which?</qti-prompt>'
    '<qti-simple-choice identifier="A">one<qti-feedback-inline identifier="A">Yes!</qti-feedback-inline>'
    '</qti-simple-choice><qti-simple-choice identifier="B">two</qti-simple-choice></qti-choice-interaction>'
)


def test_O2_a_choice_is_read_without_what_its_feedback_tells() -> None:
    because = (
        '<qti-modal-feedback identifier="solution"><qti-content-body>Since.</qti-content-body></qti-modal-feedback>'
    )
    (found,) = read(item(CHOICE, value("A"), more=because)).questions
    assert (found.prompt, found.options, found.correct_answer) == ("Look at **this**.\n\nWhich?", ("one", "two"), "one")
    assert found.solution == ("Since.",)


def test_O2_the_same_in_version_2_and_with_a_mapping() -> None:
    (found,) = read(
        f'<assessmentItem xmlns="{V2}" identifier="i" title="Item"><responseDeclaration identifier="R"'
        ' cardinality="single" baseType="string"><mapping><mapEntry mapKey="York" mappedValue="1"/>'
        '<mapEntry mapKey="york" mappedValue="1"/><mapEntry mapKey="Leeds" mappedValue="0.5"/></mapping>'
        '</responseDeclaration><itemBody><p>Sun of <textEntryInteraction responseIdentifier="R"/>.</p></itemBody>'
        "</assessmentItem>"
    ).questions
    assert (found.prompt, found.accepted) == ("Sun of _____ .", ("York", "york"))


def test_O2_numbers_pairs_and_words_are_read() -> None:
    entry = '<p>Pi is <qti-text-entry-interaction response-identifier="R"/>.</p>'
    near = '<qti-equal tolerance-mode="absolute" tolerance="0.01 0.01"/>'
    (number,) = read(item(entry, value("3.14"), base="float", more=near)).questions
    assert (number.format, number.correct_answer, number.tolerance) == ("numeric", "3.14", 0.01)
    sides = "".join(
        "<qti-simple-match-set>"
        + "".join(
            f'<qti-simple-associable-choice identifier="{each}">{each}</qti-simple-associable-choice>' for each in side
        )
        + "</qti-simple-match-set>"
        for side in (("cat", "dog"), ("meow", "bark"))
    )
    match = (
        f'<qti-match-interaction response-identifier="R"><qti-prompt>Who?</qti-prompt>{sides}</qti-match-interaction>'
    )
    pairs = read(item(match, value("cat meow") + value("dog bark"), base="directedPair", kind="multiple")).questions
    assert [each.correct_answer for each in pairs] == ["meow", "bark"]
    assert "dog" not in pairs[0].prompt, "only what it asks for stands in it"
    points = "<ul><li>Names light.</li><li>Names air.</li></ul>"
    rubric = f'<qti-rubric-block view="scorer" use="scoring">{points}</qti-rubric-block>'
    asked = "<qti-prompt>Why?</qti-prompt>"
    wide = f'<qti-extended-text-interaction response-identifier="R">{asked}</qti-extended-text-interaction>'
    (words,) = read(item(rubric + wide, value("Light and air."), base="string")).questions
    assert ([one.statement for one in words.criteria], words.prompt) == (["Names light.", "Names air."], "Why?")
    assert words.correct_answer == "Light and air."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (item(CHOICE), LeftOutReason.NO_ANSWER),
        (item(CHOICE, value("A") + value("B"), kind="multiple"), LeftOutReason.SEVERAL_RIGHT),
        (item(CHOICE + CHOICE, value("A")), LeftOutReason.KIND),
        (item('<qti-order-interaction response-identifier="R"/>', value("A")), LeftOutReason.KIND),
        (item("<p>Read this.</p>"), LeftOutReason.NO_QUESTION),
        (item(CHOICE.replace("one<", '<img src="a.png" alt="a"/><'), value("A")), LeftOutReason.MEDIA),
    ],
)
def test_O2_what_cannot_be_taken_over_is_left_out_with_its_reason(text: str, reason: LeftOutReason) -> None:
    assert [each.reason for each in read(text).left_out] == [reason]
