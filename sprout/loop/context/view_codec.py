"""View codec: the state of a compacted view as JSON that refers to the transcript instead of repeating it.

Blocks are distinguished by identity, so each is written once: as its number in the transcript, or, where a compaction
has made it, as the negative number of its place in a table of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.loop.context.compacted import CompactedTranscript, PinnedResult, SentMessage
from sprout.loop.context.estimate import Calibration
from sprout.loop.context.strategy import OVERFLOW_STEPS, CompactionStep, RecoveryState
from sprout.loop.encoding.message_codec import DecodingError, block_as_data, block_from_data, parse_json, to_json
from sprout.loop.model import Block, Message, ToolResult

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class ViewState:
    """Everything that makes up a view.

    Args:
        included: how many messages of the transcript the view covers.
        settled_at: messages covered and iteration at the last compaction; there is no other until one of them changes.
        overflow: the iteration of the last view that was too long, and the rungs that are left for it.
        flushed: results that the learner's memory has already.
    """

    included: int
    compacted: CompactedTranscript
    window: int
    recovery: RecoveryState = RecoveryState()
    calibration: Calibration | None = None
    settled_at: tuple[int, int] | None = None
    overflow: tuple[int, tuple[CompactionStep, ...]] | None = None
    flushed: tuple[ToolResult, ...] = ()


def view_as_json(view: ViewState, transcript: Sequence[Message]) -> str:
    """The view as one line of JSON; it stays good while messages are added to the transcript."""
    blocks = _Encoder(transcript)
    learned = view.calibration
    told: dict[str, JsonValue] = {
        "form": FORMAT_VERSION,
        "taken": view.included,
        "window": view.window,
        "ladder": [view.recovery.recoveries, view.recovery.compacted_at, view.recovery.pruned_at],
        "learned": None if learned is None else [learned.factor, learned.overhead, *(learned.anchor or (None, None))],
        "settled": None if view.settled_at is None else [*view.settled_at],
        "overflow": None if view.overflow is None else [view.overflow[0], [*view.overflow[1]]],
        "flushed": [blocks.number(result) for result in view.flushed],
        "excerpt": blocks.compacted(view.compacted),
    }
    return to_json({**told, "made": blocks.new_blocks})


def view_from_json(text: str, transcript: Sequence[Message]) -> ViewState:
    """The view again, for a transcript that begins as it did then. Raises DecodingError."""
    match parse_json(text):
        case {
            "form": 1,
            "taken": int(taken),
            "window": int(window),
            "ladder": [int(recoveries), int() | None as compacted_at, int() | None as pruned_at],
            "learned": learned,
            "settled": settled,
            "overflow": overflow,
            "flushed": list(flushed),
            "excerpt": dict(excerpt),
            "made": list(made),
        } if 0 <= taken <= len(transcript) and window > 0:
            blocks = _Decoder(transcript, made)
            return ViewState(
                taken,
                blocks.compacted(excerpt),
                window,
                RecoveryState(recoveries, compacted_at, pruned_at),
                _calibration(learned),
                _settled_at(settled),
                _overflow(overflow),
                tuple(block for block in blocks.all(flushed) if isinstance(block, ToolResult)),
            )
        case {"form": form} if form != FORMAT_VERSION:
            raise DecodingError(f"a view of form {form!r} is not known here; this is form {FORMAT_VERSION}")
        case _:
            raise DecodingError("this is no view of this transcript")


class _Encoder:
    def __init__(self, transcript: Sequence[Message]) -> None:
        blocks = (block for message in transcript for block in message.content)
        self._alive: list[Block] = []  # what is numbered by its identity must not go away meanwhile
        self._numbers = {id(block): number for number, block in enumerate(blocks)}
        self.new_blocks: list[JsonValue] = []

    def number(self, block: Block) -> int:
        number = self._numbers.get(id(block))
        if number is None:
            self._alive.append(block)
            self.new_blocks.append(block_as_data(block))
            number = self._numbers[id(block)] = -len(self.new_blocks)
        return number

    def all(self, blocks: Sequence[Block]) -> list[JsonValue]:
        return [self.number(block) for block in blocks]

    def message(self, message: Message) -> JsonValue:
        return [message.role, *self.all(message.content)]

    def compacted(self, excerpt: CompactedTranscript) -> JsonValue:
        return {
            "task": self.all(excerpt.task),
            "asked": self.all(excerpt.request),
            "question": excerpt.preceding_reply,
            "kept": [self._sent_message(item) for item in excerpt.items],
            "gone": [self.message(message) for message in excerpt.removed],
            "told": excerpt.summarised_count,
            "summary": excerpt.summary,
            "pins": [[pin.tool, pin.text] for pin in excerpt.pins],
            "deep": excerpt.deep_pruned,
            "head_bytes": excerpt.head_bytes,
        }

    def _sent_message(self, item: SentMessage) -> JsonValue:
        return (
            [self.message(item.sent)]
            if item.original is item.sent
            else [self.message(item.sent), self.message(item.original)]
        )


class _Decoder:
    def __init__(self, transcript: Sequence[Message], made: Sequence[JsonValue]) -> None:
        self._blocks = [block for message in transcript for block in message.content]
        self._new_blocks = [block_from_data(data) for data in made]

    def all(self, numbers: Sequence[JsonValue]) -> tuple[Block, ...]:
        return tuple(self._block(number) for number in numbers)

    def compacted(self, data: dict[str, JsonValue]) -> CompactedTranscript:
        match data:
            case {
                "task": list(task),
                "asked": list(asked),
                "question": str(question),
                "kept": list(kept),
                "gone": list(gone),
                "told": int(told),
                "summary": str() | None as summary,
                "pins": list(pins),
                "deep": bool(deep),
                "head_bytes": int() | None as head_bytes,
            } if 0 <= told <= len(gone):
                return CompactedTranscript(
                    task=self.all(task),
                    request=self.all(asked),
                    preceding_reply=question,
                    items=tuple(self._sent_message(item) for item in kept),
                    removed=tuple(self._message(message) for message in gone),
                    summarised_count=told,
                    summary=summary,
                    pins=tuple(_pin(pin) for pin in pins),
                    deep_pruned=deep,
                    head_bytes=head_bytes,
                )
            case _:
                raise DecodingError("this is no excerpt")

    def _block(self, number: JsonValue) -> Block:
        blocks, at = self._blocks, number
        if isinstance(number, int) and number < 0:
            blocks, at = self._new_blocks, -number - 1
        if not isinstance(at, int) or at >= len(blocks):
            raise DecodingError(f"there is no block {number!r}")
        return blocks[at]

    def _message(self, data: JsonValue) -> Message:
        match data:
            case ["user", *numbers]:
                return Message("user", self.all(numbers))
            case ["assistant", *numbers]:
                return Message("assistant", self.all(numbers))
            case _:
                raise DecodingError("this is no message of a view")

    def _sent_message(self, data: JsonValue) -> SentMessage:
        match data:
            case [sent]:
                message = self._message(sent)
                return SentMessage(message, message)
            case [sent, was]:
                return SentMessage(self._message(sent), self._message(was))
            case _:
                raise DecodingError("a message of a view is kept as it is sent and as it was")


def _pin(data: JsonValue) -> PinnedResult:
    match data:
        case [str(tool), str(text)]:
            return PinnedResult(tool, text)
        case _:
            raise DecodingError("this is no pinned result")


def _calibration(data: JsonValue) -> Calibration | None:
    match data:
        case None:
            return None
        case [int() | float() as factor, int() | float() as overhead, None, None]:
            return Calibration(factor, overhead, None)
        case [int() | float() as factor, int() | float() as overhead, int(words), int() | float() as tokens]:
            return Calibration(factor, overhead, (words, tokens))
        case _:
            raise DecodingError("this is not what an estimator learns")


def _settled_at(data: JsonValue) -> tuple[int, int] | None:
    match data:
        case None:
            return None
        case [int(taken), int(iteration)]:
            return taken, iteration
        case _:
            raise DecodingError("a view is settled at a message and an iteration")


def _overflow(data: JsonValue) -> tuple[int, tuple[CompactionStep, ...]] | None:
    match data:
        case None:
            return None
        case [int(iteration), list(names)]:
            left = OVERFLOW_STEPS[-len(names) :] if names else ()
            if [*left] == names:
                return iteration, left
    raise DecodingError("these are no rungs that are left")
