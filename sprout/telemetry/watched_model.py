"""A model whose calls are noted: how long, how it ended, what it used."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from sprout.errors import ModelFailure
from sprout.events import Usage
from sprout.loop.model import ChatModel, ModelRequest, ReplyEnded, ReplyPart, UsagePart
from sprout.telemetry.story import ANSWERED, BROKE, CUT, STOPPED, ModelCall


class WatchedModel:
    """A ChatModel that tells of each call when it is over. Its time holds that of whoever reads the reply.

    Args:
        noted: is told of each call.
        tools: is given the names of the tools that a call offers.
    """

    def __init__(self, model: ChatModel, noted: Callable[[ModelCall], None], tools: set[str]) -> None:
        self._model = model
        self._noted = noted
        self._tools = tools

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        self._tools.update(tool.name for tool in request.tools)
        call = _Call(request)
        try:
            async with aclosing(self._model.reply(request)) as parts:
                async for part in parts:
                    call.take(part)
                    yield part
            call.outcome = CUT if call.stop_reason is None else ANSWERED
        except ModelFailure as failure:
            call.outcome = failure.kind.value
            raise
        except Exception:
            call.outcome = BROKE
            raise
        finally:
            self._noted(call.over())


class _Call:
    def __init__(self, request: ModelRequest) -> None:
        self.outcome = STOPPED
        self.stop_reason: str | None = None
        self._request = request
        self._usage = Usage()
        self._first_part_s: float | None = None
        self._began_ns = time.time_ns()
        self._began_s = time.monotonic()

    def take(self, part: ReplyPart) -> None:
        match part:
            case UsagePart(usage):
                self._usage = usage
            case ReplyEnded(stop_reason):
                self.stop_reason = stop_reason
            case _ if self._first_part_s is None:
                self._first_part_s = time.monotonic() - self._began_s

    def over(self) -> ModelCall:
        return ModelCall(
            model=self._request.model,
            max_tokens=self._request.max_tokens,
            outcome=self.outcome,
            stop_reason=self.stop_reason,
            usage=self._usage,
            began_ns=self._began_ns,
            duration_s=time.monotonic() - self._began_s,
            first_part_s=self._first_part_s,
        )
