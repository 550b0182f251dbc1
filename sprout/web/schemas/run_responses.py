"""Schemas of runs, with the actions that are available on them."""

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue

from sprout.events import Caps, QuestionKind, ReachedLimit, Usage, Wire, wire_time
from sprout.runs.ending import ending_words
from sprout.runs.handoff_report import Handoff
from sprout.runs.state import Run, RunError, RunState


class RunErrorRow(Wire):
    code: str = Field(description="for programs, such as overloaded")
    message: str = Field(description="for people: what to do")
    params: dict[str, str | float] = Field(default={}, description="the values in the message, by name")
    retryable: bool = Field(description="whether a retry can succeed")


RunAction = Literal["answer", "resume", "retry", "discard", "cancel"]


class RunQuestionRow(Wire):
    """The question that a run waits with."""

    kind: QuestionKind = Field(
        description="in_doubt: whether a call has happened; changed: the agent has changed; context: it was lost"
    )
    question: str
    choices: list[str] | None = Field(description="answers to pick from")
    why: str = Field(description="why the run has stopped to ask")
    tool: str | None = Field(description="of the call in question")
    input: dict[str, JsonValue] | None = Field(description="of the call in question, without secrets")
    since: str


class RunRow(Wire):
    """A run as clients see it."""

    id: str
    agent: str = Field(description="such as topic, subconcept, refinement, tutor, grading, review, key_check, variants")
    label: str = Field(description="the agent, and for a helper its task, as in events")
    state: RunState
    reason: str | None = Field(description="how it ended; null until then")
    reached_limit: ReachedLimit | None = Field(description="the limit that ended it")
    lane: str = Field(description="a lane executes one run at a time")
    node_id: str
    branch_id: str | None
    parent_id: str | None = Field(description="the run that started it; null for a root")
    root_id: str = Field(description="the run whose log has its events")
    model: str
    offline: bool = Field(description="whether the built-in model is used")
    small: bool = Field(description="whether a path of a few concepts was requested")
    usage: Usage
    caps: Caps
    error: RunErrorRow | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    last_event_id: int = Field(description="the number of the last event in its root's log")
    position: int = Field(description="the number of runs before it in its lane")
    question: RunQuestionRow | None = Field(description="the question that it waits with")
    offers: list[RunAction] = Field(description="available actions")
    resumes: int = Field(description="how often it was resumed")
    cut_off: bool = Field(description="whether it was interrupted and doesn't continue by itself")
    discarded: bool = Field(description="whether it was discarded")


class JournalRow(Wire):
    """The agent's notes: objective, progress, and next step."""

    objective: str
    reached: str
    next: str
    codes: dict[str, str] = Field(description="names of the sentences of the parts that no agent has written")
    params: dict[str, str] = Field(description="the values in those sentences, by name")


class StoredEventRow(Wire):
    seq: int = Field(description="its number in the log")
    kind: str
    data: dict[str, JsonValue] = Field(description="its other fields")


class RunHandoff(RunRow):
    """A run with its ending in words, its journal and last events, for a person who takes over."""

    ending: str | None = Field(description="how it ended and what to do, in words; null until then")
    transitions: list[str] = Field(description="why each iteration went on or ended, one code each")
    journal: JournalRow
    last_events: list[StoredEventRow]


def run_row(run: Run) -> RunRow:
    """The run as it goes over the wire."""
    return RunRow(**_run_fields(run))


def run_handoff(handoff: Handoff) -> RunHandoff:
    """The run with its journal and its last events."""
    journal = handoff.journal
    return RunHandoff(
        **_run_fields(handoff.run),
        ending=ending_words(handoff.run),
        transitions=list(handoff.transitions),
        journal=JournalRow(**asdict(journal)),
        last_events=[
            StoredEventRow(seq=one.seq, kind=one.kind, data=json.loads(one.data)) for one in handoff.last_events
        ],
    )


def available_actions(run: Run) -> list[RunAction]:
    """The actions that are available on the run now."""
    if run.ended:
        again: list[RunAction] = ["retry"] if run.is_root else []
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
        "reached_limit": run.reached_limit,
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
        "started_at": _optional_time(run.started_at),
        "ended_at": _optional_time(run.ended_at),
        "last_event_id": run.last_seq,
        "position": run.position,
        "question": _question(run),
        "offers": available_actions(run),
        "resumes": max(0, run.epoch - 1),
        "cut_off": run.cut_off,
        "discarded": run.discarded,
    }


def _question(run: Run) -> RunQuestionRow | None:
    asked = run.question
    if asked is None or run.answered or run.state is not RunState.WAITING_ON_HUMAN:
        return None
    return RunQuestionRow(
        kind=asked.kind,
        question=asked.question,
        choices=None if asked.choices is None else list(asked.choices),
        why=asked.why,
        tool=asked.tool,
        input=asked.input,
        since=asked.since,
    )


def _run_error(error: RunError | None) -> RunErrorRow | None:
    if error is None:
        return None
    return RunErrorRow(**asdict(error))


def _optional_time(moment: datetime | None) -> str | None:
    return None if moment is None else wire_time(moment)
