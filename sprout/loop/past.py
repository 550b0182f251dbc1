"""What a transcript tells of the iterations that a run has behind it; enough to count on from there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sprout.loop.calls import Calls
from sprout.loop.estimate import START_FACTOR, block_size
from sprout.loop.guard import Guard, Verdict
from sprout.loop.model import Message, Text, ToolResult
from sprout.loop.notices import is_notice
from sprout.loop.replied import TRUNCATED, Replied

GOES_ON = ("go_on", "cut_input")
MID_TEXT = (*GOES_ON, "connection_cut")
NO_OBJECTION = (*MID_TEXT, "withheld", "answer_please", "keep_working", "person_answered", "soft_limit")


@dataclass(frozen=True, slots=True)
class Past:
    """One iteration; `said` is what the model was told after it, beside the results."""

    reply: Replied
    results: tuple[ToolResult, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def withheld(self) -> bool:
        """Whether words of it were not shown, and it was asked for again."""
        return self.heard("withheld") or any(
            isinstance(result.content, str) and is_notice("withheld_call", result.content) for result in self.results
        )

    @property
    def output_tokens(self) -> int:
        """About as many as the model wrote in it."""
        return math.ceil(START_FACTOR * sum(block_size(block).words for block in self.reply.blocks))

    def heard(self, *names: str) -> bool:
        """Whether one of these notices was said after it."""
        return any(is_notice(name, text) for name in names for text in self.said)

    def note_in(self, calls: Calls) -> None:
        """Take down its calls that have results."""
        results = {result.call_id: result for result in self.results}
        for call in self.reply.calls:
            if call.id in results:
                calls.recall(call, results[call.id])


def past_iterations(messages: Sequence[Message], last_reason: str | None) -> list[Past]:
    """The iterations of a run, from its own messages; what was said before its first reply follows an empty one.

    Args:
        last_reason: why the last reply ended, as it was kept.
    """
    pasts: list[Past] = []
    last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=-1)
    for at, message in enumerate(messages):
        if message.role == "assistant":
            pasts.append(Past(Replied.recalled(message.content, last_reason if at == last else None)))
            continue
        before = pasts.pop() if pasts else Past(Replied(()))
        results = tuple(block for block in message.content if isinstance(block, ToolResult))
        said = tuple(block.text for block in message.content if isinstance(block, Text))
        pasts.append(Past(before.reply, before.results + results, before.said + said))
    return pasts


@dataclass(slots=True)
class Standing:
    """Where a run stands after its past.

    Args:
        text: the model's last words.
        mid_text: whether its next words go on from there.
        continuations: how often it was asked to go on with a truncated reply.
        objections: how often a check of the agent had it go on.
        withheld: how often words of it were not shown.
        escalated: whether its replies have the larger limit by now.
        asked_again: whether it was asked for an answer after an empty reply.
        parting: whether it was asked for its last words.
        verdict: the guard's on the last iteration, unless a person has spoken since.
    """

    text: str = ""
    mid_text: bool = False
    continuations: int = 0
    objections: int = 0
    withheld: int = 0
    escalated: bool = False
    asked_again: bool = False
    parting: bool = False
    verdict: Verdict = Verdict()

    def take(self, past: Past, verdict: Verdict) -> None:
        """Count one more iteration, with the guard's verdict on it."""
        self.verdict = Verdict() if past.heard("person_answered") else verdict
        if not past.withheld:
            self.text = (self.text if self.mid_text else "") + past.reply.text or self.text
        self.mid_text = not past.results and past.heard(*MID_TEXT)
        self.continuations += not past.results and past.heard(*GOES_ON)
        self.withheld += past.withheld
        self.escalated = self.escalated or past.heard(*GOES_ON) or past.reply.stop_reason == TRUNCATED
        self.asked_again = self.asked_again or past.heard("answer_please")
        self.parting = self.parting or past.heard("soft_limit")
        self.objections += sum(
            text != verdict.say and not any(is_notice(name, text) for name in NO_OBJECTION) for text in past.said
        )


def standing_after(pasts: Sequence[Past], guard: Guard, calls: Calls) -> Standing:
    """Where a run stands; the guard has seen what was, and the calls are taken down. Nothing is told again (trap 7)."""
    standing = Standing()
    for past in pasts:
        past.note_in(calls)
        verdict = guard.after(past.reply, calls.of(past.reply.calls), past.output_tokens)
        if past.heard("person_answered"):
            guard.heeded()
        standing.take(past, verdict)
    return standing
