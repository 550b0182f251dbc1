"""Delegation: the tool that hands parts of an agent's work to child runs."""

import asyncio
from collections.abc import Collection
from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints

from sprout.agents.agent import Team
from sprout.errors import ToolFailure
from sprout.loop.model import ToolUse
from sprout.loop.tools import Effect, Tool, tool

MAX_CHILDREN = 8
MAX_TASK = 4_000
MAX_ITEM = 1_000
TIMEOUT_S = 1_200.0

Task = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TASK)]
Item = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_ITEM)]
Items = Annotated[list[Item], Field(min_length=1, max_length=MAX_CHILDREN)]
Work = Annotated[Task, Field(description="what each of them shall do")]
Each = Annotated[Items, Field(description="one child run for each of these, beside the others")]


def spawn_child_runs_tool(team: Team, agents: Collection[str], *, timeout_s: float = TIMEOUT_S) -> Tool:
    """The tool, for an agent that may delegate to these agents.

    Args:
        timeout_s: longest wait for the children.
    """

    # A call that is repeated after a crash finds its children again: their keys contain the id of the call.
    @tool(effect=Effect.WRITE, idempotent=True, timeout_s=timeout_s)
    async def spawn_child_runs(
        agent: str,
        input: Work,
        each: Each,
        call: ToolUse,
    ) -> list[JsonValue]:
        """Have helpers do parts of the work at the same time, and wait for all of them. What each of them said last
        comes back, in the order of `each`."""
        if agent not in agents:
            raise ToolFailure(f"There is no helper named {agent}. There are: {', '.join(sorted(agents))}.")
        outcomes = await asyncio.gather(
            *(team.delegate(agent, f"{input}\n\n{item}", key=f"{call.id}:{n}") for n, item in enumerate(each))
        )
        return [
            {"item": item, "state": outcome.state, "said": outcome.words}
            for item, outcome in zip(each, outcomes, strict=True)
        ]

    return spawn_child_runs
