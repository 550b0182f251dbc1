"""What is answered beside the rows of the library: lessons, and what is put together from several rows."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sprout.events import AnswerType, CardShown, CriterionShown, EdgeEnds, NodeRow, Wire
from sprout.learning.marking.keys import ContestOutcome
from sprout.learning.paths.library import BranchGraph, BranchRow, BranchSummary, DocumentRow, EdgeRow
from sprout.learning.questions.assessing import Diagnostic, GradeShown
from sprout.web.run_shown import RunRow


class QuestionAsked(Wire):
    """The question that is open in a lesson; `options` are those of a choice, in the order in which they are shown."""

    id: str
    prompt: str
    type: AnswerType
    options: list[str] | None


class GradeTold(Wire):
    """What a learner sees of a grade: never what would be right."""

    question_id: str
    answer_id: str
    state: Literal["graded", "unsure", "ungraded"]
    score: float | None
    correct: bool | None
    criteria: list[CriterionShown]
    next_step: str
    help_level: int


class TutorReply(Wire):
    """A turn of a lesson."""

    message: str = Field(description="what the learner reads, with the question that is open now")
    is_complete: bool = Field(description="whether the lesson is over")
    tools_used: tuple[str, ...] = Field(default=(), description="the tools of the turn, in order")
    reasoning: tuple[str, ...] = Field(
        default=(), description="always empty: thoughts of the tutor could hold an answer"
    )
    run_id: str | None = Field(default=None, description="the run of the turn")
    question: QuestionAsked | None = Field(default=None, description="the one that is open now")
    graded: GradeTold | None = Field(default=None, description="the mark of the answer that this turn is about")
    cards: tuple[CardShown, ...] = Field(default=(), description="what came beside the words")


class LessonShown(Wire):
    """What is open in a lesson, and how far it has come.

    Args:
        question: the one that is open, `help_level` the help that was given for it.
        plan: what the learner can do after each chunk; `chunk` is the one now, from 1, 0 before the first.
        evidence: how many graded answers `mastery` (0..1) goes by.
        needed: how many more answers, right and without help, master it.
        graded: the newest attempt at the open question.
        cards: examples, exercises and diagrams, oldest first.
    """

    question: QuestionAsked | None
    help_level: int
    plan: tuple[str, ...]
    chunk: int
    mastery: float
    evidence: int
    needed: int
    completed: bool
    graded: GradeShown | None
    cards: tuple[CardShown, ...]


class DiagnosticShown(Diagnostic):
    """A concept's diagnostic as its page asks for it."""

    agent: Literal["concept"] = "concept"
    status: Literal["diagnostic_ready"] = "diagnostic_ready"
    concept_node_id: str


class Planted(Wire):
    """A path that was taken over whole."""

    branch: BranchRow
    concepts: int
    subconcepts: int
    edges: int
    questions: int


class Failure(Wire):
    """Every error."""

    error: str


class Health(Wire):
    status: Literal["ok"] = "ok"
    timestamp: str


class Plain(BaseModel):
    """A frozen value whose names go over the wire as they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ConceptAddition(Plain):
    title: str
    desc: str | None
    insert_after: str | None
    reason: str | None


class SubconceptAddition(Plain):
    title: str
    desc: str | None
    depends_on: list[str]
    unlocks: list[str]
    reason: str | None


class ReviewDecision(Plain):
    """What a review has decided, field for field as the contract names it."""

    should_add: bool
    notes: str | None
    concept_additions: list[ConceptAddition]
    subconcept_additions: list[SubconceptAddition]


class TitledEdge(Wire):
    """An edge by the titles of its two ends; the source is the prerequisite."""

    source: str
    target: str


class Reviewed(Wire):
    """What a review of the path around a node has brought."""

    agent: Literal["path_review"] = "path_review"
    status: Literal["no_change", "updated"]
    node_id: str
    level: Literal["concept", "subconcept"]
    decision: ReviewDecision
    inserted_nodes: list[NodeRow]
    created_edges: list[TitledEdge]


class BranchOverview(BranchSummary):
    """A branch in the list of paths, with what its runs are doing."""

    active_run_id: str | None
    last_run: RunRow | None


class BranchPage(BranchGraph):
    """Everything of a branch, its root runs newest first."""

    runs: list[RunRow]


class ConceptsMade(Wire):
    """The concepts of a topic; edges by their titles where they were made now, else as rows."""

    generated: bool
    concepts: list[NodeRow]
    edges: list[TitledEdge] | list[EdgeRow]


class SubconceptsMade(Wire):
    """The parts of a concept, like the concepts of a topic."""

    generated: bool
    subconcepts: list[NodeRow]
    edges: list[TitledEdge] | list[EdgeRow]


class ContestShown(Wire):
    """What came of a learner's word that a question is wrong; `outcome` is null while it is looked at."""

    question_id: str
    outcome: ContestOutcome | None
    says: str | None
    at: str


class UploadedDocument(DocumentRow):
    extracted_text_length: int


class Uploaded(Wire):
    uploaded: list[UploadedDocument]


def titled_edges(edges: Sequence[EdgeRow] | Sequence[EdgeEnds], nodes: Sequence[NodeRow]) -> list[TitledEdge]:
    """The edges by the titles of their ends; without those to a node that was deleted meanwhile."""
    titles = {node.id: node.title for node in nodes}
    return [
        TitledEdge(source=titles[edge.source_node_id], target=titles[edge.target_node_id])
        for edge in edges
        if {edge.source_node_id, edge.target_node_id} <= titles.keys()
    ]
