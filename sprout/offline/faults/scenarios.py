"""The faults that the offline server plays, and the plan of when it plays them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sprout.offline.pace import Pace
from sprout.offline.reply import Reply


class Scenario(StrEnum):
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    BAD_GATEWAY_HTML = "bad_gateway_html"
    RESET = "reset"
    CUT = "cut"
    STALL = "stall"
    ERROR_EVENT = "error_event"
    TRUNCATED_TEXT = "truncated_text"
    TRUNCATED_TOOL_JSON = "truncated_tool_json"
    MISSPELLED_TOOL = "misspelled_tool"
    UNKNOWN_TOOL = "unknown_tool"
    INVALID_TOOL_INPUT = "invalid_tool_input"
    MALFORMED_TOOL_JSON = "malformed_tool_json"
    IDENTICAL_CALLS = "identical_calls"
    VARYING_CALLS = "varying_calls"
    WINDOW_EXCEEDED = "window_exceeded"
    REQUEST_TOO_LARGE = "request_too_large"
    REFUSAL = "refusal"
    PAUSE_TURN = "pause_turn"
    EMPTY_REPLY = "empty_reply"
    BAD_KEY = "bad_key"
    NO_CREDIT = "no_credit"
    UNKNOWN_MODEL = "unknown_model"
    SLOW = "slow"
    NO_USAGE = "no_usage"
    WHOLE_TOOL_INPUT = "whole_tool_input"
    ONE_CALL = "one_call"
    THINKING_TAGS = "thinking_tags"
    WRONG_STOP_REASON = "wrong_stop_reason"
    TOOLS_DROPPED = "tools_dropped"
    REPEATING = "repeating"
    PARROT = "parrot"
    HELD_BACK = "held_back"
    TOO_LONG_LLAMA_CPP = "too_long_llama_cpp"
    TOO_LONG_VLLM = "too_long_vllm"
    TOO_LONG_LM_STUDIO = "too_long_lm_studio"
    TOO_LONG_OLLAMA = "too_long_ollama"


ANSWERED_WITHOUT_THE_MODEL = frozenset(
    {
        Scenario.RATE_LIMITED,
        Scenario.OVERLOADED,
        Scenario.SERVER_ERROR,
        Scenario.BAD_GATEWAY_HTML,
        Scenario.REQUEST_TOO_LARGE,
        Scenario.BAD_KEY,
        Scenario.NO_CREDIT,
        Scenario.UNKNOWN_MODEL,
        Scenario.TOO_LONG_LLAMA_CPP,
        Scenario.TOO_LONG_VLLM,
        Scenario.TOO_LONG_LM_STUDIO,
        Scenario.TOO_LONG_OLLAMA,
    }
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One scenario with its particulars.

    Args:
        scenario: a `Scenario` or its name.
        after_bytes, after_events: where the body breaks (`reset`, `cut`, `stall`, `error_event`). Without either a
            reset comes before the headers, a stall right after them, a cut and an error event in the middle.
        retry_after_s: the retry-after header of an error; None leaves it out.
        pings: whether a stall sends pings, one each `ping_every_s`.
        as_stop_reason: `window_exceeded` as the end of a reply instead of a 400.
        pace: of `slow`; of `held_back`, whose headers come with the first token, as llama.cpp's do.
        reply: the reply that the fault applies to; by default the model's.
    """

    scenario: Scenario | str
    after_bytes: int | None = None
    after_events: int | None = None
    retry_after_s: float | None = None
    pings: bool = False
    ping_every_s: float = 0.05
    as_stop_reason: bool = False
    pace: Pace = Pace(first_token_s=0.5, tokens_per_s=20)
    reply: Reply | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scenario", Scenario(self.scenario))

    @property
    def asks_model(self) -> bool:
        """Return True if a reply of the model is used up; False if an error is the whole response."""
        if self.reply is not None or self.scenario in ANSWERED_WITHOUT_THE_MODEL:
            return False
        if self.scenario is Scenario.RESET:
            return self.after_bytes is not None or self.after_events is not None
        return self.scenario is not Scenario.WINDOW_EXCEEDED or self.as_stop_reason


class FaultPlan:
    """A plan: which fault befalls which request. Requests for messages count from 1.

    `FaultPlan()` is the plan without faults.
    """

    def __init__(
        self, by_number: Mapping[int, Fault | Scenario | str] | None = None, *, always: Fault | None = None
    ) -> None:
        self._by_number = {number: parse_fault(fault) for number, fault in (by_number or {}).items()}
        self._always = always

    @classmethod
    def always(cls, fault: Fault | Scenario | str) -> "FaultPlan":
        return cls(always=parse_fault(fault))

    async def fault_for(self, number: int) -> Fault | None:
        """The fault of the request with this number, if it has one. The request waits for this answer."""
        return self._by_number.get(number, self._always)


def parse_fault(fault: Fault | Scenario | str) -> Fault:
    """A fault from its name. Raises ValueError for a name that is no scenario."""
    return fault if isinstance(fault, Fault) else Fault(fault)
