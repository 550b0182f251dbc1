"""Mohler/UNT: answers to questions of a computer science course, each marked from 0 to 5 by two people.

Mohler, Bunescu & Mihalcea 2011, "Learning to grade short answer questions using semantic similarity measures and
dependency graph alignments". Two forms are read: the folders of the release, `raw/` beside `scores/`, and the table
that is often passed on.
"""

from collections.abc import Iterator
from pathlib import Path

from sprout.errors import BadInput
from sprout.evaluation.data_files import as_number, digest, read_text, require, table_rows
from sprout.evaluation.marking.answer_set import AnswerSet, MarkedAnswer, question_of_reference
from sprout.evaluation.suite import DataSource

HIGHEST = 5
COLUMNS = ("question", "desired_answer", "student_answer", "score_avg")
SOURCE = "Mohler/UNT short answers, version 2.0"
LICENCE = "free for research; not shipped"


def is_mohler_folder(path: Path) -> bool:
    return (path / "raw" / "questions").is_file() or (path / "data" / "raw" / "questions").is_file()


def read_mohler_folder(path: Path) -> AnswerSet:
    """The answers of a release. Raises BadInput, SetupError."""
    home = path if (path / "raw").is_dir() else path / "data"
    questions, references = (_numbered(home / "raw" / name) for name in ("questions", "answers"))
    found: list[MarkedAnswer] = []
    for number, prompt in questions.items():
        answers = [text for key, text in _numbered_lines(home / "raw" / number) if key.startswith(number)]
        marks = read_text(home / "scores" / number / "ave").split()
        if len(answers) != len(marks):
            raise BadInput(f"{home}: question {number} has {len(answers)} answers and {len(marks)} marks")
        if number not in references:
            raise BadInput(f"{home / 'raw' / 'answers'}: question {number} has no prepared answer")
        for place, (says, mark) in enumerate(zip(answers, marks, strict=True), start=1):
            level = _level(as_number(home / "scores" / number / "ave", place, "mark", mark), home, place)
            found.append(_answer(f"{number}/{place}", prompt, references[number], says, level))
    require(found, path, "answers")
    return _as_set(found)


def read_mohler_table(text: str, path: Path) -> AnswerSet:
    """The answers of a table. Raises BadInput."""
    found = [
        _answer(
            str(line),
            row["question"],
            row["desired_answer"],
            row["student_answer"],
            _level(as_number(path, line, "score_avg", row["score_avg"]), path, line),
        )
        for line, row in table_rows(path, text, COLUMNS)
    ]
    require(found, path, "answers")
    return _as_set(found)


def _answer(id_: str, prompt: str, reference: str, says: str, level: int) -> MarkedAnswer:
    return MarkedAnswer(id_, question_of_reference(prompt, [reference]), reference, says, level, HIGHEST, "0 to 5")


def _as_set(found: list[MarkedAnswer]) -> AnswerSet:
    content = [f"{one.id}\t{one.question.prompt}\t{one.says}\t{one.level}" for one in found]
    return AnswerSet(found, DataSource(SOURCE, LICENCE, digest(*content)))


def _level(mark: float, path: Path, place: int) -> int:
    if not 0 <= mark <= HIGHEST:
        raise BadInput(f"{path}, {place}: the mark is {mark:g}, and the scale goes from 0 to {HIGHEST}")
    return int(mark + 0.5)


def _numbered(path: Path) -> dict[str, str]:
    return dict(_numbered_lines(path))


def _numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Lines that begin with a number such as 1.1: the number and the text."""
    for line in read_text(path).splitlines():
        key, _, text = line.strip().partition("\t" if "\t" in line.strip() else " ")
        if key and text.strip():
            yield key.strip(), text.replace("<STOP>", "").strip()
