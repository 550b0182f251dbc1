"""Runs: start, show, follow, answer, cancel, resume, retry, discard."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response

from sprout.errors import BadInput, NotFound
from sprout.events import AgentDone, NodeRow, RunWaiting, wire_data
from sprout.learning.paths.repository import PathRepository
from sprout.learning.questions.assessments import Assessments
from sprout.runs.run_store import Admission, OnBusy, RequestKey
from sprout.runs.state import Run, RunState
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import Call, json_list_response, json_response, next_link, no_content, page_size
from sprout.web.schemas.requests import (
    AgentRunRequest,
    CursorQuery,
    NoFields,
    RunAnswer,
    RunFilter,
    RunOptions,
    RunRequest,
)
from sprout.web.schemas.run_responses import run_handoff, run_row
from sprout.web.stream.learner_stream import check_stream_room, track_stream
from sprout.web.stream.sse import RunStream, parse_cursor

KEY_PATTERN = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """Runs, the paths that they work on, and the names of the agents that were added to Sprout's own."""

    runs: Runs
    paths: PathRepository
    assessments: Assessments
    extra_agents: tuple[str, ...]


class AgentNotFound(NotFound):
    """No agent of this name was added."""

    def __init__(self, name: str, added: Sequence[str]) -> None:
        super().__init__("agent", name)
        known = f"known agents: {', '.join(added)}" if added else "add agents with SPROUT_EXTRA_AGENTS"
        self.args = (f"no agent {name[:80]!r} can be started here; {known}",)


async def start_topic_run(call: Call[AgentRuns, RunOptions, RunRequest]) -> Response:
    """Admit the run, which is quick, and respond at once: with its stream, or with the run itself."""
    node = await call.dependencies.paths.node(call.id, user_id=call.user_id)
    if node.type != "root":
        raise BadInput(f"Paths are created from topics, and {node.title!r} is a {node.type}.")
    return await _start_run(call, "topic", node)


async def start_concept_run(call: Call[AgentRuns, RunOptions, RunRequest]) -> Response:
    """Admit the run that opens a concept: it creates missing parts, and adapts them to new answers."""
    node = await call.dependencies.paths.node(call.id, user_id=call.user_id)
    if node.type != "concept":
        raise BadInput(f"Only concepts can be opened, and {node.title!r} is a {node.type}.")
    follow_up = None if call.query.on_busy != "attach" else await _follow_up_key(call, node)
    parts = await call.dependencies.paths.nodes(user_id=call.user_id, parent_id=node.id)
    return await _start_run(call, "refinement", node, follow_up=follow_up, needs_model=not parts)


async def _follow_up_key(call: Call[AgentRuns, RunOptions, RunRequest], concept: NodeRow) -> RequestKey | None:
    """The key of the run behind the active one that takes up the answers given since that began; None if it has all.

    It is the same for all requests after the same answer, so that they share one run.
    """
    active = await call.dependencies.runs.runs(
        user_id=call.user_id, branch_id=concept.branch_id, agent="refinement", states=[RunState.RUNNING]
    )
    begun = next((run.started_at for run in active if run.node_id == concept.id), None)
    if begun is None:
        return None
    newest = await call.dependencies.assessments.newest_answer(concept.id, user_id=call.user_id, since=begun)
    return None if newest is None else RequestKey(f"follow-up:{newest}", newest)


async def start_extra_agent_run(call: Call[AgentRuns, RunOptions, AgentRunRequest]) -> Response:
    """Admit the run of an agent that was added to Sprout's own, on any node of the caller's."""
    name, added = str(call.request.path_params["name"]), call.dependencies.extra_agents
    if name not in added:
        raise AgentNotFound(name, added)
    node = await call.dependencies.paths.node(call.id, user_id=call.user_id)
    return await _start_run(call, name, node, task=call.body.task or None)


async def _start_run(
    call: Call[AgentRuns, RunOptions, Any],
    agent: str,
    node: NodeRow,
    *,
    task: str | None = None,
    follow_up: RequestKey | None = None,
    needs_model: bool = True,
) -> Response:
    """The started run as a response; with the key of a follow-up it waits for the active one instead of joining it."""
    if call.query.wait == "true":
        await check_stream_room(call)
    admission = await call.dependencies.runs.start(
        agent,
        node=node,
        user_id=call.user_id,
        small=call.body.small,
        on_busy=OnBusy.ENQUEUE if follow_up else OnBusy(call.query.on_busy),
        key=idempotency_key(call.request, agent, call.id, call.query.on_busy, call.body.model_dump()) or follow_up,
        task=task,
        needs_model=needs_model,
    )
    if call.query.wait == "false":
        return admission_response(admission)
    response = stream_response(
        call,
        call.dependencies.runs,
        admission.run,
        after=0,
        cancel_on_disconnect=call.query.cancel_on_disconnect == "true",
        until_waiting=True,
    )
    response.headers.update(_replay_headers(admission))
    return response


