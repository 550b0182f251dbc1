"""Published formats of answer sets, with answers of our own in them (E2, E3)."""

from pathlib import Path

import pytest

from sprout.errors import BadInput, SetupError
from sprout.evaluation.marking.answer_set import AnswerSet
from sprout.evaluation.marking.formats.detection import read_answers
from sprout.learning.marking.quotations import OpenQuestion

XML = """<?xml version="1.0" encoding="UTF-8"?>
<question id="K1" module="Kettle" stype="PREDICT" qtype="Q_EXPLAIN">
  <questionText>Why does the kettle switch off?</questionText>
  <referenceAnswers>
    <referenceAnswer id="r2" category="MINIMAL">It is hot.</referenceAnswer>
    <referenceAnswer id="r1" category="BEST">Steam bends a strip of two metals.</referenceAnswer>
  </referenceAnswers>
  <studentAnswers>
    <studentAnswer id="K1.1" accuracy="correct">the steam bends the metal &amp; it clicks</studentAnswer>
    <studentAnswer id="K1.2" accuracy="partially_correct_incomplete">a strip of metal</studentAnswer>
    <studentAnswer id="K1.3" accuracy="contradictory">it never does</studentAnswer>
    <studentAnswer id="K1.4" accuracy="non_domain">help</studentAnswer>
  </studentAnswers>
</question>
"""
TABLE = """id,question,desired_answer,student_answer,score_me,score_other,score_avg
1.1,What is a stack?,"Last in, first out.",the last one goes first,5,4,4.5
1.1,What is a stack?,"Last in, first out.",a heap of "plates",2,2,2.0
"""
ASAP = (
    'Id\tEssaySet\tScore1\tScore2\tEssayText\n1\t1\t3\t3\tvinegar, and "how much" of it\n'
    "2\t2\t1\t1\tx\n3\t1\t0\t0\tno\n"
)
OWN = "name: x\nlicence: y\nquestions: [{{prompt: Nobody asks this, answers: [{{says: a, verdict: {}}}]}}]"
QUESTIONS = "- {set: 1, prompt: What else must be known?, answer: How much vinegar was used., highest: 3}\n"


def levels(found: AnswerSet) -> list[tuple[str, int, int]]:
    return [(one.says, one.level, one.highest) for one in found.answers]


def write_release(folder: Path) -> Path:
    """A release of Mohler/UNT with one question and two answers."""
    raw, scores = folder / "data" / "raw", folder / "data" / "scores" / "1.1"
    raw.mkdir(parents=True)
    scores.mkdir(parents=True)
    (raw / "questions").write_text("1.1 What is a stack?\n")
    (raw / "answers").write_text("1.1 Last in, first out.\n")
    (raw / "1.1").write_bytes(b"1.1\tthe last one goes first\n1.1\tplates \x93on\x94 plates\n")
    (scores / "ave").write_text("4.5\n2\n")
    return folder


def test_E2_scientsbank_and_beetle_are_read_with_the_best_reference_first(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "K1.xml").write_text(XML)
    found = read_answers(tmp_path)
    assert [level for _, level, _ in levels(found)] == [2, 1, 0, 0]
    assert found.answers[0].says == "the steam bends the metal & it clicks"
    assert found.answers[0].prepared == "Steam bends a strip of two metals."
    question = found.answers[0].question
    assert isinstance(question, OpenQuestion)
    assert question.anchors == ("Steam bends a strip of two metals.", "It is hot.")


def test_E2_mohler_is_read_from_its_release_and_from_the_table(tmp_path: Path) -> None:
    (tmp_path / "mohler.csv").write_text(TABLE)
    assert levels(read_answers(tmp_path / "mohler.csv")) == [
        ("the last one goes first", 5, 5),
        ('a heap of "plates"', 2, 5),
    ]
    released = read_answers(write_release(tmp_path / "release"))
    assert levels(released) == [("the last one goes first", 5, 5), ("plates “on” plates", 2, 5)]
    assert released.answers[0].prepared == "Last in, first out."


def test_E2_asap_is_read_for_the_sets_whose_question_is_described(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text(ASAP)
    with pytest.raises(BadInput, match=r"questions\.yaml is missing"):
        read_answers(tmp_path)
    (tmp_path / "questions.yaml").write_text(QUESTIONS)
    assert levels(read_answers(tmp_path)) == [('vinegar, and "how much" of it', 3, 3), ("no", 0, 3)]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.xml", XML.replace("non_domain", "so-so"), r"line \d+: the label is 'so-so'"),
        ("a.xml", XML[:300], "no XML"),
        ("a.xml", "<answers/>", "begins with <answers>"),
        ("a.xml", XML.replace("referenceAnswer ", "x "), "no XML|no reference answer"),
        ("a.csv", "question,student_answer\na,b\n", "no column 'desired_answer', 'score_avg'"),
        ("a.csv", TABLE.replace("4.5", "7"), "line|, 2: the mark is 7"),
        ("a.csv", TABLE.replace("4.5", ""), "line 2: 'score_avg' is ''"),
        ("a.csv", TABLE.splitlines()[0], "holds no answers"),
        ("a.yaml", OWN.format("right"), "no course asks"),
        ("a.yaml", OWN.format("fine"), "questions.0.answers.0.verdict"),
        ("a.yaml", "name: [x", "no YAML"),
        ("a.txt", "x", "no answer set"),
    ],
)  # fmt: skip
def test_E2_a_broken_set_is_refused_by_its_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=says):
        read_answers(tmp_path / name)


def test_E2_entities_of_a_hostile_file_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("TOP SECRET")
    hostile = f'<!DOCTYPE question [<!ENTITY x SYSTEM "{tmp_path / "secret"}">]>' + XML.partition("?>")[2].strip()
    (tmp_path / "a.xml").write_text(hostile.replace("it never does", "it &x; does"))
    found = read_answers(tmp_path / "a.xml")
    assert "SECRET" not in str(found)


def test_E2_a_path_that_is_not_there_or_holds_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"none\.csv cannot be read"):
        read_answers(tmp_path / "none.csv")
    with pytest.raises(BadInput, match="holds neither"):
        read_answers(tmp_path)
    release = write_release(tmp_path / "release")
    (release / "data" / "scores" / "1.1" / "ave").write_text("4.5\n")
    with pytest.raises(BadInput, match="2 answers and 1 marks"):
        read_answers(release)
