"""Sprout as it is, with the agent of B1 and B3 in the topic agent's place: its tools do nothing, as the floor's do."""

import asyncio

import uvicorn
import uvloop

from bench.workloads import NOTE
from harness.load.streams_server import NO_CAPS
from harness.servers.limited_web import with_limits
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.app import open_app, web_dependencies
from sprout.config import Settings, load_settings
from sprout.events import AgentDone, Usage
from sprout.learning.paths.repositories import Repositories
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, tool
from sprout.loop.turn import TurnResult
from sprout.web.routes import web_app


@tool(name=NOTE, effect=Effect.WRITE, repeatable=True)
async def note(text: str) -> str:
    """Take a note."""
    return "noted"


def make_note_taker(_repositories: Repositories, _settings: Settings) -> AgentSpec:
    """An agent that takes notes until the model calls no more tools."""

    async def brief(_job: Job, _team: Team) -> Brief:
        return Brief("You take notes.", (Message("user", (Text("Take notes."),)),), (note,), finish=finish)

    async def finish(_result: TurnResult | None) -> AgentDone:
        return AgentDone(reason="", usage=Usage())

    return AgentSpec("topic", "topic", LoopPolicy(), brief)


async def main() -> None:
    """Serve as `sprout serve` does, until the process is ended."""
    settings = load_settings()
    async with open_app(settings, extra_agents=[make_note_taker]) as sprout:
        config = uvicorn.Config(
            web_app(with_limits(web_dependencies(sprout), NO_CAPS)),
            port=settings.port,
            lifespan="off",
            log_level="warning",
            access_log=False,
        )
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
