"""Recorded model: a ChatModel that looks for each reply on disk before it asks for it."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing

from sprout.evaluation.replies.reply_store import ReplyStore, StoredReply, request_key
from sprout.evaluation.replies.spending import Spending
from sprout.evaluation.suite import NamedModel
from sprout.events import Usage
from sprout.loop.model import BlockDone, ModelRequest, ReplyEnded, ReplyPart, UsagePart


class RecordedModel:
    """A model as one item calls it: within the budget, and never twice for the same.

    `usage` and `calls` are those of the item so far.

    Args:
        store: None where replies are not kept, as those of the built-in model, which change with the code.
        server: which server answers.
    """

    def __init__(self, model: NamedModel, spending: Spending, store: ReplyStore | None, *, server: str) -> None:
        self._model = model
        self._spending = spending
        self._store = store
        self._server = server
        self._asked: Counter[str] = Counter()
        self.usage = Usage()
        self.calls = 0

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        key = self._next_key(request)
        kept = self._store.find(key) if self._store else None
        if kept is not None:
            self._spending.note_from_disk(kept.usage)
            self._tally(kept.usage)
            for part in kept.parts():
                yield part
            return
        blocks: list[BlockDone] = []
        async with (
            self._spending.reserve(request, self._model.traits) as call,
            aclosing(self._model.chat.reply(request)) as parts,
        ):
            async for part in parts:
                match part:
                    case BlockDone():
                        blocks.append(part)
                    case UsagePart(usage):
                        call.usage = usage
                    case ReplyEnded(stop_reason):
                        self._save(key, blocks, call.usage, stop_reason)
                        self._tally(call.usage)
                yield part

    def _next_key(self, request: ModelRequest) -> str:
        plain = request_key(request, server=self._server, repeat=0)
        self._asked[plain] += 1
        return request_key(request, server=self._server, repeat=self._asked[plain])

    def _tally(self, usage: Usage) -> None:
        self.usage, self.calls = self.usage.plus(usage), self.calls + 1

    def _save(self, key: str, blocks: list[BlockDone], usage: Usage, stop_reason: str) -> None:
        if self._store is not None:
            self._store.save(key, StoredReply(tuple(blocks), usage, stop_reason))
