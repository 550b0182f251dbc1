"""Runs the loop on the offline model server as a run, with an observer that sees it."""

import io
import json
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from harness.builders import a_run
from harness.loop.scripted_turn import claude_at
from sprout.errors import ModelFailure
from sprout.events import AgentDone, AgentError, Caps, Event, NodeRow, RunDone, RunStarted, Usage
from sprout.loop.model import Message, ModelRequest, Text, ToolSpec
from sprout.offline.script import Scripted
from sprout.offline.script import Step as ScriptStep
from sprout.offline.server import running_offline_server
from sprout.runs.metered_model import MeteredModel
from sprout.runs.state import Run, RunState
from sprout.telemetry.logs import LogFormat, log_handler
from sprout.telemetry.observer import RunObserver

STARTED = datetime(2026, 1, 1, tzinfo=UTC)
NODE = NodeRow(
    id="node-1",
    user_id="learner-1",
    type="root",
    branch_id="branch-1",
    parent_id=None,
    title="Photosynthesis",
    desc=None,
    created_at="2026-01-01T00:00:00.000Z",
    updated_at="2026-01-01T00:00:00.000Z",
)


def started_run(**changes: Any) -> Run:
    """A run that is going."""
    return a_run(NODE, state=RunState.RUNNING, started_at=STARTED, **changes)


def a_child_of(root: Run) -> Run:
    return replace(
        started_run(agent="subconcept", label="subconcept_bootstrap:Light", lane="concept:node-2"),
        root_id=root.root_id,
        parent_id=root.id,
    )


def settled(run: Run, state: RunState, reason: str, usage: Usage = Usage()) -> Run:
    """The run once it has ended, two seconds after its start."""
    return replace(run, state=state, reason=reason, usage=usage, ended_at=STARTED + timedelta(seconds=2))


def begin(observer: RunObserver, run: Run) -> None:
    observer.observe(run, RunStarted(lane=run.lane, model=run.model, caps=Caps(iterations=15), offline=run.offline))


def end(observer: RunObserver, run: Run, state: RunState = RunState.COMPLETED, reason: str = "end_turn") -> None:
    """The last words of a run, as its owner tells them."""
    over = settled(run, state, reason)
    failed = state is RunState.FAILED
    last: Event = AgentDone(reason=reason, usage=Usage())
    if failed:
        last = AgentError(code=reason, message="It did not work. Try again.", retryable=True)
    observer.observe(over, last)
    if run.parent_id is None:
        observer.observe(over, RunDone(status="failed" if failed else "completed", reason=reason, usage=Usage()))


@contextmanager
def written_log(form: LogFormat = "json", level: str = "INFO") -> Iterator[io.StringIO]:
    """Log output within the block, as an operator gets it."""
    stream, root = io.StringIO(), logging.getLogger()
    handler, before = log_handler(stream, form), root.level
    root.addHandler(handler)
    root.setLevel(level)
    try:
        yield stream
    finally:
        root.removeHandler(handler)
        root.setLevel(before)


def entries(stream: io.StringIO) -> list[dict[str, Any]]:
    """The lines of a log in JSON."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


async def model_calls(
    observer: RunObserver,
    run: Run,
    script: Sequence[ScriptStep],
    *,
    tools: Sequence[str] = (),
    parts_read: int | None = None,
) -> None:
    """Call the model once for each step of the script, as the run; failures are the observer's to see.

    Args:
        parts_read: how many parts of each reply are read before it is left.
    """
    specs = tuple(ToolSpec(name, "A tool.", {"type": "object"}) for name in tools)
    request = ModelRequest("sprout-offline", "You are tested.", (Message("user", (Text("Begin."),)),), specs, 1_000)
    async with running_offline_server(Scripted(script)) as server, claude_at(server) as claude:
        model = MeteredModel(claude, partial(observer.model_call, run))
        for _ in script:
            with suppress(ModelFailure):
                await _read(model.reply(request), parts_read)


async def _read(reply: AsyncGenerator[Any, None], parts: int | None) -> None:
    async with aclosing(reply):
        count = 0
        async for _ in reply:
            count += 1
            if count == parts:
                return
