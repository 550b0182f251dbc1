"""What goes over the wire beside the rows of the library: request bodies, queries, runs, and compositions of both."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.alias_generators import to_camel

from sprout.events import Caps, EdgeEnds, NodeRow, Usage, Wire, wire_time
from sprout.learning.assessing import Diagnostic
from sprout.learning.changes import Change, Rows
from sprout.learning.contents import ContentStatus, Trigger
from sprout.learning.library import (
    BranchGraph,
    BranchRow,
    BranchSummary,
    DocumentRow,
    EdgeRow,
    NodeDetail,
    Undone,
)
from sprout.runs.handoff import Handoff
from sprout.runs.question import QuestionKind
from sprout.runs.state import Run, RunError, RunState

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Description = Annotated[str, StringConstraints(max_length=10_000)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PageSize = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,3}$")]
NodeType = Literal["root", "concept", "subconcept"]


class Asked(BaseModel):
    """A frozen request: camelCase names, no conversion between types; fields that nobody knows are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, alias_generator=to_camel)


class Nothing(Asked):
    """Where nothing is asked for."""


class Owner(Asked):
    """A query that must say whose rows are wanted; only one's own are."""

    user_id: Id


class MaybeOwner(Asked):
    user_id: Id | None = None


class NewBranch(Asked):
    title: Title
    user_id: Id


class BranchChange(Asked):
    title: Title | None = None


class NodeFilter(MaybeOwner):
    type: NodeType | None = None
    branch_id: Id | None = None
    parent_id: Id | None = None


class ChildFilter(Asked):
    child_type: Literal["concept", "subconcept"] | None = None


class NewNode(Asked):
    user_id: Id
    type: NodeType
    title: Title
    branch_id: Id | None = None
    parent_id: Id | None = None
    desc: Description | None = None


class NodeChange(Asked):
    title: Title | None = None
    desc: Description | None = None
    accuracy_score: Annotated[float, Field(ge=0, le=1)] | None = None


class ProgressFilter(Owner):
    node_id: Id | None = None


class AssessmentFilter(MaybeOwner):
    target_node_id: Id | None = None


class AssessmentChange(Asked):
    """`completedAt` is a time as ISO 8601 writes it; one without a zone is UTC."""

    title: Title | None = None
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = None


class NewAnswer(Asked):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know".

    What a client says of right and wrong is not read: the server marks.
    """

    user_id: Id
    question_id: Id
    answer_text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = None
    selected_option: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)] | None = None


class DiagnosticBody(Diagnostic):
    """A concept's diagnostic as its page asks for it."""

    agent: Literal["concept"] = "concept"
    status: Literal["diagnostic_ready"] = "diagnostic_ready"
    concept_node_id: str


class ContentBody(Asked):
    explanation_md: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    visualization_kind: Annotated[str, StringConstraints(max_length=100)] | None = None
    visualization_payload: Annotated[str, StringConstraints(max_length=200_000)] | None = None
    generated_by_model: Annotated[str, StringConstraints(max_length=200)] | None = None
    generation_prompt_hash: Annotated[str, StringConstraints(max_length=200)] | None = None
    status: ContentStatus = "active"


class GenerationBody(Asked):
    """`responseMeta` is any JSON; it is kept as text."""

    trigger: Trigger
    model: Annotated[str, StringConstraints(max_length=200)] | None = None
    prompt: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    response_meta: JsonValue = None


class GraphOptions(Asked):
    """`answers=true` exports the questions too, with what is right: for who makes a course, not for who takes it."""

    answers: Literal["true", "false"] = "false"
    format: Literal["json", "yaml"] = "json"


class Planted(Wire):
    """A path that was taken over whole."""

    branch: BranchRow
    concepts: int
    subconcepts: int
    edges: int
    questions: int


class RunOrder(Asked):
    """`small` asks for a path of a few concepts."""

    user_id: Id
    small: bool = False


