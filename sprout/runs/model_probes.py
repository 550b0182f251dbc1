"""Probes of models: what each was seen to do, and which are unfit for the work of agents."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from pydantic import Field

from sprout.errors import Conflict
from sprout.events import Usage, Wire

TOOL_OFFERS = 3

LongPrompt = Literal["kept", "cut", "refused", "lost", "slow"]
Fitness = Literal["calls_no_tools", "small_window", "answers_in_form", "one_call_at_a_time", "fit", "unknown"]

MIN_WINDOW = 12_000  # a lesson's prompt, its tools and a reply


class ModelProbe(Wire):
    """The findings about one model; None where the time of the probe was over before.

    Args:
        address: of its server, without credentials.
        tool_calls: in reply to `TOOL_OFFERS` requests that each ask for one call.
        calls_in_form: of those, asked for as one JSON object of a given schema, where no call came.
        calls_in_one_reply: in reply to a request for three.
        nested_input: whether a list of objects came as its schema has it.
        heeds_system: whether an order of the system prompt was followed.
        streams: whether text came in pieces.
        thinks: whether thinking was shown, or came as tags in the text.
        long_prompt: whether a word at its beginning was known at its end; `cut`: the server dropped a part unasked.
        window: tokens, where the server has said them or has cut a prompt.
        first_byte_s: until the first byte of a short reply.
        usage: of all its calls.
    """

    model: str
    address: str
    probed_at: datetime
    tool_calls: int | None = Field(default=None, ge=0)
    calls_in_form: int | None = Field(default=None, ge=0)
    calls_in_one_reply: int | None = Field(default=None, ge=0)
    nested_input: bool | None = None
    heeds_system: bool | None = None
    streams: bool | None = None
    thinks: bool | None = None
    long_prompt: LongPrompt | None = None
    window: int | None = Field(default=None, ge=1)
    tokens_per_s: float | None = Field(default=None, ge=0)
    first_byte_s: float | None = Field(default=None, ge=0)
    usage: Usage = Usage()

    @property
    def fitness(self) -> Fitness:
        """The worst that was found for the work of agents."""
        if self.tool_calls is None:
            return "unknown"
        if self.tool_calls == 0 and not self.calls_in_form:
            return "calls_no_tools"
        if self.window is not None and self.window < MIN_WINDOW:
            return "small_window"
        if self.tool_calls == 0:
            return "answers_in_form"
        return "one_call_at_a_time" if self.calls_in_one_reply == 1 else "fit"


class ProbedModel(Wire):
    """A model in use, with its last probe; null where it was never probed.

    Args:
        agents: that use it, and `small mode` or `fallback`.
        minutes: that a path takes with it, by its speed; null while that is not known.
    """

    model: str
    agents: tuple[str, ...]
    fitness: Fitness = "unknown"
    minutes: int | None = None
    probe: ModelProbe | None = None


class ModelProbes(Protocol):
    """The stored probes of the models at this server's addresses; of a model in several, the newest counts."""

    async def of(self, model: str) -> ModelProbe | None:
        """The last probe of the model."""
        ...

    async def all(self) -> Sequence[ModelProbe]: ...

    async def save(self, probe: ModelProbe) -> None:
        """Store a probe in place of the model's last one."""
        ...


class ModelUnfit(Conflict):
    """A run for a model that is known to call no tools."""

    code = "model_calls_no_tools"

    def __init__(self, model: str) -> None:
        super().__init__(
            "The model {model!r} calls no tools, as its probe has shown, so Sprout's agents cannot work with it. Choose"
            " another with SPROUT_MODEL, or probe it again in the settings.",
            model=model,
        )


def require_fit(probe: ModelProbe | None) -> None:
    """Raises ModelUnfit: the model was probed, and called no tool."""
    if probe is not None and probe.fitness == "calls_no_tools":
        raise ModelUnfit(probe.model)