def idempotency_key(request: Request, *asked: object) -> RequestKey | None:
    """The caller's idempotency key, with a digest of what is asked, which reveals its use for another request.

    Raises BadInput.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not KEY_PATTERN.fullmatch(key):
        raise BadInput("The Idempotency-Key must be 1 to 200 visible ASCII characters.", field="Idempotency-Key")
    return RequestKey(key, sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest())


def admission_response(admission: Admission, status: int | None = None) -> Response:
    """The admitted run; by default 202 for a new one, 200 for an existing one."""
    run = admission.run
    headers = {"X-Run-Id": run.id, "Location": f"/api/runs/{run.id}", **_replay_headers(admission)}
    return json_response(run_row(run), status or (202 if admission.outcome == "new" else 200), headers)


def _replay_headers(admission: Admission) -> dict[str, str]:
    return {"Idempotent-Replay": "true"} if admission.outcome == "replayed" else {}


async def list_runs(call: Call[AgentRuns, RunFilter]) -> Response:
    """The caller's root runs, newest first; a `Link` header leads to the next page."""
    limit = page_size(call.query.limit)
    found = await call.dependencies.runs.runs(
        user_id=call.user_id,
        branch_id=call.query.branch_id,
        agent=call.query.agent,
        states=_parse_states(call.query.state),
        before=call.query.before,
        limit=limit + 1,
    )
    headers = next_link(call, found[limit - 1].id) if len(found) > limit else None
    return json_list_response([run_row(run) for run in found[:limit]], headers)


def _parse_states(named: str | None) -> list[RunState]:
    """Raises BadInput."""
    names = [name.strip() for name in (named or "").split(",") if name.strip()]
    for name in names:
        if name not in set(RunState):
            raise BadInput(f"state: {name[:40]!r} is not a state; use {', '.join(RunState)}.", field="state")
    return [RunState(name) for name in names]


async def get_run(call: Call[AgentRuns]) -> Response:
    """One run with its journal and last events, or 404."""
    return json_response(run_handoff(await call.dependencies.runs.handoff(call.id, user_id=call.user_id)))


async def answer_run(call: Call[AgentRuns, NoFields, RunAnswer]) -> Response:
    """The run, which continues with the answer; 409 if it isn't waiting for one."""
    run = await call.dependencies.runs.answer(call.id, call.body.answer, user_id=call.user_id, result=call.body.result)
    return json_response(run_row(run))


async def resume_run(call: Call[AgentRuns]) -> Response:
    """The interrupted run, which is resumed."""
    return json_response(run_row(await call.dependencies.runs.resume(call.id, user_id=call.user_id)))


async def retry_run(call: Call[AgentRuns]) -> Response:
    """The new run in place of one that has ended."""
    return admission_response(await call.dependencies.runs.retry(call.id, user_id=call.user_id))


async def discard_run(call: Call[AgentRuns]) -> Response:
    """The run, which is discarded."""
    return json_response(run_row(await call.dependencies.runs.discard(call.id, user_id=call.user_id)))


async def follow_run(call: Call[AgentRuns, CursorQuery]) -> Response:
    """The stream after the client's cursor; 204 if the run is over and the client has all of it.

    204 makes an EventSource stop reconnecting.
    """
    run = await call.dependencies.runs.run(call.id, user_id=call.user_id)
    after = parse_cursor(call.request.headers.get("last-event-id"), call.query.after)
    if run.ended and run.id == run.root_id and after == run.last_seq > 0:
        return no_content()
    return stream_response(
        call, call.dependencies.runs, run, after=after, cancel_on_disconnect=call.query.cancel_on_disconnect == "true"
    )


def stream_response(
    call: Call[Any, Any, Any],
    runs: Runs,
    run: Run,
    *,
    after: int | None,
    cancel_on_disconnect: bool,
    until_waiting: bool = False,
) -> RunStream:
    """The run's events after a number; None for an unreadable one.

    Args:
        until_waiting: whether the stream ends where the run waits for a person: its client may know no other stream,
            and would hang.
    """
    events = runs.follow(run.root_id, after=after or 0)
    return RunStream(
        until_waiting_events(runs, run, events) if until_waiting else events,
        run_id=run.id,
        limits=call.policy.limits,
        tracking=track_stream(call),
        resync=after is None,
        on_disconnect=_cancel_callback(runs, run) if cancel_on_disconnect else None,
    )


async def until_waiting_events(
    runs: Runs, run: Run, events: AsyncIterator[list[BusMessage]]
) -> AsyncGenerator[list[BusMessage], None]:
    """The events up to where the run waits for a person, with the news of that."""
    async with aclosing(cast(AsyncGenerator[list[BusMessage], None], events)) as batches:
        async for batch in batches:
            yield batch
            if any(message.kind == "waiting_on_human" for message in batch):
                with suppress(NotFound):  # deleted meanwhile, which the stream itself ends with
                    root = await runs.run(run.root_id, user_id=run.user_id)
                    if root.state is RunState.WAITING_ON_HUMAN and root.question is not None and not root.answered:
                        yield _waiting_events(root)
                        return


def _waiting_events(root: Run) -> list[BusMessage]:
    """The news that the root run waits, and the event with which clients of the contract end."""
    assert root.question is not None
    asked = root.question.as_event()
    named: dict[str, Any] = {"agent": root.label, "run_id": root.id}
    waiting = RunWaiting(question=asked.question, choices=asked.choices, **named)
    done = AgentDone(reason=RunState.WAITING_ON_HUMAN.value, usage=root.usage, **named)
    return [EphemeralEvent(root.id, event.kind, wire_data(event)) for event in (waiting, done)]


def _cancel_callback(runs: Runs, run: Run) -> Callable[[], Awaitable[None]]:
    async def cancel() -> None:
        try:
            await runs.cancel(run.id, user_id=run.user_id)
        except NotFound:
            pass  # deleted with its path meanwhile

    return cancel


async def cancel_run(call: Call[AgentRuns]) -> Response:
    """The run, which is cancelled unless it has ended."""
    return json_response(run_row(await call.dependencies.runs.cancel(call.id, user_id=call.user_id)))
