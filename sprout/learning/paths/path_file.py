"""Path file: a whole path as one YAML or JSON file, parsed, validated and written."""

import json
from typing import Annotated, Any, Literal, Protocol

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.errors import BadInput, TooLarge
from sprout.learning.paths.repository import BranchRow
from sprout.learning.questions.program_tests import MAX_PROGRAM_TESTS, ProgramTest
from sprout.learning.questions.questions import MAX_ACCEPTED, Criterion, Misconception, QuestionDraft, QuestionFormat

MAX_FILE_CHARACTERS = 2_000_000
MAX_LISTED_FAULTS = 50

Name = Annotated[str, Field(min_length=1, max_length=400)]
Prose = Annotated[str, Field(max_length=10_000)]


class InvalidPath(BadInput):
    """A file that is not a path; `faults` names every item at fault, as "concepts.2.title: what is wrong"."""

    code = "invalid_path"

    def __init__(self, faults: list[str]) -> None:
        shown = [f"  {fault}" for fault in faults[:MAX_LISTED_FAULTS]]
        more = [f"  … and {len(faults) - MAX_LISTED_FAULTS} more"] if len(faults) > MAX_LISTED_FAULTS else []
        count = "one item is" if len(faults) == 1 else f"{len(faults)} items are"
        super().__init__(f"This path was not taken over, {count} wrong:\n{{faults}}", faults="\n".join([*shown, *more]))
        self.faults = tuple(faults)


class _Item(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, coerce_numbers_to_str=True, populate_by_name=True
    )


class EdgeItem(_Item):
    """`from` comes before `to`; both are keys or titles of siblings."""

    source: Name = Field(alias="from")
    target: Name = Field(alias="to")

    @classmethod
    def between(cls, source: str, target: str) -> "EdgeItem":
        return cls.model_validate({"from": source, "to": target})


class CriterionItem(_Item):
    label: Name
    statement: Prose
    weight: float
    partly_if: Prose | None = None
    misconception: Prose | None = None


class MisconceptionItem(_Item):
    """A wrong answer with the misconception behind it; `slip` says that it is a slip of the pen and no belief."""

    option: Prose
    misconception: Prose
    slip: bool = False


class ProgramTestItem(_Item):
    """A run of a learner's program: `prints`, or `after` and `gives`."""

    model_config = ConfigDict(str_strip_whitespace=False)

    before: Prose = ""
    typed: Prose = ""
    prints: Prose | None = None
    after: Prose | None = None
    gives: Prose | None = None
    misconception: Prose | None = None


class QuestionItem(_Item):
    """A diagnostic question; `tests` names subconcepts of its concept by key or title. `program_tests` mark an answer
    that is a program, `accepted` lists the terms that are right. `solution` says step by step why the right answer
    holds; the learner sees it once the question is settled."""

    prompt: Prose
    format: QuestionFormat
    correct_answer: Prose
    difficulty: int = 1
    tests: tuple[Name, ...]
    options: tuple[Prose, ...] = ()
    criteria: tuple[CriterionItem, ...] = ()
    tolerance: float | None = None
    unit: Name | None = None
    misconceptions: tuple[MisconceptionItem, ...] = ()
    anchors: tuple[Prose, ...] = ()
    program_tests: Annotated[tuple[ProgramTestItem, ...], Field(max_length=MAX_PROGRAM_TESTS)] = ()
    accepted: Annotated[tuple[Name, ...], Field(max_length=MAX_ACCEPTED)] = ()
    solution: tuple[Prose, ...] = ()


class SubconceptItem(_Item):
    key: Name | None = None
    title: Name
    desc: Prose | None = None


class ConceptItem(_Item):
    key: Name | None = None
    title: Name
    desc: Prose | None = None
    subconcepts: Annotated[tuple[SubconceptItem, ...], Field(max_length=200)] = ()
    edges: Annotated[tuple[EdgeItem, ...], Field(max_length=2_000)] = ()
    questions: Annotated[tuple[QuestionItem, ...], Field(max_length=200)] = ()


class TopicItem(_Item):
    title: Name
    desc: Prose | None = None


