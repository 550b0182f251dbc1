"""Model catalogue: facts of each model, from `catalogue.toml`; cautious assumptions for an unknown one."""

import logging
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sprout.events import Usage

log = logging.getLogger(__name__)

CACHE_WRITE_FACTOR = 1.25
PER_MILLION = 1_000_000


class ModelFacts(BaseModel):
    """One model: sizes in tokens, prices in dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    window: int = Field(ge=1)
    max_output: int = Field(ge=1)
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float = Field(ge=0)
    long_prompt_tokens: int | None = None
    long_prompt_factor: float = 1.0
    thinking: Literal["adaptive", "budget", "none"]
    forces_tools: bool
    structured_output: bool
    caching: bool

    def priced(self, usage: Usage) -> Usage:
        """The usage of one call with its cost in dollars."""
        prompt_tokens = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        long = self.long_prompt_tokens is not None and prompt_tokens > self.long_prompt_tokens
        dollars = (
            usage.input_tokens * self.input
            + usage.cache_write_tokens * self.input * CACHE_WRITE_FACTOR
            + usage.cache_read_tokens * self.cache_read
            + usage.output_tokens * self.output
        ) / PER_MILLION
        return usage.model_copy(update={"cost_usd": dollars * (self.long_prompt_factor if long else 1.0)})


UNKNOWN = ModelFacts(
    window=32_000,
    max_output=8_000,
    input=0.0,
    output=0.0,
    cache_read=0.0,
    thinking="none",
    forces_tools=False,
    structured_output=False,
    caching=False,
)


@cache
def catalogue() -> dict[str, ModelFacts]:
    """All known models by id."""
    raw = tomllib.loads(files("sprout.llm").joinpath("catalogue.toml").read_text(encoding="utf-8"))
    return {model_id: ModelFacts.model_validate(entry) for model_id, entry in raw.items()}


@cache
def facts_of(model: str) -> ModelFacts:
    """The facts of a model or of the model that it is a dated version of; cautious ones, with a warning, if unknown."""
    known = catalogue()
    if model in known:
        return known[model]
    family, _, version = model.rpartition("-")
    if version.isdigit() and len(version) == 8 and family in known:
        return known[family]
    log.warning("model.unknown", extra={"model": model})
    return UNKNOWN
