"""A turn that is left before its end: reads stop at once, a change comes to its end and is handed on (trap 56)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from harness.loop.scripted_turn import BEGIN, QUICK, policy_with
from sprout.errors import DatabaseBusy
from sprout.loop.model import BlockDone, ModelRequest, ReplyPart, ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import CallStarted, TurnHooks, run_turn
from sprout.loop.turn_steps import CallDone


class Endless:
    """A model that calls these tools, and then says nothing more."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self.closed = False

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        try:
            for at, name in enumerate(self._names):
                yield BlockDone(at, ToolUse(f"c{at}", name, {}))
            await asyncio.Event().wait()
        finally:
            self.closed = True


class Doing:
    """A read, and two writes that go on until they are let."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.began = asyncio.Event()
        self.ended: list[str] = []
        self.left: list[CallDone] = []

    async def _until_let(self, name: str) -> str:
        self.began.set()
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.ended.append(f"{name} cancelled")
            raise
        self.ended.append(name)
        return name

    def tools(self) -> list[Tool]:
        @tool()
        async def read() -> str:
            """Read."""
            return await self._until_let("read")

        @tool(effect=Effect.WRITE)
        async def send() -> str:
            """Send."""
            return await self._until_let("send")

        @tool(effect=Effect.WRITE, idempotent=True)
        async def put() -> str:
            """Put."""
            return await self._until_let("put")

        return [read, send, put]

    async def keep(self, done: CallDone) -> None:
        await asyncio.sleep(0)
        self.left.append(done)


async def run(doing: Doing, model: Endless) -> None:
    turn = run_turn(
        model,
        model_name="m",
        system="s",
        messages=BEGIN,
        tools=doing.tools(),
        policy=QUICK,
        hooks=TurnHooks(on_undelivered=doing.keep),
    )
    async with aclosing(turn) as steps:
        async for _ in steps:
            pass


async def left_in_the_middle(doing: Doing, *names: str) -> tuple[asyncio.Task[None], Endless]:
    model = Endless(*names)
    running = asyncio.create_task(run(doing, model))
    await asyncio.wait_for(doing.began.wait(), 5)
    running.cancel()
    return running, model


async def test_a_read_is_cancelled_at_once_and_leaves_nothing() -> None:
    doing = Doing()
    running, model = await left_in_the_middle(doing, "read")
    await asyncio.wait([running], timeout=5)
    assert running.cancelled()
    assert model.closed
    assert (doing.ended, doing.left) == (["read cancelled"], [])


async def test_a_change_that_may_be_made_again_is_cancelled_at_once() -> None:
    doing = Doing()
    running, _ = await left_in_the_middle(doing, "put")
    await asyncio.wait([running], timeout=5)
    assert (doing.ended, doing.left) == (["put cancelled"], [])


async def test_trap_56_a_change_comes_to_its_end_however_often_the_run_is_cancelled() -> None:
    doing = Doing()
    running, model = await left_in_the_middle(doing, "send")
    for _ in range(3):
        await asyncio.sleep(0)
        running.cancel()
    while not model.closed:
        await asyncio.sleep(0)
    assert not running.done()
    doing.let.set()
    await asyncio.wait([running], timeout=5)
    assert running.cancelled()
    assert doing.ended == ["send"]
    assert [(done.call.name, done.result.content) for done in doing.left] == [("send", "send")]


async def test_a_change_that_waits_behind_another_is_not_begun_and_known_not_to_have_run() -> None:
    doing = Doing()
    running, _ = await left_in_the_middle(doing, "send", "send")
    doing.let.set()
    await asyncio.wait([running], timeout=5)
    assert doing.ended == ["send"]
    assert [(done.call.id, done.result.is_error, done.attempts) for done in doing.left] == [
        ("c0", False, 1),
        ("c1", True, 0),
    ]


async def test_a_change_that_was_told_of_and_not_begun_is_known_not_to_have_run() -> None:
    doing = Doing()
    turn = run_turn(
        Endless("send"),
        model_name="m",
        system="s",
        messages=BEGIN,
        tools=doing.tools(),
        policy=QUICK,
        hooks=TurnHooks(on_undelivered=doing.keep),
    )
    async with aclosing(turn) as steps:
        async for step in steps:
            if isinstance(step, CallStarted):
                break
    assert doing.ended == []
    assert [(done.call.id, done.attempts) for done in doing.left] == [("c0", 0)]


async def test_an_end_that_nobody_was_told_of_is_handed_on() -> None:
    doing = Doing()
    doing.let.set()
    turn = run_turn(
        Endless("read"),
        model_name="m",
        system="s",
        messages=BEGIN,
        tools=doing.tools(),
        policy=QUICK,
        hooks=TurnHooks(on_undelivered=doing.keep),
    )
    async with aclosing(turn) as steps:
        waiting = asyncio.create_task(_until_silent(steps))
        await asyncio.wait_for(doing.began.wait(), 5)
        while doing.ended != ["read"]:
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    assert [done.result.content for done in doing.left] == ["read"]


async def _until_silent(steps: AsyncGenerator[object, None]) -> None:
    async for _ in steps:
        pass


class Busy:
    """A stored tool for which the database is busy, and that waits in its attempts until it is let."""

    def __init__(self, *, let: bool) -> None:
        self.attempts = 0
        self.began = asyncio.Event()
        self.let = asyncio.Event()
        self.left: list[CallDone] = []
        if let:
            self.let.set()

    def tool(self) -> Tool:
        @tool(effect=Effect.WRITE, stored=True)
        async def save() -> str:
            """Save."""
            self.attempts += 1
            self.began.set()
            await self.let.wait()
            raise DatabaseBusy("The database is busy.")

        return save

    async def keep(self, done: CallDone) -> None:
        self.left.append(done)

    async def run(self) -> None:
        turn = run_turn(
            Endless("save"),
            model_name="m",
            system="s",
            messages=BEGIN,
            tools=[self.tool()],
            policy=policy_with(tool_backoff_s=(600.0,)),
            hooks=TurnHooks(on_undelivered=self.keep),
        )
        async with aclosing(turn) as steps:
            async for _ in steps:
                pass


async def test_M4_a_change_that_waits_for_its_next_attempt_is_left_at_once_to_begin_again() -> None:
    busy = Busy(let=True)
    running = asyncio.create_task(busy.run())
    await asyncio.wait_for(busy.began.wait(), 5)
    running.cancel()
    await asyncio.wait([running], timeout=5)
    assert running.cancelled()
    assert (busy.attempts, busy.left) == (1, [])


async def test_M4_a_change_that_was_left_in_an_attempt_is_not_tried_again_and_begins_again() -> None:
    busy = Busy(let=False)
    running = asyncio.create_task(busy.run())
    await asyncio.wait_for(busy.began.wait(), 5)
    running.cancel()
    for _ in range(20):
        await asyncio.sleep(0)
    assert not running.done()
    busy.let.set()
    await asyncio.wait([running], timeout=5)
    assert running.cancelled()
    assert (busy.attempts, busy.left) == (1, [])
