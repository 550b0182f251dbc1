"""Blocks in flight in Redis: one hash per root run, from which the readers of every process get them.

A field holds a piece of a block, named `epoch:block:slot`; slot 0 holds the whole text so far as a snapshot and is
written again every `SLOTS` pieces, so that a hash stays small and one that has lost pieces becomes whole again. The
field `run:<id>` holds the `run_resumed` of a run: blocks of its older epochs are void.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sprout.engines.redis_messages import UnknownMessage, decode, encode
from sprout.engines.redis_server import Command, execute
from sprout.events import LAST_EVENT_KIND
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent
from sprout.runs.streaming.in_flight import SNAPSHOT_KIND, InFlightBlock, InFlightBlocks, resumed_epoch

if TYPE_CHECKING:
    from redis.asyncio import Redis

SLOTS = 64
EXPIRES_S = 600  # longer than any model is silent within a block; the text of a killed worker is gone by then
MAX_PENDING = 20_000


@dataclass(slots=True)
class PendingFields:
    """Fields to write by root run, None for those to delete, and the root runs whose hash is to be deleted."""

    by_root: dict[str, dict[str, str | None]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.by_root or self.ended)

    def size(self) -> int:
        return sum(map(len, self.by_root.values())) + len(self.ended)

    def set(self, root_id: str, name: str, value: str | None) -> None:
        self.by_root.setdefault(root_id, {})[name] = value

    def add_older(self, older: "PendingFields") -> None:
        """Add fields that were pending before; newer values stay."""
        for root_id, fields in older.by_root.items():
            self.by_root[root_id] = fields | self.by_root.get(root_id, {})
        self.ended |= older.ended


class RedisBlocks:
    """The in-flight blocks of this process, as fields that are to be written, and those of all processes to read."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._own = InFlightBlocks()
        self._pending = PendingFields()

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def apply(self, message: BusMessage, encoded: str) -> None:
        """Take in a message of a run that this process executes."""
        block, root_id = self._own.apply(message), message.root_id
        if isinstance(message, EphemeralEvent):
            if block is not None:
                slot = (len(block.pieces) - 1) % SLOTS
                piece = encoded if slot else encode(block.snapshot(root_id, message.block_id))
                self._pending.set(root_id, _field_name(message.block_id, block.epoch, slot), piece)
        elif block is not None:
            self._delete(root_id, message.block_id, block)
        elif message.kind == "run_resumed":
            self._pending.set(root_id, f"run:{message.run_id}", encoded)
        elif message.kind == LAST_EVENT_KIND:
            self._pending.ended.add(root_id)

    def drop_run(self, root_id: str, run_id: str) -> None:
        """Forget the blocks of a run that this process executes no more."""
        for block_id, block in self._own.remove_run(root_id, run_id).items():
            self._delete(root_id, block_id, block)

    def rewrite(self) -> None:
        """Write every block whole: Redis may have lost what was written before."""
        for root_id in self._own.root_ids:
            for snapshot in self._own.snapshots(root_id):
                self._pending.set(root_id, _field_name(snapshot.block_id, snapshot.epoch, 0), encode(snapshot))

    def take_pending(self) -> PendingFields:
        """The fields that are to be written; the caller writes or restores them."""
        taken, self._pending = self._pending, PendingFields()
        return taken

    def restore(self, taken: PendingFields) -> None:
        """Take back what could not be written."""
        self._pending.add_older(taken)
        if self._pending.size() > MAX_PENDING:
            self._pending = PendingFields()  # what is not deleted expires, what is not written is written whole soon

    def commands(self, taken: PendingFields) -> Iterator[Command]:
        """The commands that write the fields."""
        for root_id, fields in taken.by_root.items():
            key = self._key(root_id)
            if written := [part for name, value in fields.items() if value is not None for part in (name, value)]:
                yield "HSET", key, *written
                yield "EXPIRE", key, EXPIRES_S
            if deleted := [name for name, value in fields.items() if value is None]:
                yield "HDEL", key, *deleted
        for root_id in taken.ended:
            yield "DEL", self._key(root_id)

    async def snapshots(self, client: "Redis", root_id: str) -> list[EphemeralEvent]:
        """The blocks in flight of a root run, in whichever process they grow. Raises RedisError."""
        (fields,) = await execute(client, [("HGETALL", self._key(root_id))])
        return _join(_decoded(fields.values())).snapshots(root_id)

    def _delete(self, root_id: str, block_id: str, block: InFlightBlock) -> None:
        for slot in range(min(len(block.pieces), SLOTS)):
            self._pending.set(root_id, _field_name(block_id, block.epoch, slot), None)

    def _key(self, root_id: str) -> str:
        return f"{self._prefix}:text:{root_id}"


def _field_name(block_id: str, epoch: int, slot: int) -> str:
    return f"{epoch}:{block_id}:{slot}"


def _decoded(values: Iterable[str]) -> list[BusMessage]:
    """The messages among the values; those of another version are left out."""
    found = []
    for value in values:
        try:
            found.append(decode(value))
        except UnknownMessage:
            continue
    return found


def _join(messages: Sequence[BusMessage]) -> InFlightBlocks:
    """The blocks that pieces in any order add up to, as far as they join, each of its run's newest epoch."""
    newest: dict[str, int] = {}
    for one in messages:
        epoch = resumed_epoch(one) if isinstance(one, StoredEvent) else one.epoch
        newest[one.run_id] = max(epoch, newest.get(one.run_id, 0))
    pieces = [one for one in messages if isinstance(one, EphemeralEvent) and one.epoch == newest[one.run_id]]
    blocks = InFlightBlocks()
    for piece in sorted(pieces, key=lambda one: 0 if one.kind == SNAPSHOT_KIND else one.offset + 1):
        blocks.apply(piece)
    return blocks
