"""What becomes of the calls of a reply: told, repaired, permitted, run or held, and taken down."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from sprout.events import Guardrail, MessageReset, ToolCalled, ToolFinished
from sprout.loop.execution import Batch, CallDone
from sprout.loop.human import HumanQuestion, ask_human, asked_by
from sprout.loop.model import Block, Text, ToolResult, ToolUse
from sprout.loop.notices import notice
from sprout.loop.permissions import Approval, Decision, Permissions, permission_question
from sprout.loop.repair import meant_tool
from sprout.loop.result import CallRecord, CallStarted, Step
from sprout.loop.tools import BadToolInput, Tool

SUMMARY_CHARS = 200


class Calls:
    """The calls of one turn.

    Args:
        approvals: what a person has allowed already.
        can_wait: whether the turn may end to wait for a person; where not, nobody is asked.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        permissions: Permissions,
        approvals: Collection[Approval],
        *,
        can_wait: bool,
    ) -> None:
        self.records: list[CallRecord] = []
        self.question: HumanQuestion | None = None
        self._tools = tools
        self._permissions = permissions
        self._approvals = approvals
        self._can_wait = can_wait
        self._by_id: dict[str, CallRecord] = {}
        self._begun: set[str] = set()
        self._spoken_blocks: dict[str, str] = {}

    def begun(
        self,
        call: ToolUse,
        batch: Batch,
        reply: Sequence[Block],
        *,
        iteration: int,
        withheld: str | None = None,
        block_id: str | None = None,
    ) -> Iterator[Step]:
        """Tell of a call, then hand it to the batch once the next step is asked for.

        Args:
            reply: the blocks of the reply that the call stands in, as far as they have come.
            withheld: why its words to the learner were not shown; then it is not run.
            block_id: of its words that were shown; they are withdrawn if it comes to nothing.
        """
        if block_id is not None:
            self._spoken_blocks[call.id] = block_id
        meant = self._meant(call)
        if meant.name != call.name:
            yield Guardrail(level=0, tool=meant.name, noticed=f"{call.name} is not a tool; {meant.name} was meant")
        tool = self._tools.get(meant.name)
        # What a tool that does not exist was given may hold what another keeps secret.
        yield ToolCalled(call_id=call.id, tool=meant.name, input=tool.shown_input(meant) if tool else {})
        if call.problem is not None:
            batch.refuse(call, notice("bad_json", name=call.name, problem=call.problem))
        elif withheld is not None:
            batch.refuse(call, notice("withheld_call", form=withheld))
        elif tool is None:
            batch.refuse(call, notice("unknown_tool", name=call.name, names=", ".join(sorted(self._tools))))
        elif (refusal := self._refusal(tool, meant)) is not None:
            batch.refuse(call, refusal)
        elif (question := self._question(tool, meant)) is not None:
            batch.hold()
            self.question = self.question or question
        else:
            said = _said_before(call.id, reply, self._begun)
            self._begun.add(call.id)
            batch.expect(meant, tool)
            yield CallStarted(meant, tool.effect, iteration, said, tool.begins_again)
            batch.add(meant, tool)

    def ended(self, done: CallDone, batch: Batch) -> Iterator[Step]:
        """Take down a call that has ended; what people see of it, and then its end to be stored."""
        yield self._noted(done)
        if done.result.is_error and (block_id := self._spoken_blocks.pop(done.call.id, None)) is not None:
            yield MessageReset(block_id=block_id)
        yield batch.hand_on(done)

    def _noted(self, done: CallDone) -> ToolFinished:
        call, told = done.call, _told(done.result)
        self._note(
            CallRecord(call.id, call.name, call.input, told, done.result.is_error, done.duration_s, done.attempts)
        )
        return ToolFinished(
            call_id=call.id,
            tool=call.name,
            summary=told if len(told) <= SUMMARY_CHARS else told[: SUMMARY_CHARS - 1] + "…",
            ok=not done.result.is_error,
            duration_ms=round(done.duration_s * 1000),
            attempts=done.attempts,
        )

    def recall(self, call: ToolUse, result: ToolResult) -> None:
        """Take down a call that ended under an earlier carrier."""
        self._begun.add(call.id)
        name = self._meant(call).name
        self._note(CallRecord(call.id, name, call.input, _told(result), result.is_error, duration_s=0.0, attempts=0))

    def of(self, reply: Sequence[ToolUse]) -> list[CallRecord]:
        """The records of a reply's calls, in the order of the calls."""
        return [self._by_id[call.id] for call in reply if call.id in self._by_id]

    def _note(self, record: CallRecord) -> None:
        self.records.append(record)
        self._by_id[record.id] = record

    def _meant(self, call: ToolUse) -> ToolUse:
        if call.name in self._tools or call.problem is not None:
            return call
        tool = meant_tool(call, self._tools)
        return call if tool is None else replace(call, name=tool.name)

    def _refusal(self, tool: Tool, call: ToolUse) -> str | None:
        """Why a call is not run: its input does not fit, or it is not permitted and nobody can be asked."""
        try:
            decision = self._permissions.decision(tool, call, self._approvals)
        except BadToolInput as error:
            return str(error)
        if decision is Decision.DENY or (decision is Decision.ASK and not self._can_wait):
            return notice("denied", name=tool.name)
        return None

    def _question(self, tool: Tool, call: ToolUse) -> HumanQuestion | None:
        """What a person is asked before the call has its result."""
        if not self._can_wait:
            return None
        if tool.name == ask_human.name:
            return asked_by(call)
        if self._permissions.decision(tool, call, self._approvals) is Decision.ASK:
            return permission_question(tool, call)
        return None


def _said_before(call_id: str, reply: Sequence[Block], begun: Collection[str]) -> tuple[Text, ...]:
    """The texts between the last call that was told of and this one; those before a refused call count for the next."""
    said: list[Text] = []
    for block in reply:
        if isinstance(block, ToolUse) and block.id == call_id:
            break
        if isinstance(block, ToolUse) and block.id in begun:
            said.clear()
        elif isinstance(block, Text) and block.text.strip():
            said.append(block)
    return tuple(said)


def _told(result: ToolResult) -> str:
    return result.content if isinstance(result.content, str) else "[picture]"
