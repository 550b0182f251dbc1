"""An agent of one's own: `python examples/agent.py` plays it with a script, `… BASE_URL MODEL [KEY]` asks a model."""

import asyncio
import sys
from contextlib import aclosing

from sprout.llm.claude import Claude, claude_client
from sprout.loop.model import Message, Text
from sprout.loop.tools import tool
from sprout.loop.turn import TurnResult, run_turn
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.offline.server import running_offline_server

ASKED = Message("user", (Text("How often does r stand in strawberry?"),))
SCRIPT = Scripted(
    [Reply([ToolOut("count_letters", {"word": "strawberry", "letter": "r"})]), Reply([TextOut("3 times")])]
)


@tool()
async def count_letters(word: str, letter: str) -> int:
    """Count how often a letter stands in a word."""
    return word.lower().count(letter.lower())


async def ask(base_url: str, model: str, key: str = "none") -> None:
    async with claude_client(api_key=key, base_url=base_url, idle_s=60) as client:
        claude = Claude(client, thinking_tokens={})
        turn = run_turn(claude, model_name=model, system="Be brief.", messages=[ASKED], tools=[count_letters])
        async with aclosing(turn) as steps:
            async for step in steps:
                print(f"{step.reason}: {step.text}" if isinstance(step, TurnResult) else type(step).__name__)


async def play() -> None:
    async with running_offline_server(SCRIPT) as server:
        await ask(server.base_url, "sprout-offline")


if __name__ == "__main__":
    asyncio.run(ask(*sys.argv[1:]) if sys.argv[1:] else play())
