"""Turn end: how the loop of a run ended, as the last checkpoint of the run has it."""

from pydantic import BaseModel, ConfigDict, ValidationError

from sprout.events import AgentDone
from sprout.loop.encoding.message_codec import DecodingError
from sprout.runs.run_store import Checkpoint, RunRecord

WITH_TRANSITIONS = frozenset({"llm_response", "tool_result", "human_pause", "final"})


class TurnEnd(BaseModel):
    """State of a `human_pause` or `final` checkpoint.

    Args:
        transitions: why each iteration went on or ended, one code each (L15).
        done: the closing event of an agent that has ended; None for a run that waits or has failed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    transitions: tuple[str, ...] = ()
    done: AgentDone | None = None


class _Transitions(BaseModel):
    """The transitions in the state of any checkpoint of the loop."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    transitions: tuple[str, ...]


def closing_event(record: RunRecord) -> AgentDone | None:
    """The closing event of an agent that has ended, if it has. Raises DecodingError."""
    return next((done for one in record.checkpoints if one.kind == "final" and (done := _turn_end(one).done)), None)


def transitions(record: RunRecord) -> tuple[str, ...]:
    """The transitions of the run by its last checkpoint that has any; empty if they cannot be decoded."""
    for one in reversed(record.checkpoints):
        if one.kind in WITH_TRANSITIONS and one.state is not None:
            try:
                return _Transitions.model_validate_json(one.state).transitions
            except ValidationError:
                return ()
    return ()


def _turn_end(checkpoint: Checkpoint) -> TurnEnd:
    try:
        return TurnEnd.model_validate_json(checkpoint.state or "")
    except ValidationError as error:
        raise DecodingError(f"The end of the turn cannot be read: {error}") from None
