"""The learner's stream: the events of all of one's runs over one connection."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from starlette.responses import Response

from sprout.runs.bus import News
from sprout.runs.multiplex import Told
from sprout.web.bodies import Cursors, Nothing
from sprout.web.endpoint import Call
from sprout.web.open_streams import Reader
from sprout.web.sse import CURSOR_MAX_DIGITS, FRAMES_KEPT, EventStream, retry_head

CURSOR_MAX_CHARACTERS = 20_000
_CURSOR = re.compile(rf"[A-Za-z0-9._-]{{1,100}}:[0-9]{{1,{CURSOR_MAX_DIGITS}}}")


async def followed(call: Call[Cursors, Nothing]) -> Response:
    """The caller's runs as one stream: `root:seq,root:seq` is a cursor, and the id of every stored event."""
    cursors = cursors_of(call.request.headers.get("last-event-id"), call.query.after)
    return EventStream(
        call.parts.runs.follow_learner(call.user_id, cursors, on=call.query.follow == "true"),
        told_frame,
        limits=call.parts.limits,
        counted=counted(call),
        headers={},
        named={"user": call.user_id},
    )


def cursors_of(header: str | None, parameter: str | None) -> dict[str, int] | None:
    """By root run the number after which a client wants to go on; None where what it says cannot be read.

    The header is the newer of the two: a browser that reconnects keeps the address and adds the header.
    """
    text = (header or parameter or "").strip()
    if not text:
        return {}
    places = text.split(",") if len(text) <= CURSOR_MAX_CHARACTERS else [""]
    if not all(_CURSOR.fullmatch(place) for place in places):
        return None
    return {root_id: int(seq) for root_id, _, seq in (place.partition(":") for place in places)}


def told_frame(told: Told) -> bytes:
    """One SSE frame: a stored event carries the cursor of all runs as id, and every event its run as `rootId`."""
    return f"id: {told.cursor}\n".encode() + _body(told.news) if told.cursor else _body(told.news)


@lru_cache(maxsize=FRAMES_KEPT)
def _body(news: News) -> bytes:
    """All but the id, with `rootId` as the first member, null where the event is of no run; made once for all."""
    rest = news.data[1:] if news.data == "{}" else f",{news.data[1:]}"
    return (
        f'{retry_head(news)}event: {news.kind}\ndata: {{"rootId":{json.dumps(news.root_id or None)}{rest}\n\n'.encode()
    )


@contextmanager
def counted(call: Call[Any, Any]) -> Iterator[None]:
    """Held while a stream of this caller is open. Raises TooManyStreams, before the stream begins."""
    with call.parts.streams.another(_reader(call)), call.parts.metrics.stream():
        yield


def refuse_one_too_many(call: Call[Any, Any]) -> None:
    """For what must not be done if its stream has no room afterwards. Raises TooManyStreams."""
    call.parts.streams.refuse_one_too_many(_reader(call))


def _reader(call: Call[Any, Any]) -> Reader:
    client, limits = call.request.client, call.parts.limits
    return Reader(call.user_id, client.host if client else "", limits.streams_per_learner, limits.streams_per_address)
