"""A run as clients see it, and what can be done about it."""

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue

from sprout.events import Caps, Usage, Wire, wire_time
from sprout.runs.handoff import Handoff
from sprout.runs.question import QuestionKind
from sprout.runs.state import Run, RunError, RunState


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
