"""Published sets of prerequisites: LectureBank and AL-CPL, as they are released."""

import csv
from collections.abc import Iterator
from pathlib import Path

from sprout.errors import BadInput
from sprout.evaluation.data_files import digest, read_text, require, sample_text
from sprout.evaluation.graph.expert_set import ExpertSet, ExpertSets, expert_set, read_expert_yaml
from sprout.evaluation.suite import DataSource
from sprout.learning.graph.traversal import Pair

SAMPLE = "prerequisites.yaml"
ANNOTATION = "annotation"
POSITIVE, JUDGED = ".preqs", ".pairs"
LECTUREBANK = "LectureBank (Li, Fabbri, Tung and Radev 2019)"
AL_CPL = "AL-CPL (Liang, Ye, Wang, Pursel and Giles 2018)"
LICENCE = "that of its release; not shipped"
FIELDS = {"CV": "Computer vision", "BIO": "Bioinformatics"}  # named in short in the files of the second release
FIELD = "Natural language processing"


def read_expert_sets(path: Path | None) -> ExpertSets:
    """The sets at a path, by what it holds; the shipped sample without one. Raises BadInput, SetupError."""
    if path is None:
        return read_expert_yaml(sample_text(SAMPLE), Path(SAMPLE))
    if path.suffix.lower() in (".yaml", ".yml"):
        return read_expert_yaml(read_text(path), path)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    if positive := [one for one in files if one.suffix == POSITIVE]:
        return _read_al_cpl(positive)
    annotations = [one for one in files if one.suffix == ".csv" and ANNOTATION in one.name]
    if annotations:
        return _read_lecturebank(annotations)
    raise BadInput(
        f"{path} is no set of prerequisites: give a .yaml in the format of the sample, the folder or an "
        f"…{ANNOTATION}.csv of LectureBank, or the folder or a {POSITIVE} file of AL-CPL"
    )


def _read_al_cpl(files: list[Path]) -> ExpertSets:
    """Tables of two columns, of which the second is a prerequisite of the first; beside each, the pairs looked at."""
    sets, texts = [], []
    for path in files:
        positive = read_text(path)
        pairs = [(before, after) for _, (after, before) in _rows(path, positive, 2)]
        require(pairs, path, "pairs")
        judged_path = path.with_suffix(JUDGED)
        all_text = read_text(judged_path) if judged_path.is_file() else ""
        judged = [(before, after) for _, (after, before) in _rows(judged_path, all_text, 2)]
        titles = [title for pair in (*pairs, *judged) for title in pair]
        topic = path.stem.replace("_", " ").capitalize()
        sets.append(expert_set(path, topic, titles, pairs, [*pairs, *judged] if judged else None))
        texts += [positive, all_text]
    return ExpertSets(sets, DataSource(AL_CPL, LICENCE, digest(*texts)))


def _read_lecturebank(files: list[Path]) -> ExpertSets:
    """Tables of two ids and whether the first comes before the second, and a list of topics beside them."""
    sets, texts = [], []
    for path in files:
        topics_path = _topics_beside(path)
        annotation, topics = read_text(path), read_text(topics_path)
        titles = dict(_topics(topics_path, topics))
        require([*titles], topics_path, "topics")
        pairs = [*_positive_pairs(path, annotation, titles)]
        require(pairs, path, "pairs")
        sets.append(_set_of(path, titles, pairs))
        texts += [annotation, topics]
    return ExpertSets(sets, DataSource(LECTUREBANK, LICENCE, digest(*texts)))


def _set_of(path: Path, titles: dict[str, str], pairs: list[Pair]) -> ExpertSet:
    return expert_set(path, FIELDS.get(path.name.partition(".")[0], FIELD), [*titles.values()], pairs)


def _topics_beside(path: Path) -> Path:
    """The list of topics that belongs to a table. Raises BadInput."""
    prefix = path.name.partition(ANNOTATION)[0]
    beside = [one for one in sorted(path.parent.iterdir()) if "topics" in one.name]
    own = [one for one in beside if prefix.endswith(".") and one.name.startswith(prefix)]
    found = own or beside
    if len(found) != 1:
        raise BadInput(f"beside {path} one list of topics is needed, such as 208topics.csv; there are {len(found)}")
    return found[0]


def _topics(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Ids with titles. A title may have commas and is not quoted; behind it, with commas, stands an address."""
    for line, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        id_, parted, rest = row.partition("\t" if path.suffix == ".tsv" else ",")
        title = rest.partition("\t")[0] if path.suffix == ".tsv" else _without_address(rest)
        if not parted or not id_.strip().isdigit() or not title.strip():
            raise BadInput(f"{path}, line {line}: a number and a title are needed")
        yield id_.strip(), title.strip()


def _without_address(rest: str) -> str:
    title, parted, last = rest.rpartition(",")
    while parted and (last.strip() in ("", "NULL") or last.strip().startswith("http")):
        rest = title
        title, parted, last = rest.rpartition(",")
    return rest


def _positive_pairs(path: Path, text: str, titles: dict[str, str]) -> Iterator[Pair]:
    for line, (source, target, label) in _rows(path, text, 3):
        if label not in ("0", "1"):
            raise BadInput(f"{path}, line {line}: the label is {label[:40]!r}, and must be 0 or 1")
        for id_ in (source, target):
            if id_ not in titles:
                raise BadInput(f"{path}, line {line}: there is no topic {id_[:40]!r}")
        if label == "1" and titles[source].casefold() != titles[target].casefold():
            yield titles[source], titles[target]


def _rows(path: Path, text: str, columns: int) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table without a heading, each with its line. Raises BadInput."""
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        for row in reader:
            if not any(map(str.strip, row)):
                continue
            if len(row) != columns or not all(map(str.strip, row)):
                raise BadInput(f"{path}, line {reader.line_num}: {columns} values are needed")
            yield reader.line_num, [one.strip() for one in row]
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: {error}") from None
