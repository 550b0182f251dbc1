"""A careful grader's verdicts on typed answers in sentences, and the mark that code makes of them (A2)."""

from pathlib import Path
from typing import Any

from sprout.learning.marking.grades import Grade, GradeState, Remedy
from sprout.learning.marking.grading import CriterionVerdict, criterion_ids, grade_verdicts, merge_samples
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion
from sprout.learning.text.normalization import one_line
from sprout.yaml_loader import load_yaml
from tests.learning.marking.test_typed_answers import course_questions

FILE = Path(__file__).parent / "typed_answers_last" / "courses.yaml"
CONFIDENCE = 0.95


def mark_of(grade: Grade) -> str:
    if grade.state is not GradeState.GRADED:
        return "not marked"
    return "right" if grade.correct else "half" if grade.score else "wrong"


def graded(question: Any, says: str, verdicts: dict[str, str]) -> Grade:
    """The grade of one sample, or of two alike where the first calls for a second one."""
    criteria = tuple(
        Criterion(one.label, one.statement, one.weight, one.partly_if, one.misconception) for one in question.criteria
    )
    asked = OpenQuestion(question.prompt, criteria, (question.answer,))
    sample = [
        CriterionVerdict(id_, "" if verdicts[one.label] == "missing" else says, verdicts[one.label], CONFIDENCE)
        for id_, one in zip(criterion_ids(criteria), criteria, strict=True)
    ]
    first = grade_verdicts(asked, sample, says)
    return merge_samples(first, grade_verdicts(asked, sample, says)) if first.remedy is Remedy.SECOND_SAMPLE else first


def test_A2_right_half_right_and_wrong_sentences_are_marked_as_two_readers_would() -> None:
    """The criteria of each answer were judged by two readers, who also gave the whole its verdict."""
    marks: dict[str, list[tuple[str, str]]] = {"right": [], "half": [], "wrong": []}
    for entry in load_yaml(FILE.read_text(encoding="utf-8")):
        for answer in entry["answers"]:
            if "criteria" in answer:
                question = course_questions()[one_line(entry["prompt"])]
                mark = mark_of(graded(question, answer["says"], answer["criteria"]))
                marks[answer["verdict"]].append((mark, answer["says"]))
    assert {verdict: len(found) for verdict, found in marks.items()} == {"right": 80, "half": 46, "wrong": 44}
    assert [says for mark, says in marks["right"] if mark != "right"] == []
    assert [says for mark, says in marks["half"] if mark != "half"] == []
    assert [says for mark, says in marks["wrong"] if mark == "right"] == []
