"""Pace of the offline model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the first token, and tokens a second after it (None: as fast as it goes)."""

    first_token_s: float = 0.0
    tokens_per_s: float | None = None

    def __post_init__(self) -> None:
        if self.first_token_s < 0 or (self.tokens_per_s is not None and self.tokens_per_s <= 0):
            raise ValueError(f"a pace that cannot be kept: {self}")

    @property
    def immediate(self) -> bool:
        return self.first_token_s == 0 and self.tokens_per_s is None

    def due_s(self, tokens_before: float) -> float:
        """Seconds after the start of the reply at which a token that has `tokens_before` before it is sent."""
        return self.first_token_s + (tokens_before / self.tokens_per_s if self.tokens_per_s else 0.0)
