"""Detection of an answer set's format by what its path holds."""

from pathlib import Path

from sprout.errors import BadInput
from sprout.evaluation.data_files import read_text, sample_text
from sprout.evaluation.marking.answer_set import AnswerSet
from sprout.evaluation.marking.formats.asap import read_asap
from sprout.evaluation.marking.formats.mohler import is_mohler_folder, read_mohler_folder, read_mohler_table
from sprout.evaluation.marking.formats.semeval import read_semeval
from sprout.evaluation.marking.formats.typed_answers import read_typed_answers

SAMPLE = "typed_answers.yaml"


def read_answers(path: Path | None) -> AnswerSet:
    """The answers at a path; the shipped sample without one. Raises BadInput, SetupError."""
    if path is None:
        return read_typed_answers(sample_text(SAMPLE), Path(SAMPLE))
    if path.is_dir():
        return _read_folder(path)
    match path.suffix.lower():
        case ".yaml" | ".yml":
            return read_typed_answers(read_text(path), path)
        case ".xml":
            return read_semeval(path)
        case ".csv":
            return read_mohler_table(read_text(path), path)
        case ".tsv":
            return read_asap(read_text(path), path)
    raise BadInput(
        f"{path} is no answer set: give a .yaml of typed answers, a .tsv of ASAP-SAS, a .csv or the folder of "
        "Mohler/UNT, or an .xml or a folder of SciEntsBank or Beetle"
    )


def _read_folder(path: Path) -> AnswerSet:
    if is_mohler_folder(path):
        return read_mohler_folder(path)
    if any(path.rglob("*.xml")):
        return read_semeval(path)
    tables = sorted(path.glob("*.tsv"))
    if len(tables) == 1:
        return read_asap(read_text(tables[0]), tables[0])
    raise BadInput(
        f"{path} is no answer set: it holds neither raw/questions of Mohler/UNT, nor .xml files, nor one .tsv"
    )
