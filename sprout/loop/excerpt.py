"""What is sent of a conversation, and what of it is gone: data, and how it grows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sprout.loop.model import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from sprout.loop.view import normalised


@dataclass(frozen=True, slots=True)
class Kept:
    """A message as it is sent, and as it was."""

    sent: Message
    was: Message


@dataclass(frozen=True, slots=True)
class Pin:
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
class Excerpt:
    """What is sent of a conversation.

    Once messages are gone, the first of `kept` is a head made of the fields: the task, the record, what was asked.

    Args:
        task: what the first user message says; it always stands first.
        asked: what the person said last before this run, where that is not the task.
        question: what the model had said right before that.
        gone: messages that are no longer sent, as they were, in order.
        told: how many of them the summary tells of.
        deep: whether the last cut was the deep one of the ladder.
        head_bytes: to which length each part of the head but the task is cut; None: to none.
    """

    task: tuple[Block, ...] = ()
    asked: tuple[Block, ...] = ()
    question: str = ""
    kept: tuple[Kept, ...] = ()
    gone: tuple[Message, ...] = ()
    told: int = 0
    summary: str | None = None
    pins: tuple[Pin, ...] = ()
    deep: bool = False
    head_bytes: int | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(item.sent for item in self.kept)

    @property
    def first(self) -> int:
        """Where the messages begin that may go: after the task or the head."""
        return 1 if self.kept and self.kept[0].sent.role == "user" else 0

    def cut_keeping(self, last: int) -> int | None:
        """Where to cut so that at least the `last` messages stay and no pair is parted; None: nothing would go."""
        at = max(len(self.kept) - last, 0)
        if at > self.first and self.kept[at].sent.role == "user":
            at -= 1
        return at if at > self.first else None

    def exchanges(self) -> list[Exchange]:
        """All calls with their results, the gone ones too, in order."""
        passed: list[tuple[Message, Message | None]] = [(message, None) for message in self.gone]
        return list(_exchanges(passed + [(item.was, item.sent) for item in self.kept]))

    @property
    def asked_stands(self) -> bool:
        """Whether what was asked is still sent in its own place."""
        return any(_is_one_of(block, self.asked) for item in self.kept[1:] for block in item.was.content)

    @property
    def beside_the_task(self) -> tuple[Block, ...]:
        """What else was said in the message that the task stands in, and goes when a head takes its place."""
        if self.gone or not self.first:
            return ()
        own = (*self.task, *self.asked)
        return tuple(block for block in _said(self.kept[0].was) if not _is_one_of(block, own))


def begun(transcript: Sequence[Message]) -> Excerpt:
    """The excerpt that leaves nothing out but thinking, which is valid only within the run that it belongs to."""
    told = [bare_of_thinking(message) for message in transcript]
    messages = normalised(told)
    task = next((said for message in told if message.role == "user" and (said := _said(message))), ())
    excerpt = Excerpt(task=task, kept=tuple(Kept(message, message) for message in messages))
    if not messages or messages[-1].role != "user":
        return excerpt
    asked = tuple(block for block in _said(messages[-1]) if not _is_one_of(block, task))
    return replace(excerpt, asked=asked, question=_words(messages[-2]) if len(messages) > 1 else "")


def extended(excerpt: Excerpt, more: Sequence[Message]) -> Excerpt:
    """The excerpt with messages that followed; what stood before them stays as it is."""
    kept = excerpt.kept
    start = max(0, len(kept) - (2 if kept and kept[-1].sent.role == "user" else 1))
    fresh = normalised([item.sent for item in kept[start:]] + list(more))
    grown = [_grown(item, message) for item, message in zip(kept[start:], fresh, strict=False)]
    new = [Kept(message, message) for message in fresh[len(grown) :]]
    return replace(excerpt, kept=(*kept[:start], *grown, *new))


def without_thinking(excerpt: Excerpt) -> Excerpt:
    """The excerpt with no thinking in it: its signatures hold only while nothing before them changes (H2)."""
    kept: list[Kept] = []
    for item in excerpt.kept:
        sent = bare_of_thinking(item.sent)
        if not sent.content:
            continue
        if kept and kept[-1].sent.role == sent.role:
            last = kept.pop()
            kept.append(Kept(_joined(last.sent, sent), _joined(last.was, item.was)))
        else:
            kept.append(Kept(sent, item.was))
    return replace(excerpt, kept=tuple(kept))


def _said(message: Message) -> tuple[Block, ...]:
    """What a person says in a message: without results, and without texts that a view leaves out as empty."""
    return tuple(
        block
        for block in message.content
        if isinstance(block, Image) or (isinstance(block, Text) and block.text.strip())
    )


def _is_one_of(block: Block, blocks: Iterable[Block]) -> bool:
    return any(block is other for other in blocks)


def _words(message: Message) -> str:
    return "\n".join(block.text for block in message.content if isinstance(block, Text))


def _joined(one: Message, other: Message) -> Message:
    return Message(one.role, one.content + other.content)


def _grown(item: Kept, message: Message) -> Kept:
    if message == item.sent:
        return item
    length = len(item.sent.content)
    if message.content[:length] == item.sent.content:
        return Kept(message, Message(message.role, item.was.content + message.content[length:]))
    return Kept(message, message)


def bare_of_thinking(message: Message) -> Message:
    """The message without thinking; the same one where it has none."""
    blocks = tuple(block for block in message.content if not isinstance(block, (Thinking, RedactedThinking)))
    return message if len(blocks) == len(message.content) else Message(message.role, blocks)


def _exchanges(passed: Sequence[tuple[Message, Message | None]]) -> Iterator[Exchange]:
    calls: dict[str, ToolUse] = {}
    for was, sent in passed:
        if was.role == "assistant":
            calls = {block.id: block for block in was.content if isinstance(block, ToolUse)}
            continue
        for block in was.content:
            if isinstance(block, ToolResult) and (call := calls.get(block.call_id)) is not None:
                yield Exchange(call, block, sent is not None and any(block == other for other in sent.content))
