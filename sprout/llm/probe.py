"""Probe of a model: a few small requests that show what it can do, within a bounded time and cost."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from sprout.clock import utc_now
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Usage
from sprout.llm.calls_in_form import reply_in_form
from sprout.llm.catalogue import catalogue
from sprout.llm.probe_requests import (
    CODE_WORD,
    FIRST_WORD,
    MANY_NUMBERS,
    NUMBERS,
    is_shelf,
    is_the_number,
    long_request,
    many_calls_request,
    nested_request,
    one_call_request,
    words_request,
)
from sprout.loop.context.estimate import Estimator
from sprout.loop.model import (
    BlockDone,
    ChatModel,
    ModelRequest,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolUse,
    UsagePart,
)
from sprout.runs.model_probes import LongPrompt, ModelProbe

PROBE_TIMEOUT_S = 50.0
CUT_SHARE = 0.75  # of a long prompt's tokens: tokenizers differ
REFUSES_TOOLS = frozenset({ModelFailureKind.BAD_REQUEST, ModelFailureKind.PROMPT_TOO_LONG})


@dataclass(slots=True)
class _Reply:
    """What has come of one reply, and when, in seconds since it was asked for."""

    pieces: list[str] = field(default_factory=list)
    calls: list[ToolUse] = field(default_factory=list)
    thought: bool = False
    usage: Usage = Usage()
    first_byte_s: float | None = None
    took_s: float = 0.0

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def take(self, part: object, now_s: float) -> None:
        if self.first_byte_s is None:
            self.first_byte_s = now_s
        match part:
            case TextPart(_, text):
                self.pieces.append(text)
            case ThinkingPart() | BlockDone(_, Thinking()):
                self.thought = True
            case BlockDone(_, ToolUse() as call):
                self.calls.append(call)
            case BlockDone(_, Text(text)) if not self.pieces:
                self.pieces.append(text)
            case UsagePart(usage):
                self.usage = usage


async def probe_model(
    model: ChatModel,
    name: str,
    address: str,
    *,
    timeout_s: float = PROBE_TIMEOUT_S,
    clock: Callable[[], float] = time.monotonic,
) -> ModelProbe:
    """The findings about a model, as far as the time reached.

    Raises ModelFailure: the server did not answer at all, refused the key, or is overloaded: nothing was found out.
    """
    run = _Probe(model, name, address, clock)
    with suppress(TimeoutError):  # what was not found out stays unknown
        async with asyncio.timeout(timeout_s):
            for step in run.steps:
                await step()
    run.count_open_reply()
    return ModelProbe(model=name, address=address, probed_at=utc_now(), usage=run.usage, **run.found)


class _Probe:
    """One probe: its steps, in the order of what a run needs most, and what they have found."""

    def __init__(self, model: ChatModel, name: str, address: str, clock: Callable[[], float]) -> None:
        self._model = model
        self._name = name
        self._clock = clock
        self._open: _Reply | None = None
        self._in_form = False
        self.found: dict[str, Any] = {}
        self.usage = Usage()

    @property
    def steps(self) -> tuple[Callable[[], Awaitable[None]], ...]:
        """The questions, in the order in which they are asked."""
        calls = (self.single_calls, self.calls_in_form)
        return (*calls, self.words, self.many_calls, self.nested_input, self.long_prompt)

    def count_open_reply(self) -> None:
        """Count the reply at which the time was over."""
        if self._open is None:
            return
        self.usage = self.usage.plus(self._open.usage)
        if "first_byte_s" not in self.found and self._open.first_byte_s is not None:
            self._measure(self._open)

    async def words(self) -> None:
        """Speed, streaming, thinking, and an order of the system prompt."""
        reply = await self._ask(words_request(self._name))
        self._measure(reply)
        self.found["streams"] = len(reply.pieces) > 1
        if said := reply.text.strip():
            self.found["heeds_system"] = FIRST_WORD in said.upper()[: 4 * len(FIRST_WORD)]

    async def single_calls(self) -> None:
        """The tiny tool, offered once for each number."""
        self.found["tool_calls"] = await self._numbers_called()

    async def calls_in_form(self) -> None:
        """The same calls as one JSON object, and all that follows too, where no tool was called."""
        if not self.found["tool_calls"]:
            self._in_form = True
            self.found["calls_in_form"] = await self._numbers_called()

    async def _numbers_called(self) -> int:
        came = 0
        for number in NUMBERS:
            calls = await self._calls(one_call_request(self._name, number))
            came += any(is_the_number(call, number) for call in calls)
        return came

    @property
    def _can_call(self) -> bool:
        return bool(self.found["tool_calls"] or self.found.get("calls_in_form"))

    async def many_calls(self) -> None:
        """Three calls, asked for in one reply; in vain where single ones never came."""
        if self._can_call:
            calls = await self._calls(many_calls_request(self._name))
            self.found["calls_in_one_reply"] = sum(
                any(is_the_number(call, number) for call in calls) for number in MANY_NUMBERS
            )

    async def nested_input(self) -> None:
        if self._can_call:
            self.found["nested_input"] = any(is_shelf(call) for call in await self._calls(nested_request(self._name)))

    async def long_prompt(self) -> None:
        """A prompt of some thousand tokens, where the model's window is not known and matters."""
        if self._name in catalogue() or not self._can_call:
            return
        self.found["long_prompt"] = "slow"  # until it has come to its end
        request = long_request(self._name)
        try:
            reply = await self._ask(request)
        except ModelFailure as failure:
            if failure.kind is not ModelFailureKind.PROMPT_TOO_LONG:
                raise
            self.found |= {"long_prompt": "refused", "window": failure.window}
            return
        self.found["long_prompt"] = _long_prompt(request, reply)
        if self.found["long_prompt"] == "cut":
            self.found["window"] = _prompt_tokens(reply.usage)

    async def _calls(self, request: ModelRequest) -> list[ToolUse]:
        """The calls of the reply; none from a server that refuses tools."""
        try:
            return (await self._ask(request)).calls
        except ModelFailure as failure:
            if failure.kind in REFUSES_TOOLS:
                return []
            raise

    async def _ask(self, request: ModelRequest) -> _Reply:
        reply = self._open = _Reply()
        began_s = self._clock()
        in_form = self._in_form and bool(request.tools)
        async with aclosing(reply_in_form(self._model, request) if in_form else self._model.reply(request)) as parts:
            async for part in parts:
                reply.take(part, self._clock() - began_s)
                reply.took_s = self._clock() - began_s
        self._open, self.usage = None, self.usage.plus(reply.usage)
        if reply.thought:
            self.found["thinks"] = True
        return reply

    def _measure(self, reply: _Reply) -> None:
        """Speed of a reply, whole or not."""
        first_s = reply.first_byte_s or 0.0
        tokens = max(reply.usage.output_tokens, len(reply.text) // 4)
        self.found["first_byte_s"] = round(first_s, 3)
        self.found["tokens_per_s"] = round(tokens / max(reply.took_s - first_s, 0.001), 1)
        self.found.setdefault("thinks", False)


def _prompt_tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens


def _long_prompt(request: ModelRequest, reply: _Reply) -> LongPrompt:
    """What became of a long prompt; cut: its first words were not known, and fewer tokens than it has were counted."""
    if CODE_WORD in reply.text.upper():
        return "kept"
    estimator = Estimator(0)
    fewest = CUT_SHARE * estimator.size(request.messages).words
    return "cut" if 0 < _prompt_tokens(reply.usage) < fewest else "lost"
