"""The answers about runs: start one, look at it, follow it, stop it."""

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from sprout.errors import BadInput
from sprout.runs.state import Run
from sprout.web.bodies import Cursor, Nothing, RunFilter, RunOptions, RunOrder, run_row
from sprout.web.endpoint import Call, nothing_left, row, rows
from sprout.web.parts import WebParts
from sprout.web.sse import RunStream, cursor_of


async def topic_started(call: Call[RunOptions, RunOrder]) -> Response:
    """Admit the run, which is quick, and answer at once: with its stream, or with the run itself."""
    node = await call.parts.library.node(call.id, user_id=call.user_id)
    if node.type != "root":
        raise BadInput(f"A path grows from a topic, and {node.title!r} is a {node.type}.")
    run, attached = await call.parts.runs.start("topic", node=node, user_id=call.user_id, small=call.body.small)
    if call.query.wait == "false":
        headers = {"X-Run-Id": run.id, "Location": f"/api/runs/{run.id}"}
        return row(run_row(run), 200 if attached else 202, headers)
    return stream(call.parts, run, after=0, cancel_on_disconnect=call.query.cancel_on_disconnect == "true")


async def listed(call: Call[RunFilter, Nothing]) -> Response:
    """The caller's root runs, newest first."""
    found = await call.parts.runs.runs(user_id=call.user_id, branch_id=call.query.branch_id)
    return rows([run_row(run) for run in found])


async def shown(call: Call) -> Response:
    """One run, or 404."""
    return row(run_row(await call.parts.runs.run(call.id, user_id=call.user_id)))


async def followed(call: Call[Cursor, Nothing]) -> Response:
    """The stream after the client's cursor; 204 where the run is over and the client has all of it.

    204 is how a server tells an EventSource not to come back.
    """
    run = await call.parts.runs.run(call.id, user_id=call.user_id)
    after = cursor_of(call.request.headers.get("last-event-id"), call.query.after)
    if run.ended and run.id == run.root_id and after == run.last_seq > 0:
        return nothing_left()
    return stream(call.parts, run, after=after, cancel_on_disconnect=call.query.cancel_on_disconnect == "true")


def stream(parts: WebParts, run: Run, *, after: int | None, cancel_on_disconnect: bool) -> RunStream:
    """The run's news after a number; None for a number that could not be read."""
    return RunStream(
        parts.runs.follow(run.root_id, after=after or 0),
        run_id=run.id,
        limits=parts.limits,
        counted=parts.metrics.stream(),
        resync=after is None,
        on_disconnect=_cancelling(parts, run) if cancel_on_disconnect else None,
    )


def _cancelling(parts: WebParts, run: Run) -> Callable[[], Awaitable[Run]]:
    return lambda: parts.runs.cancel(run.id, user_id=run.user_id)


async def cancelled(call: Call) -> Response:
    """The run after the wish to stop it; one that has ended is returned as it is."""
    return row(run_row(await call.parts.runs.cancel(call.id, user_id=call.user_id)))
