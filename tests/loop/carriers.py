"""A run that is carried by one carrier after another: what each of them keeps, and what the next makes of it."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from sprout.errors import ModelFailure, ModelFailureKind, ToolFailure
from sprout.events import Event, Usage, UsageReported
from sprout.loop.execution import CallDone
from sprout.loop.kept import messages_as_json, result_as_text, said_as_json
from sprout.loop.model import (
    Block,
    BlockDone,
    Message,
    ModelRequest,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ToolResult,
    ToolUse,
    UsagePart,
)
from sprout.loop.notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.recalled import KeptCall, KeptMessages, Recalled, recalled
from sprout.loop.result import CallStarted, Compacted, MessageAdded, Step, TurnResult
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import run_turn
from tests.loop.conversations import assert_pairs_fit
from tests.loop.played import BEGIN, QUICK, Hand

CHARACTERS_PER_TOKEN = 4
BETWEEN_CARRIERS_S = 5_000.0


@dataclass(frozen=True)
class Say:
    """One reply of a script. Its texts and inputs are told apart from all others of the script.

    Args:
        blocks: a `ToolUse` here has no id yet; with a `problem` its input cannot be read.
        breaks: raised after so many blocks, the first time.
    """

    blocks: Sequence[Block]
    stop_reason: str = "end_turn"
    breaks: int | None = None


def call(name: str, what: str = "", problem: str | None = None) -> ToolUse:
    return ToolUse("", name, {"what": what}, problem)


class Keep:
    """What is stored of one run: each step before the next is asked for."""

    def __init__(self, messages: Sequence[Message] = BEGIN) -> None:
        self.checkpoints = [KeptMessages("input", 0, messages_as_json(messages))]
        self.calls: dict[str, KeptCall] = {}
        self.usage = Usage()
        self.elapsed_s = 0.0
        self.events: list[Event] = []

    def take(self, step: Step) -> None:
        match step:
            case CallStarted(use, _, iteration, said, repeatable):
                told = json.dumps(dict(use.input))
                fresh = KeptCall(use.id, use.name, told, iteration, said_as_json(said), repeatable)
                assert self.calls.setdefault(use.id, fresh) == fresh, "a call that begins again is told of as before"
            case CallDone(use, result):
                self.end(use.id, result)
            case MessageAdded(message, iteration, stop_reason):
                kind = "llm_response" if message.role == "assistant" else "tool_result"
                self.checkpoints.append(KeptMessages(kind, iteration, messages_as_json([message]), stop_reason))
            case Compacted(state, iteration):
                self.checkpoints.append(KeptMessages("compaction", iteration, "", state=state))
            case TurnResult():
                pass
            case event:
                self.events.append(event)
                if isinstance(event, UsageReported):
                    self.usage = self.usage.plus(event.usage)

    async def left(self, done: CallDone) -> None:
        await asyncio.sleep(0)
        self.take(done)

    def end(self, call_id: str, result: ToolResult) -> None:
        if call_id in self.calls:
            told = result_as_text(result.content)
            self.calls[call_id] = replace(self.calls[call_id], result=told, is_error=result.is_error)

    def recalled(self) -> Recalled:
        return recalled(self.checkpoints, list(self.calls.values()), usage=self.usage, elapsed_s=self.elapsed_s)


@dataclass
class World:
    """What the tools did, by their input; a carrier that is `dead` does nothing any more."""

    done: Counter[str] = field(default_factory=Counter)
    reads: Counter[str] = field(default_factory=Counter)
    dead: bool = False
    clock: Hand = field(default_factory=Hand)
    summaries: int = 0


def tools_of(world: World, keep: Keep, *, result: str = "seen") -> list[Tool]:
    """A read, a write that cannot tell what became of it, a write that is stored with its end, one that ends all."""

    async def alive() -> None:
        await asyncio.sleep(0)
        if world.dead:
            raise ToolFailure("Nobody is there to do it.")

    @tool(repeatable=True)
    async def look(what: str) -> str:
        """Look."""
        world.reads[what] += 1
        await alive()
        return f"{result} {what}"

    @tool()
    async def wait(what: str) -> str:
        """Take the seconds that it is told to take."""
        await alive()
        world.clock.now_s += float(what)
        return f"waited {what}"

    @tool(effect=Effect.WRITE, repeatable=True)
    async def send(what: str) -> str:
        """Send something into the world."""
        await alive()
        world.done[what] += 1
        await asyncio.sleep(0)
        return f"sent {what}"

    async def stored(use: ToolUse, what: str) -> str:
        await alive()
        world.done[what] += 1
        keep.end(use.id, ToolResult(use.id, f"saved {what}"))
        await asyncio.sleep(0)
        return f"saved {what}"

    @tool(effect=Effect.WRITE, stored=True, repeatable=True)
    async def save(what: str, call: ToolUse) -> str:
        """Save something, together with the end of the call."""
        return await stored(call, what)

    @tool(effect=Effect.WRITE, stored=True, ends_turn=True)
    async def finish(what: str, call: ToolUse) -> str:
        """Save the last thing."""
        return await stored(call, what)

    @tool()
    async def nothing(what: str = "") -> str:
        """Do nothing, with no input."""
        world.reads[f"nothing {what}"] += 1
        return "nothing"

    return [look, wait, send, save, finish, nothing]


class Scripted:
    """A model that says what of its script the run has not kept yet, reply by reply."""

    def __init__(self, script: Sequence[Say], keep: Keep) -> None:
        self._script = script
        self._keep = keep
        self._ids = 0
        self._broken: set[int] = set()
        self.requests: list[ModelRequest] = []

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        assert_valid(request)
        self.requests.append(request)
        at, say = self._next()
        yield UsagePart(Usage(input_tokens=len(repr(request.messages)) // CHARACTERS_PER_TOKEN, output_tokens=50))
        for index, block in enumerate(say.blocks):
            if say.breaks == index and at not in self._broken:
                self._broken.add(at)
                raise ModelFailure(ModelFailureKind.CUT, "The line is dead.")
            for part in self._parts(index, block):
                yield part
                await asyncio.sleep(0)
        yield ReplyEnded(say.stop_reason)

    def _parts(self, index: int, block: Block) -> list[ReplyPart]:
        if isinstance(block, ToolUse):
            self._ids += 1
            use = replace(block, id=f"toolu_{self._ids}", problem=None, input={} if block.problem else block.input)
            return [BlockDone(index, use, block.problem)]
        assert isinstance(block, (Text, Thinking))
        begins: list[ReplyPart] = [TextPart(index, block.text)] if isinstance(block, Text) else []
        return [*begins, BlockDone(index, block)]

    def _next(self) -> tuple[int, Say]:
        """The first reply of which something is missing, without what is there."""
        blocks = [block for message in self._keep.recalled().messages for block in message.content]
        not_run = {block.call_id for block in blocks if isinstance(block, ToolResult) and was_not_run(block)}
        held = {_mark(block) for block in blocks if not (isinstance(block, ToolUse) and block.id in not_run)}
        for at, say in enumerate(self._script):
            missing = [block for block in say.blocks if _mark(block) not in held]
            if any(_is_kept(block, say.stop_reason) for block in missing):
                return at, replace(say, blocks=missing)
        raise AssertionError("the model was asked although its script is at its end")


def was_not_run(result: ToolResult) -> bool:
    return result.is_error and result.content == notice("not_run")


def _is_kept(block: Block, stop_reason: str) -> bool:
    """Whether a transcript holds it on in every case: not thinking, nor a call within which a reply was truncated."""
    truncated = isinstance(block, ToolUse) and block.problem is not None and stop_reason == "max_tokens"
    return not isinstance(block, Thinking) and not truncated


def _mark(block: Block) -> str:
    """What tells a block from all others of a script."""
    match block:
        case Text(text):
            return f"text {text}"
        case ToolUse(_, name, _, str(problem)):
            return f"unreadable {name} {problem}"
        case ToolUse(_, name, given, None):
            return f"call {name} {given['what']}"
        case _:
            return ""


def assert_valid(request: ModelRequest) -> None:
    """What a provider takes: roles in turn, each call answered in the next message; a paused turn may stand last."""
    messages = request.messages
    if messages[-1].role == "assistant":
        messages = (*messages, Message("user", (Text("On."),)))
    assert_pairs_fit(messages)


@dataclass
class Story:
    """A conversation of one shape; `arguments` makes what else `run_turn` is given, anew for each carrier.

    `cut_short`: a limit ends it, and so a death may cost it some of its last steps.
    """

    script: Sequence[Say]
    policy: LoopPolicy = QUICK
    arguments: Callable[[World], dict[str, Any]] = lambda world: {}
    result: str = "seen"
    cut_short: bool = False


@dataclass
class Carrying:
    """One run of a story, over all its carriers.

    Args:
        lands: whether what was being written when a carrier died has taken effect.
        clean: whether a carrier that dies can leave first.
    """

    story: Story
    keep: Keep = field(default_factory=Keep)
    world: World = field(default_factory=World)
    steps: list[list[Step]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    requests: list[list[ModelRequest]] = field(default_factory=list)
    lands: bool = True
    clean: bool = False

    async def carry(
        self, *, dies_after: int | None = None, dies_at: Callable[[Step], bool] = lambda step: False
    ) -> TurnResult | None:
        """One carrier: to the end, or until so many steps or a certain one are stored."""
        stood = self.keep.recalled()
        for use in stood.in_doubt:
            self._ask_a_person(use)
        stood = self.keep.recalled()
        model = Scripted(self.story.script, self.keep)
        self.world.dead = False
        began_s, before_s = self.world.clock(), stood.carried.elapsed_s
        self.steps.append([])
        self.requests.append(model.requests)
        turn = run_turn(
            model,
            model_name="m",
            system="You are tested.",
            messages=stood.messages,
            known=stood.known,
            carried=stood.carried,
            tools=tools_of(self.world, self.keep, result=self.story.result),
            policy=self.story.policy,
            clock=self.world.clock,
            left=self.keep.left if self.clean else None,
            **self.story.arguments(self.world),
        )
        async with aclosing(turn) as steps:
            async for step in steps:
                self.keep.take(step)
                self.keep.elapsed_s = before_s + self.world.clock() - began_s
                self.steps[-1].append(step)
                if isinstance(step, TurnResult):
                    return step
                if len(self.steps[-1]) == dies_after or dies_at(step):
                    self.world.dead = not self.lands and not self.clean
                    break
        self.world.clock.now_s += BETWEEN_CARRIERS_S
        return None

    def _ask_a_person(self, use: ToolUse) -> None:
        """Trap 3: the person knows whether it was done; what was not is run."""
        what = str(use.input["what"])
        self.doubts.append(what)
        if self.world.done[what]:
            self.keep.end(use.id, ToolResult(use.id, "The person says that this was done."))


async def carried_through(
    story: Story, deaths: Sequence[int] = (), *, lands: bool = True, clean: bool = False
) -> "End":
    """The story with carriers that die after so many steps each, and a last one that does not."""
    carrying = Carrying(story, lands=lands, clean=clean)
    for dies_after in deaths:
        if (result := await carrying.carry(dies_after=dies_after)) is not None:
            return End(carrying, result)
    result = await carrying.carry()
    assert result is not None
    return End(carrying, result)


@dataclass
class End:
    carrying: Carrying
    result: TurnResult

    @property
    def asked(self) -> int:
        """How often the model was asked, by all carriers."""
        return sum(len(requests) for requests in self.carrying.requests)

    @property
    def said(self) -> list[str]:
        """Every text of the transcript, in order."""
        blocks = (block for message in self.result.messages for block in message.content)
        return [block.text for block in blocks if isinstance(block, Text)]
