"""What is answered beside the rows of the library: runs, changes, and compositions of rows."""

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.events import AnswerType, Caps, CardShown, CriterionShown, EdgeEnds, NodeRow, Usage, Wire, wire_time
from sprout.learning.graph.changes import Change, Rows
from sprout.learning.marking.keys import ContestOutcome
from sprout.learning.paths.library import (
    BranchGraph,
    BranchRow,
    BranchSummary,
    DocumentRow,
    EdgeRow,
    NodeDetail,
    Undone,
)
from sprout.learning.questions.assessing import Diagnostic, GradeShown
from sprout.runs.handoff import Handoff
from sprout.runs.question import QuestionKind
from sprout.runs.state import Run, RunError, RunState


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


class RunErrorShown(Wire):
    code: str = Field(description="for programs, such as overloaded")
    message: str = Field(description="for a person: what to do")
    retryable: bool = Field(description="whether a retry can succeed")


Offer = Literal["answer", "resume", "retry", "discard", "cancel"]


class QuestionToPerson(Wire):
    """What a run waits to be answered."""

    kind: QuestionKind = Field(
        description="in_doubt: whether a call has happened; changed: the agent is not what it was; context: it was lost"
    )
    question: str
    choices: list[str] | None = Field(description="answers to pick from")
    why: str = Field(description="what made the run stop and ask")
    tool: str | None = Field(description="of the call in question")
    input: dict[str, JsonValue] | None = Field(description="of the call in question, without what is secret")
    since: str


class RunRow(Wire):
    """A run as clients see it."""

    id: str
    agent: str = Field(description="whose run it is: topic, subconcept, refinement, tutor, grading, review, key_check")
    label: str = Field(description="the agent, and for a helper on what: as events name it")
    state: RunState
    reason: str | None = Field(description="how it ended; null before")
    lane: str = Field(description="one run at a time is in a lane")
    node_id: str
    branch_id: str | None
    parent_id: str | None = Field(description="the run that started it; null for a root")
    root_id: str = Field(description="whose log its events are in")
    model: str
    offline: bool = Field(description="whether the built-in model is used")
    small: bool = Field(description="whether a path of a few concepts was asked for")
    usage: Usage
    caps: Caps
    error: RunErrorShown | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    last_event_id: int = Field(description="the number of the last event in its root's log")
    position: int = Field(description="how many runs are before it in its lane")
    question: QuestionToPerson | None = Field(description="what it waits to be answered")
    offers: list[Offer] = Field(description="what can be done about it now")
    resumes: int = Field(description="how often it was taken up again")
    cut_off: bool = Field(description="whether nobody carries it, and it does not go on by itself")
    discarded: bool = Field(description="whether it was put away")


class JournalShown(Wire):
    """What the agent noted down: what it is after, how far it got, and what it would do next."""

    objective: str
    reached: str
    next: str


class LoggedEvent(Wire):
    seq: int = Field(description="its number in the log")
    kind: str
    data: dict[str, JsonValue] = Field(description="its other fields")


class RunHandoff(RunRow):
    """A run with what somebody needs who takes over from it."""

    journal: JournalShown
    last_events: list[LoggedEvent]


class ChangedRows(Wire):
    nodes: list[NodeRow]
    edges: list[EdgeEnds]


class ChangeRow(Wire):
    """A change of the children of `parentId`."""

    id: str
    branch_id: str | None
    parent_id: str
    by: Literal["learner", "agent"]
    agent: str | None
    run_id: str | None
    reason: str | None
    evidence: list[str] = Field(description="the answers that it goes by")
    before: ChangedRows = Field(description="the rows that differ, as they were before it")
    after: ChangedRows = Field(description="the same, as they were after it")
    created_at: str
    undone_at: str | None
    undone_by: str | None = Field(description="the change that took this one back")
    undoes: str | None = Field(description="the change that this one takes back")


class UndoneChange(Wire):
    """The change by which one was undone, and all nodes and edges under its parent as they are now."""

    change: ChangeRow
    nodes: list[NodeDetail]
    edges: list[EdgeRow]


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


