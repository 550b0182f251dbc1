"""Compacted transcript: the messages that are sent, the ones that are gone, and how both grow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sprout.loop.context.normalisation import normalised
from sprout.loop.model import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolUse


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message as it is sent, and as it was."""

    sent: Message
    original: Message


@dataclass(frozen=True, slots=True)
class PinnedResult:
    """The latest successful result of a tool, as text."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call and its result as they were; `intact` says whether the result is still sent word for word."""

    call: ToolUse
    result: ToolResult
    intact: bool


@dataclass(frozen=True, slots=True)
class CompactedTranscript:
    """The part of a conversation that is sent.

    Once messages are removed, the first of `items` is a head made of the fields: the task, the summary, the request.

    Args:
        task: what the first user message says; it always stands first.
        request: the person's last words before this run, unless they are the task.
        preceding_reply: the model's words right before that.
        removed: messages that are no longer sent, as they were, in order.
        summarised_count: how many of them the summary covers.
        deep_pruned: whether the last cut was the deep one of the ladder.
        head_bytes: to which length each part of the head but the task is cut; None: to none.
    """

    task: tuple[Block, ...] = ()
    request: tuple[Block, ...] = ()
    preceding_reply: str = ""
    items: tuple[SentMessage, ...] = ()
    removed: tuple[Message, ...] = ()
    summarised_count: int = 0
    summary: str | None = None
    pins: tuple[PinnedResult, ...] = ()
    deep_pruned: bool = False
    head_bytes: int | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(item.sent for item in self.items)

    @property
    def first_removable(self) -> int:
        """Index of the first message that may be removed: after the task or the head."""
        return 1 if self.items and self.items[0].sent.role == "user" else 0

    def cut_index(self, last: int) -> int | None:
        """Index of a cut that keeps at least `last` messages, and calls with their results; None if it cuts nothing."""
        at = max(len(self.items) - last, 0)
        if at > self.first_removable and self.items[at].sent.role == "user":
            at -= 1
        return at if at > self.first_removable else None

    def exchanges(self) -> list[Exchange]:
        """All calls with their results, the gone ones too, in order."""
        passed: list[tuple[Message, Message | None]] = [(message, None) for message in self.removed]
        return list(_exchanges(passed + [(item.original, item.sent) for item in self.items]))

    @property
    def request_is_sent(self) -> bool:
        """Whether what was asked is still sent in its own place."""
        return any(_is_one_of(block, self.request) for item in self.items[1:] for block in item.original.content)

    @property
    def opening_remainder(self) -> tuple[Block, ...]:
        """Blocks of the opening message beside the task and the request; they go when a head takes its place."""
        if self.removed or not self.first_removable:
            return ()
        own = (*self.task, *self.request)
        return tuple(block for block in _person_blocks(self.items[0].original) if not _is_one_of(block, own))


def uncompacted(transcript: Sequence[Message]) -> CompactedTranscript:
    """The transcript that leaves nothing out but thinking, which is valid only within the run that it belongs to."""
    told = [message_without_thinking(message) for message in transcript]
    messages = normalised(told)
    task = next((said for message in told if message.role == "user" and (said := _person_blocks(message))), ())
    compacted = CompactedTranscript(task=task, items=tuple(SentMessage(message, message) for message in messages))
    if not messages or messages[-1].role != "user":
        return compacted
    asked = tuple(block for block in _person_blocks(messages[-1]) if not _is_one_of(block, task))
    return replace(compacted, request=asked, preceding_reply=_text_of(messages[-2]) if len(messages) > 1 else "")


def extended(compacted: CompactedTranscript, more: Sequence[Message]) -> CompactedTranscript:
    """The transcript with messages that followed; what stood before them stays as it is."""
    kept = compacted.items
    start = max(0, len(kept) - (2 if kept and kept[-1].sent.role == "user" else 1))
    fresh = normalised([item.sent for item in kept[start:]] + list(more))
    grown = [_extended_item(item, message) for item, message in zip(kept[start:], fresh, strict=False)]
    new = [SentMessage(message, message) for message in fresh[len(grown) :]]
    return replace(compacted, items=(*kept[:start], *grown, *new))


def without_thinking(compacted: CompactedTranscript) -> CompactedTranscript:
    """The transcript with no thinking in it: its signatures hold only while nothing before them changes."""
    kept: list[SentMessage] = []
    for item in compacted.items:
        sent = message_without_thinking(item.sent)
        if not sent.content:
            continue
        if kept and kept[-1].sent.role == sent.role:
            last = kept.pop()
            kept.append(SentMessage(_joined(last.sent, sent), _joined(last.original, item.original)))
        else:
            kept.append(SentMessage(sent, item.original))
    return replace(compacted, items=tuple(kept))


def _person_blocks(message: Message) -> tuple[Block, ...]:
    """Texts and images of a message: without results, and without texts that a view leaves out as empty."""
    return tuple(
        block
        for block in message.content
        if isinstance(block, Image) or (isinstance(block, Text) and block.text.strip())
    )


def _is_one_of(block: Block, blocks: Iterable[Block]) -> bool:
    return any(block is other for other in blocks)


def _text_of(message: Message) -> str:
    return "\n".join(block.text for block in message.content if isinstance(block, Text))


def _joined(one: Message, other: Message) -> Message:
    return Message(one.role, one.content + other.content)


def _extended_item(item: SentMessage, message: Message) -> SentMessage:
    if message == item.sent:
        return item
    length = len(item.sent.content)
    if message.content[:length] == item.sent.content:
        return SentMessage(message, Message(message.role, item.original.content + message.content[length:]))
    return SentMessage(message, message)


def message_without_thinking(message: Message) -> Message:
    """The message without thinking; the same one where it has none."""
    blocks = blocks_without_thinking(message.content)
    return message if len(blocks) == len(message.content) else Message(message.role, blocks)


def blocks_without_thinking(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks that are no thinking."""
    return tuple(block for block in blocks if not isinstance(block, (Thinking, RedactedThinking)))


def _exchanges(passed: Sequence[tuple[Message, Message | None]]) -> Iterator[Exchange]:
    calls: dict[str, ToolUse] = {}
    for was, sent in passed:
        if was.role == "assistant":
            calls = {block.id: block for block in was.content if isinstance(block, ToolUse)}
            continue
        for block in was.content:
            if isinstance(block, ToolResult) and (call := calls.get(block.call_id)) is not None:
                yield Exchange(call, block, sent is not None and any(block == other for other in sent.content))
