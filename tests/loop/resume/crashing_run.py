"""A run that passes from one worker to the next after crashes: what each stores and what the next resumes from."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from harness.loop.conversations import assert_pairs_fit
from harness.loop.scripted_turn import BEGIN, QUICK, Arguments, ManualClock, grouped
from sprout.errors import ModelFailure, ModelFailureKind, ToolFailure
from sprout.events import Event, Usage, UsageReported
from sprout.loop.encoding.message_codec import messages_as_json, result_as_text, texts_as_json
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
from sprout.loop.model_notices import notice
from sprout.loop.policy import LoopPolicy
from sprout.loop.resume.resume_point import CallEnvelope, MessageCheckpoint, ResumePoint, resume_point
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import run_turn
from sprout.loop.turn_steps import CallDone, CallStarted, MessageAdded, Step, TurnResult, ViewCompacted

CHARACTERS_PER_TOKEN = 4
BETWEEN_WORKERS_S = 5_000.0


@dataclass(frozen=True)
class ScriptedReply:
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


class StoredRun:
    """Stored state of one run: each step before the next is requested."""

    def __init__(self, messages: Sequence[Message] = BEGIN) -> None:
        self.checkpoints = [MessageCheckpoint("input", 0, messages_as_json(messages))]
        self.calls: dict[str, CallEnvelope] = {}
        self.usage = Usage()
        self.elapsed_s = 0.0
        self.events: list[Event] = []

    def store(self, step: Step) -> None:
        match step:
            case CallStarted(use, _, iteration, said, repeatable):
                arguments = json.dumps(dict(use.input))
                fresh = CallEnvelope(use.id, use.name, arguments, iteration, texts_as_json(said), repeatable)
                assert self.calls.setdefault(use.id, fresh) == fresh, "a call that begins again is told of as before"
            case CallDone(use, result):
                self.end(use.id, result)
            case MessageAdded(message, iteration, stop_reason, state):
                kind = "llm_response" if message.role == "assistant" else "tool_result"
                added = messages_as_json([message])
                self.checkpoints.append(MessageCheckpoint(kind, iteration, added, stop_reason, state))
            case ViewCompacted(state, iteration):
                self.checkpoints.append(MessageCheckpoint("compaction", iteration, "", state=state))
            case TurnResult():
                pass
            case event:
                self.events.append(event)
                if isinstance(event, UsageReported):
                    self.usage = self.usage.plus(event.usage)

    async def store_undelivered(self, done: CallDone) -> None:
        await asyncio.sleep(0)
        self.store(done)

    def end(self, call_id: str, result: ToolResult) -> None:
        if call_id in self.calls:
            text = result_as_text(result.content)
            self.calls[call_id] = replace(self.calls[call_id], result=text, is_error=result.is_error)

    def resume_point(self) -> ResumePoint:
        return resume_point(self.checkpoints, list(self.calls.values()), usage=self.usage, elapsed_s=self.elapsed_s)


@dataclass
class World:
    """Effects of the tools, by input; a worker that is `dead` has none any more."""

    done: Counter[str] = field(default_factory=Counter)
    reads: Counter[str] = field(default_factory=Counter)
    dead: bool = False
    clock: ManualClock = field(default_factory=ManualClock)
    summaries: int = 0


def tools_of(world: World, keep: StoredRun, *, result: str = "seen") -> list[Tool]:
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

    def __init__(self, script: Sequence[ScriptedReply], keep: StoredRun) -> None:
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

    def _next(self) -> tuple[int, ScriptedReply]:
        """The first reply of which something is missing, without what is there."""
        blocks = [block for message in self._keep.resume_point().messages for block in message.content]
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
    """Return True if a transcript always keeps the block: neither thinking nor a truncated call."""
    truncated = isinstance(block, ToolUse) and block.problem is not None and stop_reason == "max_tokens"
    return not isinstance(block, Thinking) and not truncated


def _mark(block: Block) -> str:
    """Identity of a block among all others of a script."""
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
    """Assert a provider's rules: alternating roles, calls answered in the next message; a paused turn may be last."""
    messages = request.messages
    if messages[-1].role == "assistant":
        messages = (*messages, Message("user", (Text("On."),)))
    assert_pairs_fit(messages)


