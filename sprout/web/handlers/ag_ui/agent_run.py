"""Run of an agent over AG-UI: started and followed as everywhere, its events translated."""

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from ag_ui.core import CustomEvent
from ag_ui.core import Event as ClientEvent
from ag_ui.encoder import EventEncoder
from pydantic import ValidationError
from starlette.responses import Response

from sprout.events import EVENT, LAST_EVENT_KIND
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import Run
from sprout.runs.streaming.bus import BusMessage
from sprout.web.ag_ui.translation import CUSTOM_PREFIX, Translation
from sprout.web.handlers.ag_ui.thread import Thread
from sprout.web.handlers.runs import until_waiting_events
from sprout.web.http.endpoint import Call
from sprout.web.schemas.ag_ui_requests import AgentInput
from sprout.web.schemas.requests import NoFields
from sprout.web.stream.learner_stream import check_stream_room, track_stream
from sprout.web.stream.sse import EventStream

log = logging.getLogger(__name__)

_ENCODER = EventEncoder()


async def run_agent(call: Call[Thread, NoFields, AgentInput]) -> Response:
    """The stream of the run that answers the request, in the events of AG-UI; a cut connection leaves the run going."""
    await check_stream_room(call)
    thread = call.dependencies
    started = await thread.run(call.body, user_id=call.user_id)
    # The number of the last event is read before the graph, which so has at least what the events up to it say.
    run = await thread.runs.run(started.root_id, user_id=call.user_id)
    graph = None if run.branch_id is None else await thread.paths.graph(run.branch_id, user_id=call.user_id)
    translation = Translation(call.body, run, graph)

    return EventStream(
        _translated(thread, run, translation),
        _encode,
        limits=call.policy.limits,
        tracking=track_stream(call),
        headers={"X-Run-Id": run.id},
        log_fields={"run": run.id},
        opening=_encode(*translation.begin()),
        failure=lambda: _encode(*translation.cut()),
    )


async def _translated(thread: Thread, run: Run, translation: Translation) -> AsyncGenerator[list[ClientEvent], None]:
    """The events of the run in batches; the reply of a turn comes before the end, unless it was said."""
    followed = until_waiting_events(thread.runs, run, thread.runs.follow(run.root_id))
    async with aclosing(followed) as batches:
        async for batch in batches:
            events: list[ClientEvent] = []
            for message in batch:
                if message.kind == LAST_EVENT_KIND:
                    events += translation.reply(await thread.reply(run))
                events += _translate(translation, message)
            if events:
                yield events


def _translate(translation: Translation, message: BusMessage) -> list[ClientEvent]:
    """An event that an older version has stored in another form is passed on as it is."""
    data = json.loads(message.data)
    try:
        event = EVENT.validate_python({"kind": message.kind, **data})
    except ValidationError:
        log.info("ag_ui.unknown_event", extra={"run": message.root_id, "kind": message.kind})
        return [] if translation.ended else [CustomEvent(name=CUSTOM_PREFIX + message.kind, value=data)]
    return translation.translate(event, message.seq if isinstance(message, StoredEvent) else None)


def _encode(*events: ClientEvent) -> bytes:
    return "".join(map(_ENCODER.encode, events)).encode()
