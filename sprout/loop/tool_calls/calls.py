"""Tool calls of a turn: name repair, permission, start or refusal, and the records of their ends."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from sprout.events import Guardrail, MessageReset, ToolCalled, ToolFinished
from sprout.loop.human import HumanQuestion, ask_human, question_from_call
from sprout.loop.model import Block, Text, ToolResult, ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.tool_calls.batch import Batch
from sprout.loop.tool_calls.name_repair import nearest_tool
from sprout.loop.tool_calls.permissions import Approval, Decision, Permissions, permission_question
from sprout.loop.tools import BadToolInput, Tool
from sprout.loop.turn_steps import CallDone, CallRecord, CallStarted, Step

SUMMARY_CHARS = 200


class ToolCalls:
    """The calls of one turn.

    Args:
        tools: all tools that are declared to the model.
        in_profile: names of those that may be called.
        approvals: calls that a person has allowed.
        can_wait: whether the turn may end to wait for a person; if not, no question is asked.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        in_profile: Collection[str],
        permissions: Permissions,
        approvals: Collection[Approval],
        *,
        can_wait: bool,
    ) -> None:
        self.records: list[CallRecord] = []
        self._tools = tools
        self._in_profile = in_profile
        self._permissions = permissions
        self._approvals = approvals
        self._can_wait = can_wait
        self._by_id: dict[str, CallRecord] = {}
        self._started_ids: set[str] = set()
        self._streamed_block_ids: dict[str, str] = {}

    def start(
        self,
        call: ToolUse,
        batch: Batch,
        reply: Sequence[Block],
        *,
        iteration: int,
        withheld: str | None = None,
        block_id: str | None = None,
    ) -> Iterator[Step]:
        """Announce a call, then hand it to the batch when the next step is requested.

        Args:
            reply: the blocks of the reply that the call stands in, as far as they have come.
            withheld: why its words to the learner were withheld; such a call is not run.
            block_id: of its words that were shown; they are withdrawn if the call fails.
        """
        if block_id is not None:
            self._streamed_block_ids[call.id] = block_id
        repaired = self._with_repaired_name(call)
        if repaired.name != call.name:
            yield Guardrail(
                level=0, tool=repaired.name, noticed=f"{call.name} is not a tool; {repaired.name} was meant"
            )
        tool = self._tools.get(repaired.name)
        repaired, notes = (repaired, ()) if tool is None or call.problem is not None else tool.mend(repaired)
        # The input of an unknown tool may hold what another tool declares secret.
        yield ToolCalled(call_id=call.id, tool=repaired.name, input=tool.shown_input(repaired) if tool else {})
        if call.problem is not None:
            batch.refuse(call, notice("bad_json", name=call.name, problem=call.problem))
        elif withheld is not None:
            batch.refuse(call, notice("withheld_call", form=withheld))
        elif tool is None:
            batch.refuse(call, notice("unknown_tool", name=call.name, names=self._callable_names))
        elif tool.name not in self._in_profile:
            batch.refuse(call, notice("outside_profile", name=tool.name, names=self._callable_names))
        elif (refusal := self._refusal(tool, repaired)) is not None:
            batch.refuse(call, refusal)
        elif (question := self._question(tool, repaired)) is not None:
            batch.hold(question)
        else:
            texts = _texts_before(call.id, reply, self._started_ids)
            self._started_ids.add(call.id)
            batch.announce(repaired, tool)
            yield CallStarted(repaired, tool.effect, iteration, texts, tool.restartable)
            batch.add(repaired, tool, notes)

    def finish(self, done: CallDone, batch: Batch) -> Iterator[Step]:
        """Record a call that has ended: the event that people see, and then its end to be stored."""
        yield self._record_end(done)
        if done.result.is_error and (block_id := self._streamed_block_ids.pop(done.call.id, None)) is not None:
            yield MessageReset(block_id=block_id)
        yield batch.mark_delivered(done)

    def _record_end(self, done: CallDone) -> ToolFinished:
        call, text = done.call, _result_text(done.result)
        self._record(
            CallRecord(call.id, call.name, call.input, text, done.result.is_error, done.duration_s, done.attempts)
        )
        return ToolFinished(
            call_id=call.id,
            tool=call.name,
            summary=text if len(text) <= SUMMARY_CHARS else text[: SUMMARY_CHARS - 1] + "…",
            ok=not done.result.is_error,
            duration_ms=round(done.duration_s * 1000),
            attempts=done.attempts,
        )

    def restore(self, call: ToolUse, result: ToolResult) -> None:
        """Record a call that ended under an earlier worker."""
        self._started_ids.add(call.id)
        name = self._with_repaired_name(call).name
        self._record(
            CallRecord(call.id, name, call.input, _result_text(result), result.is_error, duration_s=0.0, attempts=0)
        )

    def records_of(self, reply: Sequence[ToolUse]) -> list[CallRecord]:
        """The records of a reply's calls, in the order of the calls."""
        return [self._by_id[call.id] for call in reply if call.id in self._by_id]

    @property
    def _callable_names(self) -> str:
        return ", ".join(sorted(self._in_profile))

    def _record(self, record: CallRecord) -> None:
        self.records.append(record)
        self._by_id[record.id] = record

    def _with_repaired_name(self, call: ToolUse) -> ToolUse:
        if call.name in self._tools or call.problem is not None:
            return call
        tool = nearest_tool(call, self._tools)
        return call if tool is None else replace(call, name=tool.name)

    def _refusal(self, tool: Tool, call: ToolUse) -> str | None:
        """Why a call is not run: its input is invalid, or it is not permitted and no person can be asked."""
        try:
            decision = self._permissions.decision(tool, call, self._approvals)
        except BadToolInput as error:
            return str(error)
        if decision is Decision.DENY or (decision is Decision.ASK and not self._can_wait):
            return notice("denied", name=tool.name)
        return None

    def _question(self, tool: Tool, call: ToolUse) -> HumanQuestion | None:
        """The question for a person before the call can have its result."""
        if not self._can_wait:
            return None
        if tool.name == ask_human.name:
            return question_from_call(call)
        if self._permissions.decision(tool, call, self._approvals) is Decision.ASK:
            return permission_question(tool, call)
        return None


def _texts_before(call_id: str, reply: Sequence[Block], begun: Collection[str]) -> tuple[Text, ...]:
    """The texts between the last announced call and this one; texts before a refused call belong to the next."""
    texts: list[Text] = []
    for block in reply:
        if isinstance(block, ToolUse) and block.id == call_id:
            break
        if isinstance(block, ToolUse) and block.id in begun:
            texts.clear()
        elif isinstance(block, Text) and block.text.strip():
            texts.append(block)
    return tuple(texts)


def _result_text(result: ToolResult) -> str:
    return result.content if isinstance(result.content, str) else "[picture]"
