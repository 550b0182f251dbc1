"""The answers about runs: start one, look at it, follow it, answer it, stop it, have it go on."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow
from sprout.runs.log import Admission, Key, OnBusy
from sprout.runs.state import Run, RunState
from sprout.web.bodies import AgentOrder, Cursor, Nothing, RunAnswer, RunFilter, RunOptions, RunOrder
from sprout.web.endpoint import Call, link_to_next, nothing_left, page_size, row, rows
from sprout.web.parts import WebParts
from sprout.web.run_shown import run_handoff, run_row
from sprout.web.sse import RunStream, cursor_of
from sprout.web.streams import counted, refuse_one_too_many

KEY = re.compile(r"[\x21-\x7e]{1,200}")


class NoSuchAgent(NotFound):
    """No agent of this name was added."""

    def __init__(self, name: str, added: Sequence[str]) -> None:
        super().__init__("agent", name)
        there = f"there are: {', '.join(added)}" if added else "none was added; SPROUT_EXTRA_AGENTS names them"
        self.args = (f"no agent {name[:80]!r} can be started here; {there}",)


async def topic_started(call: Call[RunOptions, RunOrder]) -> Response:
    """Admit the run, which is quick, and answer at once: with its stream, or with the run itself."""
    node = await call.parts.library.node(call.id, user_id=call.user_id)
    if node.type != "root":
        raise BadInput(f"A path grows from a topic, and {node.title!r} is a {node.type}.")
    return await _started(call, "topic", node)


async def concept_started(call: Call[RunOptions, RunOrder]) -> Response:
    """Admit the run that opens a concept: its parts are made where they are missing, and adapted to new answers."""
    node = await call.parts.library.node(call.id, user_id=call.user_id)
    if node.type != "concept":
        raise BadInput(f"Only a concept is opened like this, and {node.title!r} is a {node.type}.")
    return await _started(call, "refinement", node)


async def extra_started(call: Call[RunOptions, AgentOrder]) -> Response:
    """Admit the run of an agent that was added to Sprout's own, on any node of the caller's."""
    name, added = str(call.request.path_params["name"]), call.parts.extra_agents
    if name not in added:
        raise NoSuchAgent(name, added)
    node = await call.parts.library.node(call.id, user_id=call.user_id)
    return await _started(call, name, node, task=call.body.task or None)


async def _started(call: Call[RunOptions, Any], agent: str, node: NodeRow, *, task: str | None = None) -> Response:
    if call.query.wait == "true":
        refuse_one_too_many(call)
    admission = await call.parts.runs.start(
        agent,
        node=node,
        user_id=call.user_id,
        small=call.body.small,
        on_busy=OnBusy(call.query.on_busy),
        key=_key(call, agent),
        task=task,
    )
    if call.query.wait == "false":
        return admitted(admission)
    response = stream(call, admission.run, after=0, cancel_on_disconnect=call.query.cancel_on_disconnect == "true")
    response.headers.update(_replay(admission))
    return response


def _key(call: Call[RunOptions, Any], agent: str) -> Key | None:
    asked = json.dumps([agent, call.id, call.query.on_busy, call.body.model_dump()], sort_keys=True)
    return caller_key(call.request, sha256(asked.encode()).hexdigest())


def caller_key(request: Request, digest: str) -> Key | None:
    """The caller's idempotency key with a digest of what he asks for (R5). Raises BadInput."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not KEY.fullmatch(key):
        raise BadInput("The Idempotency-Key must be 1 to 200 visible ASCII characters.", field="Idempotency-Key")
    return Key(key, digest)


def admitted(admission: Admission, status: int | None = None) -> Response:
    """The run that serves the caller; 202 for a new one and 200 for one that was there, unless a status is given."""
    run = admission.run
    headers = {"X-Run-Id": run.id, "Location": f"/api/runs/{run.id}", **_replay(admission)}
    return row(run_row(run), status or (202 if admission.verdict == "new" else 200), headers)


def _replay(admission: Admission) -> dict[str, str]:
    return {"Idempotent-Replay": "true"} if admission.verdict == "replayed" else {}


async def listed(call: Call[RunFilter, Nothing]) -> Response:
    """The caller's root runs, newest first; where there are more, a link says where."""
    limit = page_size(call.query.limit)
    found = await call.parts.runs.runs(
        user_id=call.user_id,
        branch_id=call.query.branch_id,
        agent=call.query.agent,
        states=_states(call.query.state),
        before=call.query.before,
        limit=limit + 1,
    )
    headers = link_to_next(call, found[limit - 1].id) if len(found) > limit else None
    return rows([run_row(run) for run in found[:limit]], headers)


def _states(named: str | None) -> list[RunState]:
    """Raises BadInput."""
    names = [name.strip() for name in (named or "").split(",") if name.strip()]
    for name in names:
        if name not in set(RunState):
            raise BadInput(f"state: no run is ever {name[:40]!r}; there are: {', '.join(RunState)}.", field="state")
    return [RunState(name) for name in names]


async def shown(call: Call) -> Response:
    """One run with what somebody needs who takes over from it, or 404."""
    return row(run_handoff(await call.parts.runs.handoff(call.id, user_id=call.user_id)))


async def answered(call: Call[Nothing, RunAnswer]) -> Response:
    """The run, which goes on with the answer; 409 where it waits for none."""
    run = await call.parts.runs.answer(call.id, call.body.answer, user_id=call.user_id, result=call.body.result)
    return row(run_row(run))


async def resumed(call: Call) -> Response:
    """The run, which was cut off and is taken up again."""
    return row(run_row(await call.parts.runs.resume(call.id, user_id=call.user_id)))


async def retried(call: Call) -> Response:
    """The run that takes the place of one that has ended."""
    return admitted(await call.parts.runs.retry(call.id, user_id=call.user_id))


async def discarded(call: Call) -> Response:
    """The run, of which nobody wants to hear any more."""
    return row(run_row(await call.parts.runs.discard(call.id, user_id=call.user_id)))


async def followed(call: Call[Cursor, Nothing]) -> Response:
    """The stream after the client's cursor; 204 where the run is over and the client has all of it.

    204 is how a server tells an EventSource not to come back.
    """
    run = await call.parts.runs.run(call.id, user_id=call.user_id)
    after = cursor_of(call.request.headers.get("last-event-id"), call.query.after)
    if run.ended and run.id == run.root_id and after == run.last_seq > 0:
        return nothing_left()
    return stream(call, run, after=after, cancel_on_disconnect=call.query.cancel_on_disconnect == "true")


def stream(call: Call[Any, Any], run: Run, *, after: int | None, cancel_on_disconnect: bool) -> RunStream:
    """The run's news after a number; None for a number that could not be read."""
    parts = call.parts
    return RunStream(
        parts.runs.follow(run.root_id, after=after or 0),
        run_id=run.id,
        limits=parts.limits,
        counted=counted(call),
        resync=after is None,
        on_disconnect=_cancelling(parts, run) if cancel_on_disconnect else None,
    )


def _cancelling(parts: WebParts, run: Run) -> Callable[[], Awaitable[None]]:
    async def cancel() -> None:
        try:
            await parts.runs.cancel(run.id, user_id=run.user_id)
        except NotFound:
            pass  # deleted with its path while somebody followed it: nothing is left to stop

    return cancel


async def cancelled(call: Call) -> Response:
    """The run after the wish to stop it; one that has ended is returned as it is."""
    return row(run_row(await call.parts.runs.cancel(call.id, user_id=call.user_id)))
