"""SciEntsBank and Beetle: answers of pupils to science questions, each with a label, as SemEval-2013 task 7 has them.

Dzikovska et al. 2013, "SemEval-2013 task 7: the joint student response analysis and 8th recognizing textual entailment
challenge". A file holds one question with its reference answers and its labelled answers; 2-way, 3-way and 5-way labels
are read.
"""

from pathlib import Path

from lxml import etree

from sprout.errors import BadInput
from sprout.evaluation.data_files import digest, read_bytes, require
from sprout.evaluation.marking.answer_set import AnswerSet, MarkedAnswer, question_of_reference
from sprout.evaluation.suite import DataSource

HIGHEST = 2
LEVELS = {
    "correct": 2,
    "partially_correct_incomplete": 1,
    "contradictory": 0,
    "irrelevant": 0,
    "non_domain": 0,
    "incorrect": 0,
}
SOURCE = "SciEntsBank/Beetle, SemEval-2013 task 7"
LICENCE = "CC BY-SA, by the terms of its release; not shipped"
FIRST_CATEGORIES = ("BEST", "GOOD")  # Beetle's reference answers, those that a teacher would give first


def read_semeval(path: Path) -> AnswerSet:
    """The answers of a file or of all files below a folder. Raises BadInput, SetupError."""
    files = sorted(path.rglob("*.xml")) if path.is_dir() else [path]
    found = [answer for file in files for answer in _answers(file)]
    require(found, path, "answers")
    content = [f"{one.id}\t{one.question.prompt}\t{one.says}\t{one.level}" for one in found]
    return AnswerSet(found, DataSource(SOURCE, LICENCE, digest(*content)))


def _answers(file: Path) -> list[MarkedAnswer]:
    root = _parsed(file)
    prompt = _text(root.find("questionText"))
    references = [(one.get("category", ""), _text(one)) for one in root.iterfind("referenceAnswers/referenceAnswer")]
    references.sort(key=lambda one: one[0] not in FIRST_CATEGORIES[:1])
    texts = [text for _, text in references if text]
    if not prompt or not texts:
        raise BadInput(f"{file} has no {'reference answer' if prompt else 'questionText'}")
    question = question_of_reference(prompt, texts)
    found: list[MarkedAnswer] = []
    for one in root.iterfind("studentAnswers/studentAnswer"):
        label = one.get("accuracy", "")
        if label not in LEVELS:
            raise BadInput(
                f"{file}, line {one.sourceline}: the label is {label[:40]!r}; there are: {', '.join(LEVELS)}"
            )
        id_ = one.get("id") or f"{file.stem}.{len(found) + 1}"
        found.append(MarkedAnswer(id_, question, texts[0], _text(one), LEVELS[label], HIGHEST, "label"))
    return found


def _parsed(file: Path) -> etree._Element:
    # Entities could read files, reach the network, or grow without limit.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(read_bytes(file), parser)
    except etree.XMLSyntaxError as error:
        raise BadInput(f"{file} is no XML: {error.msg}") from None
    if root.tag != "question":
        raise BadInput(f"{file} begins with <{root.tag}>, and a file of SemEval-2013 task 7 with <question>")
    return root


def _text(element: etree._Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())
