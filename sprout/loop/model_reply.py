"""Reply of the model as the transcript stores it, and why it ended."""

from dataclasses import dataclass

from sprout.loop.model import Block, Text, ToolUse

CUT = "cut"
TRUNCATED = "max_tokens"
WITHHELD = "withheld"
TRUNCATED_IN_A_CALL = "max_tokens_in_a_call"


def is_substantial(block: Block) -> bool:
    """Whether a block is words or a call; a provider takes no reply that ends with anything else."""
    return isinstance(block, ToolUse) or (isinstance(block, Text) and bool(block.text.strip()))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply that has ended.

    Args:
        stop_reason: the provider's; `cut` if the reply broke off, `withheld` if some of its words were withheld, None
            if unknown.
        cut_in_a_call: whether it ended within the input of a call: that call does not count.
        withheld: the form of what was withheld, while it is known.
    """

    blocks: tuple[Block, ...]
    stop_reason: str | None = None
    cut_in_a_call: bool = False
    withheld: str | None = None

    @classmethod
    def restored(cls, blocks: tuple[Block, ...], stored_reason: str | None) -> "ModelReply":
        """The reply from its stored blocks and reason."""
        if stored_reason == TRUNCATED_IN_A_CALL:
            return cls(blocks, TRUNCATED, cut_in_a_call=True)
        return cls(blocks, stored_reason)

    @property
    def stored_reason(self) -> str | None:
        """The reason to store; it tells a truncated call from truncated text."""
        in_a_call = self.cut_in_a_call and self.stop_reason == TRUNCATED
        return TRUNCATED_IN_A_CALL if in_a_call else self.stop_reason

    @property
    def has_substance(self) -> bool:
        return any(is_substantial(block) for block in self.blocks)

    @property
    def calls(self) -> tuple[ToolUse, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @property
    def text(self) -> str:
        """All its words."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))
