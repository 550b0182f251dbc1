"""What is known of a view after a compaction, as JSON that refers to the transcript instead of repeating it.

Blocks are told apart by identity, so each is written once: as its number in the transcript, or, where a compaction has
made it, as the negative number of its place in a table of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.loop.estimate import Learned
from sprout.loop.excerpt import Excerpt, Kept, Pin
from sprout.loop.kept import KeptUnreadable, as_json, block_as_data, block_from_data, json_from
from sprout.loop.model import Block, Message, ToolResult
from sprout.loop.strategy import AFTER_TOO_LONG, Rung, Stood

FORM = 1


@dataclass(frozen=True, slots=True)
class KeptView:
    """All that makes up a view.

    Args:
        taken: how many messages of the transcript are in the excerpt.
        settled: messages taken and iteration of the last compaction, after which there is none until either changes.
        overflow: the iteration of the last view that was too long, and the rungs that are left for it.
        flushed: results that the learner's memory has already.
    """

    taken: int
    excerpt: Excerpt
    window: int
    stood: Stood = Stood()
    learned: Learned | None = None
    settled: tuple[int, int] | None = None
    overflow: tuple[int, tuple[Rung, ...]] | None = None
    flushed: tuple[ToolResult, ...] = ()


def view_as_json(view: KeptView, transcript: Sequence[Message]) -> str:
    """The view as one line of JSON; it stays good while messages are added to the transcript."""
    blocks = _Written(transcript)
    learned = view.learned
    told: dict[str, JsonValue] = {
        "form": FORM,
        "taken": view.taken,
        "window": view.window,
        "ladder": [view.stood.recoveries, view.stood.compacted_at, view.stood.pruned_at],
        "learned": None if learned is None else [learned.factor, learned.overhead, *(learned.anchor or (None, None))],
        "settled": None if view.settled is None else [*view.settled],
        "overflow": None if view.overflow is None else [view.overflow[0], [*view.overflow[1]]],
        "flushed": [blocks.number(result) for result in view.flushed],
        "excerpt": blocks.excerpt(view.excerpt),
    }
    return as_json({**told, "made": blocks.made})


def view_from_json(text: str, transcript: Sequence[Message]) -> KeptView:
    """The view again, for a transcript that begins as it did then. Raises KeptUnreadable."""
    match json_from(text):
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
            blocks = _Read(transcript, made)
            return KeptView(
                taken,
                blocks.excerpt(excerpt),
                window,
                Stood(recoveries, compacted_at, pruned_at),
                _learned(learned),
                _settled(settled),
                _overflow(overflow),
                tuple(block for block in blocks.all(flushed) if isinstance(block, ToolResult)),
            )
        case {"form": form} if form != FORM:
            raise KeptUnreadable(f"a view of form {form!r} is not known here; this is form {FORM}")
        case _:
            raise KeptUnreadable("this is no view of this transcript")


class _Written:
    def __init__(self, transcript: Sequence[Message]) -> None:
        blocks = (block for message in transcript for block in message.content)
        self._alive: list[Block] = []  # what is numbered by its identity must not go away meanwhile
        self._numbers = {id(block): number for number, block in enumerate(blocks)}
        self.made: list[JsonValue] = []

    def number(self, block: Block) -> int:
        number = self._numbers.get(id(block))
        if number is None:
            self._alive.append(block)
            self.made.append(block_as_data(block))
            number = self._numbers[id(block)] = -len(self.made)
        return number

    def all(self, blocks: Sequence[Block]) -> list[JsonValue]:
        return [self.number(block) for block in blocks]

    def message(self, message: Message) -> JsonValue:
        return [message.role, *self.all(message.content)]

    def excerpt(self, excerpt: Excerpt) -> JsonValue:
        return {
            "task": self.all(excerpt.task),
            "asked": self.all(excerpt.asked),
            "question": excerpt.question,
            "kept": [self._kept(item) for item in excerpt.kept],
            "gone": [self.message(message) for message in excerpt.gone],
            "told": excerpt.told,
            "summary": excerpt.summary,
            "pins": [[pin.tool, pin.text] for pin in excerpt.pins],
            "deep": excerpt.deep,
            "head_bytes": excerpt.head_bytes,
        }

    def _kept(self, item: Kept) -> JsonValue:
        return [self.message(item.sent)] if item.was is item.sent else [self.message(item.sent), self.message(item.was)]


class _Read:
    def __init__(self, transcript: Sequence[Message], made: Sequence[JsonValue]) -> None:
        self._blocks = [block for message in transcript for block in message.content]
        self._made = [block_from_data(data) for data in made]

    def all(self, numbers: Sequence[JsonValue]) -> tuple[Block, ...]:
        return tuple(self._block(number) for number in numbers)

    def excerpt(self, data: dict[str, JsonValue]) -> Excerpt:
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
                return Excerpt(
                    task=self.all(task),
                    asked=self.all(asked),
                    question=question,
                    kept=tuple(self._kept(item) for item in kept),
                    gone=tuple(self._message(message) for message in gone),
                    told=told,
                    summary=summary,
                    pins=tuple(_pin(pin) for pin in pins),
                    deep=deep,
                    head_bytes=head_bytes,
                )
            case _:
                raise KeptUnreadable("this is no excerpt")

    def _block(self, number: JsonValue) -> Block:
        blocks, at = self._blocks, number
        if isinstance(number, int) and number < 0:
            blocks, at = self._made, -number - 1
        if not isinstance(at, int) or at >= len(blocks):
            raise KeptUnreadable(f"there is no block {number!r}")
        return blocks[at]

    def _message(self, data: JsonValue) -> Message:
        match data:
            case ["user", *numbers]:
                return Message("user", self.all(numbers))
            case ["assistant", *numbers]:
                return Message("assistant", self.all(numbers))
            case _:
                raise KeptUnreadable("this is no message of a view")

    def _kept(self, data: JsonValue) -> Kept:
        match data:
            case [sent]:
                message = self._message(sent)
                return Kept(message, message)
            case [sent, was]:
                return Kept(self._message(sent), self._message(was))
            case _:
                raise KeptUnreadable("a message of a view is kept as it is sent and as it was")


def _pin(data: JsonValue) -> Pin:
    match data:
        case [str(tool), str(text)]:
            return Pin(tool, text)
        case _:
            raise KeptUnreadable("this is no pinned result")


def _learned(data: JsonValue) -> Learned | None:
    match data:
        case None:
            return None
        case [int() | float() as factor, int() | float() as overhead, None, None]:
            return Learned(factor, overhead, None)
        case [int() | float() as factor, int() | float() as overhead, int(words), int() | float() as tokens]:
            return Learned(factor, overhead, (words, tokens))
        case _:
            raise KeptUnreadable("this is not what an estimator learns")


def _settled(data: JsonValue) -> tuple[int, int] | None:
    match data:
        case None:
            return None
        case [int(taken), int(iteration)]:
            return taken, iteration
        case _:
            raise KeptUnreadable("a view is settled at a message and an iteration")


def _overflow(data: JsonValue) -> tuple[int, tuple[Rung, ...]] | None:
    match data:
        case None:
            return None
        case [int(iteration), list(names)]:
            left = AFTER_TOO_LONG[-len(names) :] if names else ()
            if [*left] == names:
                return iteration, left
    raise KeptUnreadable("these are no rungs that are left")
