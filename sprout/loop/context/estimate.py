"""Token estimates of a view: counted offline, and corrected by what the API reports."""

import json
import math
from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO

from sprout.events import Usage
from sprout.loop.context.tokenizer import count_tokens
from sprout.loop.model import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolSpec, ToolUse

START_FACTOR = 1.35  # how many more tokens current models make of a text than cl100k_base does
MIN_FACTOR, MAX_FACTOR = 0.5, 3.0  # beyond these a report is not believed
MIN_CALIBRATION_WORDS = 500  # reports that lie less apart say nothing of the factor

MESSAGE_TOKENS = 4
CALL_TOKENS = 12
TOOL_TOKENS = 12
TOOLS_TOKENS = 300  # what a provider says about tools in general, as soon as there are any

PIXELS_PER_TOKEN = 750
LONGEST_EDGE = 2_576
MAX_IMAGE_TOKENS = 4_784
UNREADABLE_IMAGE_TOKENS = 1_600

EXACT_COUNT_CHARACTERS = 200_000  # characters; of a longer text only slices are counted
SLICES = 20

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Size:
    """Size of content: cl100k_base tokens of its words, and the provider's tokens of its pictures."""

    words: int = 0
    pictures: int = 0

    def plus(self, other: "Size") -> "Size":
        return Size(self.words + other.words, self.pictures + other.pictures)

    def minus(self, other: "Size") -> "Size":
        return Size(self.words - other.words, self.pictures - other.pictures)


@dataclass(frozen=True, slots=True)
class Calibration:
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
                size = self._size_of(block)
                words += size.words
                pictures += size.pictures
        return Size(words, pictures)

    def tokens(self, size: Size) -> int:
        """Estimated tokens that the provider will count for a request whose messages have this size."""
        return math.ceil(self._overhead + self.factor * size.words) + size.pictures

    def surplus(self, reply: Size, output_tokens: int) -> int:
        """By how much the provider counted more for a reply than its size says: thinking that is not shown."""
        return max(0, output_tokens - math.ceil(self.factor * reply.words))

    def calibrate(self, usage: Usage, size: Size) -> None:
        """Take in what the provider counted for a request whose messages had this size; nothing where it says 0."""
        counted = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        if counted == 0 or size.words == 0:
            return
        tokens = min(float(max(counted - size.pictures, 1)), MAX_FACTOR * (self._fixed + size.words))
        if self._anchor is None:
            self._anchor = (size.words, tokens)
        elif abs(apart := size.words - self._anchor[0]) >= MIN_CALIBRATION_WORDS:
            self.factor = _clamped_factor((tokens - self._anchor[1]) / apart)
            self._anchor = (size.words, tokens)
        if tokens < self.factor * size.words:
            self.factor = _clamped_factor(tokens / size.words)
        self._overhead = max(0.0, tokens - self.factor * size.words)

    @property
    def calibration(self) -> Calibration:
        """Calibration by the reports so far."""
        return Calibration(self.factor, self._overhead, self._anchor)

    def restore(self, calibration: Calibration) -> None:
        """Go on from what was learned before."""
        self.factor, self._overhead, self._anchor = calibration.factor, calibration.overhead, calibration.anchor

    def forget_except(self, messages: Iterable[Message]) -> None:
        """Drop what was counted of blocks that are in none of these messages."""
        alive = {id(block) for message in messages for block in message.content}
        self._counted = {key: counted for key, counted in self._counted.items() if key in alive}

    def _size_of(self, block: Block) -> Size:
        counted = self._counted.get(id(block))
        if counted is None:
            counted = self._counted[id(block)] = (block, block_size(block))
        return counted[1]


def _clamped_factor(factor: float) -> float:
    return min(max(factor, MIN_FACTOR), MAX_FACTOR)


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
    if len(text) <= EXACT_COUNT_CHARACTERS:
        return count_tokens(text)
    each = EXACT_COUNT_CHARACTERS // SLICES
    step = (len(text) - each) // (SLICES - 1)
    counted = sum(count_tokens(text[at * step : at * step + each]) for at in range(SLICES))
    return math.ceil(counted * len(text) / EXACT_COUNT_CHARACTERS)


def image_tokens(image: Image) -> int:
    """The provider's tokens for a picture, by its width and height; a fixed number where they cannot be read.

    Source: the vision page of the Messages API's documentation (an area in pixels over 750, after scaling down).
    """
    edges = image_edges(image)
    if edges is None:
        return UNREADABLE_IMAGE_TOKENS
    scale = min(1.0, LONGEST_EDGE / max(edges))
    tokens = math.ceil(edges[0] * scale * edges[1] * scale / PIXELS_PER_TOKEN)
    return min(max(tokens, 1), MAX_IMAGE_TOKENS)


def image_edges(image: Image) -> tuple[int, int] | None:
    """Width and height in pixels as a PNG's or a JPEG's header has them; None without a readable header.

    No pixel is decoded. Pillow's two readers are called directly, as `PIL.Image.open` would refuse a picture of more
    pixels than it is safe to decode, and would try every other format.
    """
    from PIL.JpegImagePlugin import JpegImageFile
    from PIL.PngImagePlugin import PngImageFile

    try:
        data = b64decode(image.data)
        reader = PngImageFile if data.startswith(_PNG) else JpegImageFile
        width, height = reader(BytesIO(data)).size
    except (SyntaxError, OSError, ValueError):  # what Pillow raises for a broken file; ValueError: no base64 either
        return None
    return width, height
