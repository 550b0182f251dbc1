"""Mechanisms of the loop that an agent chooses, besides the numbers of its policy."""

import json
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sprout.loop.context.strategy import Auto, SlidingWindow, Strategy, Summarize, Unlimited
from sprout.loop.tool_calls.permissions import Permissions, Rule
from sprout.loop.tools import Profile

StrategyName = Literal["auto", "unlimited", "sliding_window", "summarize"]


def _parse_json(value: object) -> object:
    # An environment variable holds text.
    return json.loads(value) if isinstance(value, str) else value


def _parse_profile(value: object) -> object:
    if not isinstance(value, str):
        return value
    found = Profile.__members__.get(value.upper())
    if found is None:
        raise ValueError(f"{value!r} is none of {', '.join(name.lower() for name in Profile.__members__)}")
    return found


class LoopMechanisms(BaseModel):
    """Mechanisms of the loop that an agent uses; each has a setting, `SPROUT_AGENTS__<AGENT>__<NAME>`.

    Args:
        strategy: how the conversation is kept within the window.
        strategy_tokens: the size at which `sliding_window` and `summarize` step in; they need one.
        recursive_summary: whether a long history is summarised in groups first; for `auto` and `summarize`.
        permissions: rules for calls; as text, a JSON list of `{"decision": "ask", "tool": "save_*", "input": {…}}`.
        profile: which tools may be called, unless the brief of a run says otherwise: conversational, standard or full.
        journal: whether the agent keeps notes for its next run on the same node.
        memory: whether what results say of the learner is remembered before they leave the view.
        lookup: the tool for looking things up that the model is made to call when it repeats itself.
        token_target: output tokens of which at least nine tenths are wanted before the end.
        asks: whether a person decides how to go on when the model repeats itself for the third time or loses the
            context repeatedly; if not, the run ends with what it has.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: StrategyName = "auto"
    strategy_tokens: Annotated[int, Field(ge=1)] | None = None
    recursive_summary: bool = False
    permissions: Annotated[tuple[Rule, ...], BeforeValidator(_parse_json)] = ()
    profile: Annotated[Profile, BeforeValidator(_parse_profile)] = Profile.FULL
    journal: bool = False
    memory: bool = False
    lookup: str | None = None
    token_target: Annotated[int, Field(ge=1)] | None = None
    asks: bool = False

    @model_validator(mode="after")
    def _check_strategy(self) -> Self:
        needs_size = self.strategy in ("sliding_window", "summarize")
        if needs_size != (self.strategy_tokens is not None):
            raise ValueError("strategy_tokens goes with the strategies sliding_window and summarize, which need it")
        if self.recursive_summary and self.strategy in ("unlimited", "sliding_window"):
            raise ValueError(f"recursive_summary does not go with the strategy {self.strategy}, which has no summary")
        return self

    def context_strategy(self) -> Strategy:
        match self.strategy, self.strategy_tokens:
            case "sliding_window", int(max_tokens):
                return SlidingWindow(max_tokens)
            case "summarize", int(max_tokens):
                return Summarize(max_tokens, self.recursive_summary)
            case "unlimited", _:
                return Unlimited()
            case _:
                return Auto(self.recursive_summary)

    def rules(self) -> Permissions:
        return Permissions(self.permissions)
