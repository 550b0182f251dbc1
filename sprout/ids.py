"""Sortable ids: UUID version 7 (RFC 9562), strictly increasing within a process."""

import secrets
import threading
import time
from uuid import UUID

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A new UUIDv7 as text; later calls in this process sort after earlier ones, also within a millisecond.

    The 74 bits after the timestamp are random once per millisecond and count up by a random step after that
    (RFC 9562 §6.2, method 2), so that ids stay unguessable enough not to collide between processes.
    """
    global _last
    with _lock:
        fresh = (time.time_ns() // 1_000_000) << 74 | secrets.randbits(73)
        _last = fresh if fresh > _last else _last + 1 + secrets.randbits(32)
        value = _last
    timestamp, rest = value >> 74, value & ((1 << 74) - 1)
    random_a, random_b = rest >> 62, rest & ((1 << 62) - 1)
    return str(UUID(int=timestamp << 80 | 0x7 << 76 | random_a << 64 | 0b10 << 62 | random_b))