class RunOptions(Asked):
    """`wait=false` answers with the run instead of its stream; `onBusy` says what becomes of it where one is going."""

    on_busy: Literal["attach", "enqueue", "reject", "interrupt"] = "attach"
    wait: Literal["true", "false"] = "true"
    cancel_on_disconnect: Literal["true", "false"] = Field(default="false", alias="cancel_on_disconnect")


class RunFilter(MaybeOwner):
    """`state` is one or several, with commas; `before` is the id of the run after which the list goes on."""

    branch_id: Id | None = None
    agent: Id | None = None
    state: Annotated[str, StringConstraints(max_length=200)] | None = None
    before: Id | None = None
    limit: PageSize | None = None


class ChangeFilter(Asked):
    """`before` is the id of the change after which the list goes on."""

    before: Id | None = None
    limit: PageSize | None = None


class RunAnswer(Asked):
    """`result` is what a call in doubt has brought, where it has happened."""

    answer: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    result: Annotated[str, StringConstraints(max_length=20_000)] | None = None


class Cursor(Asked):
    """`after` is the id of the last event that the client has; the header Last-Event-ID goes before it."""

    after: str | None = None
    cancel_on_disconnect: Literal["true", "false"] = Field(default="false", alias="cancel_on_disconnect")


class Cursors(Asked):
    """`after` is the id of the last event of the learner's stream; the header Last-Event-ID goes before it."""

    after: str | None = None


class Failure(Wire):
    """Every error."""

    error: str


class Health(Wire):
    status: Literal["ok"] = "ok"
    timestamp: str


class RunErrorShown(Wire):
    code: str
    message: str
    retryable: bool


Offer = Literal["answer", "resume", "retry", "discard", "cancel"]


class QuestionToPerson(Wire):
    """What a run waits to be answered; `input` is that of the call in question, without what is secret."""

    kind: QuestionKind
    question: str
    choices: list[str] | None
    why: str
    tool: str | None
    input: dict[str, JsonValue] | None
    since: str


class RunRow(Wire):
    """A run as clients see it; `lastEventId` is the number of the last event in its root run's log.

    `position` counts the runs before it in its lane, `resumes` how often it was taken up again, `offers` is what can
    be done about it now.
    """

    id: str
    agent: str
    label: str
    state: RunState
    reason: str | None
    lane: str
    node_id: str
    branch_id: str | None
    parent_id: str | None
    root_id: str
    model: str
    offline: bool
    small: bool
    usage: Usage
    caps: Caps
    error: RunErrorShown | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    last_event_id: int
    position: int
    question: QuestionToPerson | None
    offers: list[Offer]
    resumes: int
    cut_off: bool
    discarded: bool


class JournalShown(Wire):
    """What the agent noted down: what it is after, how far it got, and what it would do next."""

    objective: str
    reached: str
    next: str


class LoggedEvent(Wire):
    seq: int
    kind: str
    data: dict[str, JsonValue]


class RunHandoff(RunRow):
    """A run with what somebody needs who takes over from it."""

    journal: JournalShown
    last_events: list[LoggedEvent]


class ChangedRows(Wire):
    nodes: list[NodeRow]
    edges: list[EdgeEnds]


class ChangeRow(Wire):
    """A change of the children of `parentId`: the rows that differ, as they were before and after it.

    `undoes` is the change that this one takes back, `undoneBy` the one that took this one back.
    """

    id: str
    branch_id: str | None
    parent_id: str
    by: Literal["learner", "agent"]
    agent: str | None
    run_id: str | None
    reason: str | None
    evidence: list[str]
    before: ChangedRows
    after: ChangedRows
    created_at: str
    undone_at: str | None
    undone_by: str | None
    undoes: str | None


class UndoneChange(Wire):
    """The change by which one was undone, and all nodes and edges under its parent as they are now."""

    change: ChangeRow
    nodes: list[NodeDetail]
    edges: list[EdgeRow]


class BranchOverview(BranchSummary):
    """A branch in the list of paths, with what its runs are doing."""

    active_run_id: str | None
    last_run: RunRow | None


class BranchPage(BranchGraph):
    """Everything of a branch, its root runs newest first."""

    runs: list[RunRow]


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