class EdgeTitles(Wire):
    """An edge by the titles of its ends."""

    source: str
    target: str


class ConceptsMade(Wire):
    """The concepts of a topic; edges by their titles where they were made now, else as rows."""

    generated: bool
    concepts: list[NodeRow]
    edges: list[EdgeTitles] | list[EdgeRow]


class SubconceptsMade(Wire):
    """The parts of a concept, like the concepts of a topic."""

    generated: bool
    subconcepts: list[NodeRow]
    edges: list[EdgeTitles] | list[EdgeRow]


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


def run_row(run: Run) -> RunRow:
    """The run as it goes over the wire."""
    return RunRow(**_run_fields(run))


def run_handoff(handoff: Handoff) -> RunHandoff:
    """The run with its journal and its last events."""
    journal = handoff.journal
    return RunHandoff(
        **_run_fields(handoff.run),
        journal=JournalShown(objective=journal.objective, reached=journal.reached, next=journal.next),
        last_events=[LoggedEvent(seq=one.seq, kind=one.kind, data=json.loads(one.data)) for one in handoff.last_events],
    )


def change_row(change: Change) -> ChangeRow:
    """The change as it goes over the wire."""
    return ChangeRow(
        id=change.id,
        branch_id=change.branch_id,
        parent_id=change.parent_id,
        by="learner" if change.run_id is None else "agent",
        agent=change.agent,
        run_id=change.run_id,
        reason=change.reason,
        evidence=list(change.evidence),
        before=_changed_rows(change.before),
        after=_changed_rows(change.after),
        created_at=wire_time(change.at),
        undone_at=_moment(change.undone_at),
        undone_by=change.undone_by,
        undoes=change.undoes,
    )


def undone_change(undone: Undone) -> UndoneChange:
    """The change and the rows as they go over the wire."""
    return UndoneChange(change=change_row(undone.change), nodes=undone.nodes, edges=undone.edges)


def offers_of(run: Run) -> list[Offer]:
    """What can be done about the run now (F1)."""
    if run.ended:
        again: list[Offer] = ["retry"] if run.is_root else []
        return again if run.discarded or run.state is RunState.COMPLETED else [*again, "discard"]
    if run.state is RunState.WAITING_ON_HUMAN:
        return ["cancel"] if run.answered else ["answer", "discard", "cancel"]
    return ["resume", "discard", "cancel"] if run.cut_off else ["cancel"]


def _run_fields(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "agent": run.agent,
        "label": run.label,
        "state": run.state,
        "reason": run.reason,
        "lane": run.lane,
        "node_id": run.node_id,
        "branch_id": run.branch_id,
        "parent_id": run.parent_id,
        "root_id": run.root_id,
        "model": run.model,
        "offline": run.offline,
        "small": run.small,
        "usage": run.usage,
        "caps": run.caps,
        "error": _run_error(run.error),
        "created_at": wire_time(run.created_at),
        "started_at": _moment(run.started_at),
        "ended_at": _moment(run.ended_at),
        "last_event_id": run.last_seq,
        "position": run.position,
        "question": _question(run),
        "offers": offers_of(run),
        "resumes": max(0, run.epoch - 1),
        "cut_off": run.cut_off,
        "discarded": run.discarded,
    }


def _changed_rows(rows: Rows) -> ChangedRows:
    return ChangedRows(nodes=list(rows.nodes), edges=list(rows.edges))


def _question(run: Run) -> QuestionToPerson | None:
    asked = run.question
    if asked is None or run.answered or run.state is not RunState.WAITING_ON_HUMAN:
        return None
    return QuestionToPerson(
        kind=asked.kind,
        question=asked.question,
        choices=None if asked.choices is None else list(asked.choices),
        why=asked.why,
        tool=asked.tool,
        input=asked.input,
        since=asked.since,
    )


def _run_error(error: RunError | None) -> RunErrorShown | None:
    if error is None:
        return None
    return RunErrorShown(code=error.code, message=error.message, retryable=error.retryable)


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else wire_time(moment)