class BeliefItem(_Item):
    """A misconception, named once for the whole path: wherever questions name one, its `key` stands for it.

    `contrast` is a case in which it and the right idea predict different things.
    """

    key: Name
    statement: Prose
    contrast: Prose | None = None


class PathFile(_Item):
    """One learner's path, without the learner: `title` is the branch's, `edges` join concepts."""

    sprout_path: Literal[1]
    title: Name
    topic: TopicItem
    misconceptions: Annotated[tuple[BeliefItem, ...], Field(max_length=5_000)] = ()
    concepts: Annotated[tuple[ConceptItem, ...], Field(max_length=200)] = ()
    edges: Annotated[tuple[EdgeItem, ...], Field(max_length=2_000)] = ()


class PathExchange(Protocol):
    """Whole paths in and out, for their owner."""

    async def import_path(self, path: PathFile, *, user_id: str) -> BranchRow:
        """A new branch with all of the path, or nothing. Raises InvalidPath, which names every item at fault.

        Raises TooLarge: the path has too many nodes, or the learner too many paths.
        """
        ...

    async def export_path(self, branch_id: str, *, user_id: str) -> PathFile:
        """Raises NotFound."""
        ...


def parse_path(text: str) -> PathFile:
    """The path that a YAML or JSON text describes; `plan_import` checks it as a whole.

    Raises TooLarge, InvalidPath.
    """
    if len(text) > MAX_FILE_CHARACTERS:
        raise TooLarge(
            "a path file has at most {most:,} characters, this one has {length:,}",
            code="path_file_too_large",
            most=MAX_FILE_CHARACTERS,
            length=len(text),
        )
    return validate_path(_parse(text))


def validate_path(content: object) -> PathFile:
    """The path that JSON values describe. Raises InvalidPath."""
    if not isinstance(content, dict):
        raise InvalidPath(["the file: a mapping is needed that begins with sprout_path: 1"])
    try:
        return PathFile.model_validate(content)
    except ValidationError as error:
        raise InvalidPath([f"{_location(fault['loc'])}: {fault['msg']}" for fault in error.errors()]) from None


def without_questions(path: PathFile) -> PathFile:
    """The path as it may be shown to who is still to be asked: questions carry what is right, misconceptions what is
    wrong."""
    concepts = tuple(concept.model_copy(update={"questions": ()}) for concept in path.concepts)
    return path.model_copy(update={"concepts": concepts, "misconceptions": ()})


def dump_path(path: PathFile, form: Literal["yaml", "json"] = "yaml") -> str:
    """The file's text; reading it gives an equal path."""
    content = path.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if form == "json":
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    written: str = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=100)
    return written


def to_draft(item: QuestionItem, tests: tuple[str, ...]) -> QuestionDraft:
    """The question as the domain has it, with `tests` resolved to titles."""
    return QuestionDraft(
        prompt=item.prompt,
        format=item.format,
        correct_answer=item.correct_answer,
        difficulty=item.difficulty,
        tests=tests,
        options=item.options,
        criteria=tuple(
            Criterion(one.label, one.statement, one.weight, one.partly_if, one.misconception) for one in item.criteria
        ),
        tolerance=item.tolerance,
        unit=item.unit,
        misconceptions=tuple(
            Misconception(one.option, one.misconception, slip=one.slip) for one in item.misconceptions
        ),
        anchors=item.anchors,
        program_tests=tuple(ProgramTest(**test.model_dump()) for test in item.program_tests),
        accepted=item.accepted,
        solution=item.solution,
    )


class _PlainLoader(yaml.SafeLoader):
    """YAML without anchors: a small file with aliases can unfold into one that fills the memory."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not read: write it out")
        return super().compose_node(parent, index)


def _parse(text: str) -> object:
    try:
        if text.lstrip().startswith("{"):
            return json.loads(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 a SafeLoader with less
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidPath([f"the file: it is neither YAML nor JSON: {' '.join(str(error).split())}"]) from None
    except RecursionError:
        raise InvalidPath(["the file: it is nested too deeply"]) from None


def _location(location: tuple[int | str, ...]) -> str:
    return ".".join(str(step) for step in location) or "the file"
