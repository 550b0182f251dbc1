"""How much of the window a view takes: counted offline, and corrected by what the API reports."""

import json
import math
import struct
from base64 import b64decode
from binascii import Error as BadBase64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sprout.events import Usage
from sprout.loop.model import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolSpec, ToolUse
from sprout.loop.tokens import count_tokens

START_FACTOR = 1.35  # how many more tokens current models make of a text than cl100k_base does
LEAST_FACTOR, MOST_FACTOR = 0.5, 3.0  # beyond these a report is not believed
TELLING_WORDS = 500  # reports that lie less apart say nothing of the factor

MESSAGE_TOKENS = 4
CALL_TOKENS = 12
TOOL_TOKENS = 12
TOOLS_TOKENS = 300  # what a provider says about tools in general, as soon as there are any

PIXELS_PER_TOKEN = 750
LONGEST_EDGE = 2_576
MOST_IMAGE_TOKENS = 4_784
UNREADABLE_IMAGE_TOKENS = 1_600

COUNTED_WHOLE = 200_000  # characters; of a longer text only slices are counted
SLICES = 20

_HEADER_CHARACTERS = 88_000  # of base64: a JPEG may carry a thumbnail of 64 KB before its size
_PNG = b"\x89PNG\r\n\x1a\n"
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD8)})


@dataclass(frozen=True, slots=True)
class Size:
    """What something weighs: cl100k_base tokens of its words, and the provider's tokens of its pictures."""

    words: int = 0
    pictures: int = 0

    def plus(self, other: "Size") -> "Size":
        return Size(self.words + other.words, self.pictures + other.pictures)

    def minus(self, other: "Size") -> "Size":
        return Size(self.words - other.words, self.pictures - other.pictures)


@dataclass(frozen=True, slots=True)
class Learned:
    """The line that an estimator takes tokens for: slope, height, and the words and tokens of the last report."""

    factor: float
    overhead: float
    anchor: tuple[int, float] | None


class Estimator:
    """Sizes of messages, each block counted once, and the tokens that a provider will make of them.

    Tokens are taken for a straight line: what stands before the messages, plus a factor times their words. The last
    report lies on the line, and two reports that are far enough apart give its slope.

    Args:
        fixed_tokens: cl100k_base tokens of system prompt and tools, as `fixed_tokens` counts them.
    """

    def __init__(self, fixed_tokens: int) -> None:
        self.factor = START_FACTOR
        self._fixed = fixed_tokens
        self._overhead = START_FACTOR * fixed_tokens
        self._anchor: tuple[int, float] | None = None
        # By identity: blocks are frozen but not all can be hashed. Holding the block keeps its id from being reused.
        self._counted: dict[int, tuple[Block, Size]] = {}

    def size(self, messages: Iterable[Message]) -> Size:
        """The size of some messages together."""
        words = pictures = 0
        for message in messages:
            words += MESSAGE_TOKENS
            for block in message.content:
                size = self._of(block)
                words += size.words
                pictures += size.pictures
        return Size(words, pictures)

    def tokens(self, size: Size) -> int:
        """What the provider will probably count for a request whose messages have this size."""
        return math.ceil(self._overhead + self.factor * size.words) + size.pictures

    def surplus(self, reply: Size, output_tokens: int) -> int:
        """By how much the provider counted more for a reply than its size says: thinking that is not shown."""
        return max(0, output_tokens - math.ceil(self.factor * reply.words))

    def corrected_by(self, usage: Usage, size: Size) -> None:
        """Take in what the provider counted for a request whose messages had this size; nothing where it says 0."""
        counted = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        if counted == 0 or size.words == 0:
            return
        tokens = min(float(max(counted - size.pictures, 1)), MOST_FACTOR * (self._fixed + size.words))
        if self._anchor is None:
            self._anchor = (size.words, tokens)
        elif abs(apart := size.words - self._anchor[0]) >= TELLING_WORDS:
            self.factor = _believable((tokens - self._anchor[1]) / apart)
            self._anchor = (size.words, tokens)
        if tokens < self.factor * size.words:
            self.factor = _believable(tokens / size.words)
        self._overhead = max(0.0, tokens - self.factor * size.words)

    @property
    def learned(self) -> Learned:
        """What the reports so far have taught it."""
        return Learned(self.factor, self._overhead, self._anchor)

    def recall(self, learned: Learned) -> None:
        """Go on from what was learned before."""
        self.factor, self._overhead, self._anchor = learned.factor, learned.overhead, learned.anchor

    def forget_all_but(self, messages: Iterable[Message]) -> None:
        """Drop what was counted of blocks that are in none of these messages."""
        alive = {id(block) for message in messages for block in message.content}
        self._counted = {key: counted for key, counted in self._counted.items() if key in alive}

    def _of(self, block: Block) -> Size:
        counted = self._counted.get(id(block))
        if counted is None:
            counted = self._counted[id(block)] = (block, block_size(block))
        return counted[1]


