"""One reply of the model as the transcript keeps it, and why it ended."""

from dataclasses import dataclass

from sprout.loop.model import Block, Text, ToolUse

CUT = "cut"
TRUNCATED = "max_tokens"
WITHHELD = "withheld"
TRUNCATED_IN_A_CALL = "max_tokens_in_a_call"


def is_said(block: Block) -> bool:
    """Whether a block is words or a call; a provider takes no reply that ends with anything else."""
    return isinstance(block, ToolUse) or (isinstance(block, Text) and bool(block.text.strip()))


@dataclass(frozen=True, slots=True)
class Replied:
    """A reply that has ended.

    Args:
        stop_reason: the provider's; `cut` where the reply broke off, `withheld` where some of its words were not shown,
            None where nothing is known of it.
        cut_in_a_call: whether it ended within the input of a call: that call does not count.
    """

    blocks: tuple[Block, ...]
    stop_reason: str | None = None
    cut_in_a_call: bool = False

    @classmethod
    def recalled(cls, blocks: tuple[Block, ...], kept_reason: str | None) -> "Replied":
        """The reply again, from its blocks and the reason that was kept with them."""
        if kept_reason == TRUNCATED_IN_A_CALL:
            return cls(blocks, TRUNCATED, cut_in_a_call=True)
        return cls(blocks, kept_reason)

    @property
    def kept_reason(self) -> str | None:
        """Why it ended, in one word that tells a truncated call from truncated text."""
        in_a_call = self.cut_in_a_call and self.stop_reason == TRUNCATED
        return TRUNCATED_IN_A_CALL if in_a_call else self.stop_reason

    @property
    def has_substance(self) -> bool:
        return any(is_said(block) for block in self.blocks)

    @property
    def calls(self) -> tuple[ToolUse, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @property
    def text(self) -> str:
        """All its words."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))
