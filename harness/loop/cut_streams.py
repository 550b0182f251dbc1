"""One recorded reply, cut after any of its bytes: what a run makes of it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import accumulate

import httpx2

from harness.loop.sample_tools import keep_tool
from harness.loop.scripted_turn import BEGIN, claude_at, policy_with, refused_requests, sort_steps, visible_blocks
from sprout.llm.claude import Claude
from sprout.loop.model import Text, ToolUse
from sprout.loop.turn import run_turn
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Block, Body
from sprout.offline.script import Reply, TextOut, ThinkingOut, ToolOut
from sprout.offline.server import OfflineServer, running_offline_server

MODEL = "claude-sonnet-5-5"
WORDS = "½ a 🌿, “so”."
RECORDED = Reply(
    [
        ThinkingOut("Two: É."),
        TextOut(WORDS),
        ToolOut("keep", {"what": "première"}),
        ToolOut("keep", {"what": "🌿 second"}),
    ]
)
KEPT = ["première", "🌿 second"]
LAST_WORDS = "All is kept."
LONGER_THAN_ANY = 10**9
SIDE_BY_SIDE = 8
AT_ONCE = policy_with(overload_base_s=0.001, overload_cap_s=0.001)


class Rest:
    """A model that is cut once, and then says what of the recorded reply the conversation does not hold yet."""

    def __init__(self, fault: Fault | None = None) -> None:
        self._fault = fault

    def answer(self, body: Body) -> Reply | Fault:
        if self._fault is not None:
            fault, self._fault = self._fault, None
            return fault
        held = [block for message in body["messages"] if message["role"] == "assistant" for block in message["content"]]
        texts = [block["text"] for block in held if block["type"] == "text"]
        inputs = [block["input"] for block in held if block["type"] == "tool_use"]
        left: list[Block] = [block for block in RECORDED.blocks[1:2] if WORDS not in texts]
        left += [call for call in RECORDED.tool_calls if call.input not in inputs]
        return Reply(left or [TextOut(LAST_WORDS)])


@dataclass
class Stage:
    """A server whose model can be put in another's place, and a client that stays connected to it."""

    server: OfflineServer
    model: Claude
    brain: "Stage.Brain"

    @dataclass
    class Brain:
        now: Rest = field(default_factory=Rest)

        def answer(self, body: Body) -> Reply | Fault:
            return self.now.answer(body)


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    brain = Stage.Brain()
    async with running_offline_server(brain, keep_requests=8) as server, claude_at(server) as model:
        yield Stage(server, model, brain)


@dataclass(frozen=True)
class Outcome:
    """Violations after a cut; all fields are empty if there are none."""

    position: int
    wrong_text: str = ""
    wrong_calls: str = ""
    wrong_ending: str = ""

    @property
    def is_right(self) -> bool:
        return not (self.wrong_text or self.wrong_calls or self.wrong_ending)


async def cut_after(at: Stage, position: int, how: str) -> Outcome:
    """Run against a server that cuts the recorded reply after so many bytes (`cut` or `reset`)."""
    at.brain.now = Rest(Fault(how, after_bytes=position, reply=RECORDED))
    written: list[str] = []
    turn = run_turn(
        at.model, model_name=MODEL, system="You are tested.", messages=BEGIN, tools=[keep_tool(written)], policy=AT_ONCE
    )
    play = sort_steps([step async for step in turn])
    texts = [text for text in visible_blocks(play.events).values() if text]
    held = [block for message in play.result.messages[1:] for block in message.content]
    held_texts = [block.text for block in held if isinstance(block, Text) and block.text in (WORDS, LAST_WORDS)]
    calls = [block.id for block in held if isinstance(block, ToolUse)]
    return Outcome(
        position,
        wrong_text="" if texts == held_texts == [WORDS, LAST_WORDS] else f"{texts} {held_texts}",
        wrong_calls="" if written == KEPT and len(set(calls)) == len(calls) == len(KEPT) else f"{written} {calls}",
        wrong_ending=""
        if play.result.reason == "end_turn" and not refused_requests(at.server.requests)
        else play.result.reason,
    )


async def cut_after_each(positions: Collection[int], how: str) -> list[Outcome]:
    """One run for each position, on several servers side by side."""
    waiting = sorted(positions, reverse=True)
    outcomes: list[Outcome] = []

    async def work() -> None:
        async with stage() as at:
            while waiting:
                outcomes.append(await cut_after(at, waiting.pop(), how))

    async with asyncio.TaskGroup() as servers:
        for _ in range(SIDE_BY_SIDE):
            servers.create_task(work())
    return sorted(outcomes, key=lambda outcome: outcome.position)


async def recorded_bytes() -> bytes:
    """The recorded reply as it goes over the wire."""
    async with stage() as at:
        return await _recorded(at)


async def _recorded(at: Stage) -> bytes:
    whole = Fault("cut", after_bytes=LONGER_THAN_ANY, reply=RECORDED)
    at.brain.now = Rest(whole)
    turn = run_turn(at.model, model_name=MODEL, system="You are tested.", messages=BEGIN, tools=[keep_tool([])])
    _ = [step async for step in turn]
    body = next(request.body for request in at.server.requests if len(request.body["messages"]) == 1)
    at.brain.now = Rest(whole)
    headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
    async with httpx2.AsyncClient() as client:
        answer = await client.post(f"{at.server.base_url}/v1/messages", json=body, headers=headers)
    return answer.content


def boundaries(raw: bytes) -> Iterator[int]:
    """The positions right before, at and right after the end of each event."""
    for end in accumulate(len(event) + 2 for event in raw.split(b"\n\n")[:-1]):
        yield from (end - 1, end, end + 1)