def _believable(factor: float) -> float:
    return min(max(factor, LEAST_FACTOR), MOST_FACTOR)


def fixed_tokens(system: str, tools: Sequence[ToolSpec]) -> int:
    """The cl100k_base tokens of what stands before the messages of every request."""
    schemas = (f"{spec.name}\n{spec.description}\n{json.dumps(dict(spec.schema))}" for spec in tools)
    listed = sum(text_tokens(schema) + TOOL_TOKENS for schema in schemas)
    return text_tokens(system) + (listed + TOOLS_TOKENS if tools else 0)


def block_size(block: Block) -> Size:
    """The size of one block."""
    match block:
        case Text(text):
            return Size(text_tokens(text))
        case Thinking(text, signature):
            # The signature holds the whole thinking, of which the text is at most a summary.
            return Size(max(text_tokens(text), len(signature) // 4))
        case RedactedThinking(data):
            return Size(len(data) // 4)
        case Image():
            return Size(pictures=image_tokens(block))
        case ToolUse(_, name, given):
            return Size(CALL_TOKENS + text_tokens(name + json.dumps(dict(given), ensure_ascii=False)))
        case ToolResult(_, content):
            size = Size(CALL_TOKENS)
            for part in (Text(content),) if isinstance(content, str) else content:
                size = size.plus(block_size(part))
            return size


def text_tokens(text: str) -> int:
    """The cl100k_base tokens of a text; of a very long one estimated from slices, so that the cost has a bound."""
    if len(text) <= COUNTED_WHOLE:
        return count_tokens(text)
    each = COUNTED_WHOLE // SLICES
    step = (len(text) - each) // (SLICES - 1)
    counted = sum(count_tokens(text[at * step : at * step + each]) for at in range(SLICES))
    return math.ceil(counted * len(text) / COUNTED_WHOLE)


def image_tokens(image: Image) -> int:
    """The provider's tokens for a picture, by its width and height; a fixed number where they cannot be read.

    Source: the vision page of the Messages API's documentation (an area in pixels over 750, after scaling down).
    """
    edges = image_edges(image)
    if edges is None:
        return UNREADABLE_IMAGE_TOKENS
    scale = min(1.0, LONGEST_EDGE / max(edges))
    tokens = math.ceil(edges[0] * scale * edges[1] * scale / PIXELS_PER_TOKEN)
    return min(max(tokens, 1), MOST_IMAGE_TOKENS)


def image_edges(image: Image) -> tuple[int, int] | None:
    """Width and height in pixels as a PNG's or a JPEG's header has them; None where there is no such header."""
    try:
        head = b64decode(image.data[:_HEADER_CHARACTERS])
    except (BadBase64, ValueError):
        return None
    edges = _png_edges(head) if head.startswith(_PNG) else _jpeg_edges(head)
    return edges if edges is not None and min(edges) > 0 else None


def _png_edges(head: bytes) -> tuple[int, int] | None:
    if len(head) < 24 or head[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def _jpeg_edges(head: bytes) -> tuple[int, int] | None:
    """Walk the segments to the first frame header."""
    if not head.startswith(b"\xff\xd8"):
        return None
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        bare = marker == 0xFF or marker in _BARE_MARKERS
        at += (1 if marker == 0xFF else 2) if bare else 2 + max(2, int.from_bytes(head[at + 2 : at + 4]))
    return None
