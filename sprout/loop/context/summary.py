"""Summaries by a small model of the messages that are about to leave the view."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from sprout.errors import ModelFailure
from sprout.events import Usage
from sprout.loop.context.estimate import START_FACTOR, Estimator, text_tokens
from sprout.loop.context.truncation import content_text, text_bytes, truncate_middle
from sprout.loop.model import Block, BlockDone, ChatModel, Image, Message, ModelRequest, ReplyEnded, Text, UsagePart
from sprout.loop.model import ToolResult as Result
from sprout.loop.model import ToolUse as Call
from sprout.loop.model_notices import notice
from sprout.loop.policy import LoopPolicy

log = logging.getLogger(__name__)

MAX_BLOCK_BYTES = 4_000  # of one text, input or result; the summary needs its sense, not its length
GROUP_TOKENS = 8_000
COMPLETE_STOP_REASONS = frozenset({"end_turn", "stop_sequence"})


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """A summary, or None where there is none to rely on; the usage counts either way."""

    text: str | None
    usage: Usage = Usage()


SummaryFunction = Callable[[Sequence[Message]], Awaitable[SummaryResult]]


def summariser(model: ChatModel, model_name: str, policy: LoopPolicy, *, window: int) -> SummaryFunction:
    """A summary by one call of a model: no retries, since there is always the cut without a summary.

    A call that fails, takes longer than `stream_idle_s` in all, is cut off or refused, or says nothing has no text.

    Args:
        window: of that model, in tokens; what does not fit is cut out of the middle.
    """
    room = max(window - policy.max_output_tokens, window // 2)

    async def summarise(messages: Sequence[Message]) -> SummaryResult:
        reply = _SummaryReader()
        request = ModelRequest(
            model=model_name,
            system=_instructions(),
            messages=(Message("user", (Text(conversation_text(messages, max_tokens=room)),)),),
            tools=(),
            max_tokens=policy.max_output_tokens,
        )
        try:
            async with asyncio.timeout(policy.stream_idle_s):
                await reply.read(model, request)
        except (ModelFailure, TimeoutError) as error:
            why = error.kind.value if isinstance(error, ModelFailure) else "timeout"
            log.warning("agent.compaction.no_summary", extra={"model": model_name, "why": why})
        return reply.result()

    return summarise


def recursive_summariser(summarise: SummaryFunction) -> SummaryFunction:
    """Summaries of groups of messages, then one of these summaries; without text if any of them has none."""

    async def recursive(messages: Sequence[Message]) -> SummaryResult:
        groups = list(_groups(messages))
        if len(groups) < 2:
            return await summarise(messages)
        usage, texts = Usage(), list[Block]()
        for group in groups:
            part = await summarise(group)
            usage = usage.plus(part.usage)
            if part.text is None:
                return SummaryResult(None, usage)
            texts.append(Text(part.text))
        whole = await summarise((Message("user", tuple(texts)),))
        return SummaryResult(whole.text, usage.plus(whole.usage))

    return recursive


def conversation_text(messages: Sequence[Message], *, max_tokens: int) -> str:
    """The messages as one fenced text that nothing in them can close, cut in the middle to about `max_tokens`."""
    lines = [line for message in messages for line in _lines(message)]
    text = "\n".join(lines)
    tokens = text_tokens(text) * START_FACTOR
    if tokens > max_tokens:
        text = truncate_middle(text, int(text_bytes(text) * max_tokens / tokens))
    return f"<conversation>\n{text}\n</conversation>"


class _SummaryReader:
    def __init__(self) -> None:
        self._texts: list[str] = []
        self._usage = Usage()
        self._complete = False

    async def read(self, model: ChatModel, request: ModelRequest) -> None:
        async with aclosing(model.reply(request)) as parts:
            async for part in parts:
                match part:
                    case BlockDone(_, Text(text)):
                        self._texts.append(text)
                    case UsagePart(usage):
                        self._usage = usage
                    case ReplyEnded(stop_reason):
                        self._complete = stop_reason in COMPLETE_STOP_REASONS

    def result(self) -> SummaryResult:
        text = "\n".join(self._texts).strip()
        return SummaryResult(text if self._complete and text else None, self._usage)


@cache
def _instructions() -> str:
    return files("sprout.loop.context").joinpath("summary.md").read_text(encoding="utf-8").strip()


def _groups(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """Neighbours of about GROUP_TOKENS; a new group begins only where the assistant speaks, so pairs stay together."""
    estimator = Estimator(0)
    group: list[Message] = []
    words = 0
    for message in messages:
        size = estimator.size((message,)).words
        if group and message.role == "assistant" and words + size > GROUP_TOKENS:
            yield tuple(group)
            group, words = [], 0
        group.append(message)
        words += size
    if group:
        yield tuple(group)


def _lines(message: Message) -> Iterator[str]:
    speaker = "person" if message.role == "user" else "assistant"
    for block in message.content:
        match block:
            case Text(text):
                yield _element(speaker, text)
            case Image():
                yield _element(speaker, notice("a_picture"))
            case Call(call_id, name, given):
                yield _element("call", f"{name} {json.dumps(dict(given), ensure_ascii=False)}", call_id)
            case Result(call_id, content, is_error):
                yield _element("error" if is_error else "result", content_text(content), call_id)


def _element(tag: str, text: str, call_id: str | None = None) -> str:
    shown = escape(truncate_middle(text, MAX_BLOCK_BYTES), quote=False)
    return f'<{tag} id="{escape(call_id)}">{shown}</{tag}>' if call_id else f"<{tag}>{shown}</{tag}>"
