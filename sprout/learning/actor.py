"""Actor: the author of a change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change: a learner, or an agent within a run and, if it acts by a tool, within a call.

    `epoch` counts the workers that have held the run: a change under an older epoch than the present one is refused.
    """

    user_id: str
    agent: str | None = None
    run_id: str | None = None
    root_run_id: str | None = None
    call_id: str | None = None
    epoch: int = 0
