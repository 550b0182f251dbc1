"""Format of an authored course: a YAML file with its concepts, their edges, subconcepts and diagnostic questions."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sprout.learning.questions.program_tests import MAX_PROGRAM_TESTS
from sprout.learning.questions.questions import MAX_ACCEPTED
from sprout.offline.courses.lesson_format import AuthoredModel, Contrast, LessonProgramTest, WrongOption, check_slips
from sprout.offline.graph_plan import PlannedEdge, reachable, transitive_reduction

Title = Annotated[str, Field(min_length=2, max_length=90)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]


class Edge(AuthoredModel):
    """`source` comes before `target`; both are titles of the same level."""

    source: Title
    target: Title
    why: Text


class Criterion(AuthoredModel):
    label: Text
    statement: Text
    weight: float = Field(gt=0, le=1)
    partly_if: str | None = None
    misconception: str | None = None


class Question(AuthoredModel):
    """An item; the right option of a choice item stands in `answer`, the three others in `wrong`.

    Args:
        wrong: wrong options of a choice, or wrong terms.
        diagnostic_values: wrong numbers and what each comes from: a belief, or a slip if it is one of `slips`.
        terms: for open_ended, the terms of up to five words that are right; criteria may be absent then.
        program_tests: for open_ended, runs that mark a program; criteria may be absent then.
        solution: why the right answer holds, and what the commonest wrong one overlooks; shown once it is settled.
    """

    prompt: Text
    format: Literal["mcq", "open_ended", "numeric"]
    answer: Text
    wrong: tuple[WrongOption, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    anchors: tuple[Text, ...] = Field(default=(), max_length=2)
    tolerance: float | None = Field(default=None, ge=0)
    unit: str | None = None
    diagnostic_values: dict[str, str] = Field(default_factory=dict)
    slips: tuple[str, ...] = ()
    terms: tuple[Text, ...] = Field(default=(), max_length=MAX_ACCEPTED)
    program_tests: tuple[LessonProgramTest, ...] = Field(default=(), max_length=MAX_PROGRAM_TESTS)
    difficulty: int = Field(ge=1, le=5)
    tests: tuple[Title, ...] = Field(min_length=1, max_length=2)
    solution: Text | None = None

    @model_validator(mode="after")
    def _check_format(self) -> Self:
        check_slips(self.slips, self.diagnostic_values)
        options = [self.answer, *(wrong.option for wrong in self.wrong)]
        if self.format == "mcq" and (len(options) != 4 or len({option.casefold() for option in options}) != 4):
            raise ValueError(f"four different options are needed: {self.prompt!r}")
        if (self.terms or self.program_tests) and self.format != "open_ended":
            raise ValueError(f"terms and program tests are for open questions: {self.prompt!r}")
        if self.format == "open_ended" and (self.criteria or not (self.terms or self.program_tests)):
            if not 2 <= len(self.criteria) <= 5:
                raise ValueError(f"two to five criteria are needed: {self.prompt!r}")
            if abs(sum(criterion.weight for criterion in self.criteria) - 1) > 1e-9:
                raise ValueError(f"the weights must sum to 1: {self.prompt!r}")
        if self.format == "numeric":
            float(self.answer)
        return self


class Subconcept(AuthoredModel):
    title: Title
    desc: Text


class Concept(AuthoredModel):
    title: Title
    desc: Text
    subconcepts: tuple[Subconcept, ...] = Field(min_length=8, max_length=10)
    edges: tuple[Edge, ...]
    items: tuple[Question, ...] = Field(min_length=6, max_length=10)

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        titles = [sub.title for sub in self.subconcepts]
        _check_graph(titles, self.edges)
        for item in self.items:
            if unknown := set(item.tests) - set(titles):
                raise ValueError(f"{self.title}: an item tests {unknown}, which is no subconcept here")
        return self


class Course(AuthoredModel):
    """`slug` is the name of its file, and of the folder with its lessons: a file for each concept.

    `contrasts` are to wrong ideas that no lesson has for its contrast.
    """

    slug: str
    title: Title
    aliases: tuple[Text, ...] = ()
    desc: Text
    level: Text
    rationale: Text
    contrasts: tuple[Contrast, ...] = ()
    concepts: tuple[Concept, ...] = Field(min_length=6, max_length=8)
    edges: tuple[Edge, ...]

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        _check_graph([concept.title for concept in self.concepts], self.edges)
        return self


def _check_graph(titles: list[str], edges: tuple[Edge, ...]) -> None:
    if len({title.casefold() for title in titles}) < len(titles):
        raise ValueError("titles must be unique")
    links = [PlannedEdge(edge.source, edge.target, edge.why) for edge in edges]
    for link in links:
        if {link.source, link.target} - set(titles):
            raise ValueError(f"an edge names an unknown title: {link.source!r} → {link.target!r}")
        if link.source in reachable(link.target, links) or link.source == link.target:
            raise ValueError(f"a circle runs through {link.source!r}")
    if len(transitive_reduction(links)) < len(links):
        raise ValueError("an edge says what a longer way already implies")
