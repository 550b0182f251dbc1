"""Learner stream: the events of all of a learner's runs over one connection."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from starlette.responses import Response

from sprout.runs.streaming.bus import BusMessage
from sprout.runs.streaming.multiplex import TaggedEvent
from sprout.web.http.access_watch import while_admitted
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import Call
from sprout.web.http.open_streams import StreamClient
from sprout.web.schemas.requests import LearnerStreamQuery
from sprout.web.stream.sse import CURSOR_MAX_DIGITS, FRAME_CACHE_SIZE, EventStream, retry_field

CURSOR_MAX_CHARACTERS = 20_000
_CURSOR = re.compile(rf"[A-Za-z0-9._-]{{1,100}}:[0-9]{{1,{CURSOR_MAX_DIGITS}}}")


async def follow_learner(call: Call[Runs, LearnerStreamQuery]) -> Response:
    """The caller's runs as one stream: `root:seq,root:seq` is a cursor, and the id of every stored event."""
    cursors = parse_cursors(call.request.headers.get("last-event-id"), call.query.after)
    return EventStream(
        call.dependencies.follow_learner(call.user_id, cursors, live=call.query.follow == "true"),
        tagged_frame,
        limits=call.policy.limits,
        tracking=track_stream(call),
        headers={},
        log_fields={"user": call.user_id},
    )


def parse_cursors(header: str | None, parameter: str | None) -> dict[str, int] | None:
    """Cursors by root run, after which the client continues; None if they cannot be parsed.

    The header is newer than the parameter: a browser that reconnects keeps the address and adds the header.
    """
    text = (header or parameter or "").strip()
    if not text:
        return {}
    places = text.split(",") if len(text) <= CURSOR_MAX_CHARACTERS else [""]
    if not all(_CURSOR.fullmatch(place) for place in places):
        return None
    return {root_id: int(seq) for root_id, _, seq in (place.partition(":") for place in places)}


def tagged_frame(event: TaggedEvent) -> bytes:
    """One SSE frame: a stored event carries the cursor of all runs as id, and every event its run as `rootId`."""
    head = f"id: {event.cursor}\n".encode() if event.cursor else b""
    return head + _frame_body(event.message)


@lru_cache(maxsize=FRAME_CACHE_SIZE)
def _frame_body(message: BusMessage) -> bytes:
    """The frame without its id; `rootId` comes first, null for an event of no run. Cached for all readers."""
    rest = message.data[1:] if message.data == "{}" else f",{message.data[1:]}"
    data = f'{{"rootId":{json.dumps(message.root_id or None)}{rest}'
    return f"{retry_field(message)}event: {message.kind}\ndata: {data}\n\n".encode()


@asynccontextmanager
async def track_stream(call: Call[Any, Any, Any]) -> AsyncIterator[None]:
    """Count a stream of this caller while it is open, which it is for as long as they may have it.

    Raises TooManyStreams before it begins.
    """
    async with (
        call.policy.open_streams.track(_stream_client(call)),
        while_admitted(call.request, call.caller, call.policy.authenticate),
    ):
        yield


async def check_stream_room(call: Call[Any, Any, Any]) -> None:
    """Check before an action whose stream must open afterwards. Raises TooManyStreams."""
    await call.policy.open_streams.check_room(_stream_client(call))


def _stream_client(call: Call[Any, Any, Any]) -> StreamClient:
    client, limits = call.request.client, call.policy.limits
    return StreamClient(
        call.user_id, client.host if client else "", limits.streams_per_learner, limits.streams_per_address
    )