@dataclass
class Story:
    """A conversation of one shape; `arguments` makes what else `run_turn` is given, anew for each worker.

    `cut_short`: a limit ends it, and so a death may cost it some of its last steps.
    """

    script: Sequence[ScriptedReply]
    policy: LoopPolicy = QUICK
    arguments: Callable[[World], Arguments] = lambda world: {}
    result: str = "seen"
    cut_short: bool = False


@dataclass
class CrashingRun:
    """One run of a story, over all its workers.

    Args:
        lands: whether what was being written when a worker died has taken effect.
        clean: whether a worker that dies can leave first.
    """

    story: Story
    stored: StoredRun = field(default_factory=StoredRun)
    world: World = field(default_factory=World)
    steps: list[list[Step]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    requests: list[list[ModelRequest]] = field(default_factory=list)
    lands: bool = True
    clean: bool = False

    async def run_worker(
        self, *, dies_after: int | None = None, dies_at: Callable[[Step], bool] = lambda step: False
    ) -> TurnResult | None:
        """One worker: to the end, or until so many steps or a certain one are stored."""
        point = self.stored.resume_point()
        for use in point.in_doubt:
            self._ask_a_person(use)
        point = self.stored.resume_point()
        model = Scripted(self.story.script, self.stored)
        self.world.dead = False
        began_s, before_s = self.world.clock(), point.resume.elapsed_s
        self.steps.append([])
        self.requests.append(model.requests)
        groups = grouped(point.messages, self.story.arguments(self.world))
        turn = run_turn(
            model,
            model_name="m",
            system="You are tested.",
            messages=point.messages,
            tools=tools_of(self.world, self.stored, result=self.story.result),
            policy=self.story.policy,
            options=groups["options"],
            hooks=replace(
                groups["hooks"],
                clock=self.world.clock,
                on_undelivered=self.stored.store_undelivered if self.clean else None,
            ),
            resume=point.resume,
        )
        async with aclosing(turn) as steps:
            async for step in steps:
                self.stored.store(step)
                self.stored.elapsed_s = before_s + self.world.clock() - began_s
                self.steps[-1].append(step)
                if isinstance(step, TurnResult):
                    return step
                if len(self.steps[-1]) == dies_after or dies_at(step):
                    self.world.dead = not self.lands and not self.clean
                    break
        self.world.clock.now_s += BETWEEN_WORKERS_S
        return None

    def _ask_a_person(self, use: ToolUse) -> None:
        """Trap 3: the person knows whether it was done; what was not is run."""
        what = str(use.input["what"])
        self.doubts.append(what)
        if self.world.done[what]:
            self.stored.end(use.id, ToolResult(use.id, "The person says that this was done."))


async def run_through_crashes(
    story: Story, deaths: Sequence[int] = (), *, lands: bool = True, clean: bool = False
) -> "CrashingRunResult":
    """The story with workers that die after so many steps each, and a last one that does not."""
    crashing_run = CrashingRun(story, lands=lands, clean=clean)
    for dies_after in deaths:
        if (result := await crashing_run.run_worker(dies_after=dies_after)) is not None:
            return CrashingRunResult(crashing_run, result)
    result = await crashing_run.run_worker()
    assert result is not None
    return CrashingRunResult(crashing_run, result)


@dataclass
class CrashingRunResult:
    run: CrashingRun
    result: TurnResult

    @property
    def asked(self) -> int:
        """Number of requests to the model, by all workers."""
        return sum(len(requests) for requests in self.run.requests)

    @property
    def texts(self) -> list[str]:
        """Every text of the transcript, in order."""
        blocks = (block for message in self.result.messages for block in message.content)
        return [block.text for block in blocks if isinstance(block, Text)]
