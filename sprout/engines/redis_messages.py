"""Bus messages as text for Redis: a tag of format version and sort, then JSON whose unknown fields are ignored."""

from pydantic import TypeAdapter, ValidationError

from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent

TAG_LENGTH = 2
STORED, EPHEMERAL = "1s", "1e"
_STORED = TypeAdapter(StoredEvent)
_EPHEMERAL = TypeAdapter(EphemeralEvent)


class UnknownMessage(ValueError):
    """The message has an unknown tag, is damaged, or is in another run's stream; `tag` is its beginning."""

    def __init__(self, text: str) -> None:
        super().__init__(f"unknown bus message, which begins with {text[:TAG_LENGTH]!r}")
        self.tag = text[:TAG_LENGTH]


def encode(message: BusMessage) -> str:
    if isinstance(message, StoredEvent):
        return STORED + _STORED.dump_json(message).decode()
    return EPHEMERAL + _EPHEMERAL.dump_json(message).decode()


def decode(text: str) -> BusMessage:
    """The message. Raises UnknownMessage."""
    tag, body = text[:TAG_LENGTH], text[TAG_LENGTH:]
    try:
        if tag == STORED:
            return _STORED.validate_json(body)
        if tag == EPHEMERAL:
            return _EPHEMERAL.validate_json(body)
    except ValidationError:
        pass  # as one with an unknown tag
    raise UnknownMessage(text)
