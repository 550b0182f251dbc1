"""What comes after an iteration: the loop goes on, and with which words, or the turn ends, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop import replied
from sprout.loop.asking import Asking
from sprout.loop.checks import Onward
from sprout.loop.guard import Guard, Verdict
from sprout.loop.human import HumanQuestion
from sprout.loop.model import Message, ToolResult
from sprout.loop.notices import notice
from sprout.loop.past import Standing
from sprout.loop.policy import LoopPolicy
from sprout.loop.replied import Replied
from sprout.loop.stop import Stop
from sprout.loop.tools import Tool

TARGET_SHARE = 0.9
TIMES_WITHHELD = 2  # after which the words are not asked for again
MID_TEXT = frozenset({"max_output_tokens_recovery", "partial_turn_kept"})


@dataclass(frozen=True, slots=True)
class Ending:
    """The turn ends.

    Args:
        reason: as `TurnResult.reason` has it.
        question: what a person must be asked.
        problems: what was not well in the end.
    """

    reason: str
    question: HumanQuestion | None = None
    problems: tuple[str, ...] = ()

    @property
    def normal(self) -> bool:
        """Whether the model is done by itself, so that the agent's checks have a say."""
        return self.reason in ("end_turn", "stop_sequence")


class Following:
    """Decides after each iteration of a turn, and counts what may happen only so often.

    `text` is what the model has said last; `withheld` the form of those words of its that are not shown for good.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        transcript: Sequence[Message],
        policy: LoopPolicy,
        stop: Stop,
        asking: Asking,
        guard: Guard,
        token_target: int | None,
    ) -> None:
        self.text = ""
        self.withheld: str | None = None
        self._tools = tools
        self._transcript = transcript
        self._policy = policy
        self._stop = stop
        self._asking = asking
        self._guard = guard
        self._token_target = token_target
        self._mid_text = False
        self._continuations = 0
        self._asked_again = False
        self._times_withheld = 0

    def take_up(self, standing: Standing) -> None:
        """Count on from where another carrier stood."""
        self.text, self._mid_text = standing.text, standing.mid_text
        self._continuations, self._asked_again = standing.continuations, standing.asked_again
        self._times_withheld = standing.withheld

    def after(self, reply: Replied, results: Sequence[ToolResult]) -> Ending | Onward:
        """What comes after an iteration."""
        if reply.stop_reason != replied.WITHHELD:
            self.text = (self.text if self._mid_text else "") + reply.text or self.text
        if self._stop.requested:
            if results and self._asking.transitions[-1:] != ["aborted_streaming"]:
                self._asking.transitions.append("aborted_tools")
            return Ending("cancelled")
        if self._asking.spent is not None:
            return Ending("budget", problems=(self._asking.spent,))
        if self._asking.failure is not None:
            return Ending("failed")
        return self._after_reply(reply, results)

    def goes_on(self, onward: Onward, results: Sequence[ToolResult]) -> None:
        """The loop does go on; the model's next words may belong to its last ones."""
        self._asking.transitions.append(onward.code)
        self._mid_text = not results and onward.code in MID_TEXT

    def ending_by(self, verdict: Verdict) -> Ending | None:
        """The ending that the guard demands; None: it demands none."""
        if verdict.failure is not None:
            self._asking.failure = verdict.failure
            return Ending("failed")
        if verdict.question is not None:
            return Ending("waiting_on_human", verdict.question)
        return Ending("end_turn", problems=(notice("no_progress"),)) if verdict.stalled else None

    def _after_reply(self, reply: Replied, results: Sequence[ToolResult]) -> Ending | Onward:
        if reply.stop_reason == replied.WITHHELD and not self._ends_turn(reply, results):
            return self._after_withheld(reply, results)
        if results:
            return self._after_results(reply, results)
        match reply.stop_reason:
            case replied.CUT:
                return Onward("partial_turn_kept", notice("connection_cut"))
            case "pause_turn":
                return Onward("pause_turn")
            case "refusal":
                return Ending("refusal")
            case replied.TRUNCATED if self._continuations < self._policy.max_continuations:
                self._continuations += 1
                return Onward("max_output_tokens_recovery", notice("cut_input" if reply.cut_in_a_call else "go_on"))
            case replied.TRUNCATED:
                said = "The model's reply was cut off again and again."
                self._asking.failure = ModelFailure(ModelFailureKind.BAD_REQUEST, said)
                return Ending("failed")
            case "model_context_window_exceeded":
                return Onward("partial_turn_kept", notice("go_on"))
            case reason:
                return self._after_words(reply, "stop_sequence" if reason == "stop_sequence" else "end_turn")

    def _after_results(self, reply: Replied, results: Sequence[ToolResult]) -> Ending | Onward:
        if self._ends_turn(reply, results):
            return Ending("end_turn")
        say = notice("cut_input") if reply.cut_in_a_call else None
        return Onward("partial_turn_kept" if reply.stop_reason == replied.CUT else "next_turn", say)

    def _ends_turn(self, reply: Replied, results: Sequence[ToolResult]) -> bool:
        called = [self._tools.get(call.name) for call in reply.calls]
        return any(tool and tool.ends_turn for tool in called) and not any(result.is_error for result in results)

    def _after_withheld(self, reply: Replied, results: Sequence[ToolResult]) -> Ending | Onward:
        """H2: words that were not shown are asked for again, but not for ever."""
        form = self._asking.attempt.withheld or replied.WITHHELD
        if self._times_withheld >= TIMES_WITHHELD:
            self.withheld = form
            return Ending("end_turn")
        self._times_withheld += 1
        told = any(tool and tool.spoken for tool in (self._tools.get(call.name) for call in reply.calls))
        return Onward("stop_hook_correction", None if results and told else notice("withheld", form=form))

    def _after_words(self, reply: Replied, reason: str) -> Ending | Onward:
        answers_results = any(isinstance(block, ToolResult) for block in self._transcript[-1].content)
        if not reply.has_substance and answers_results and not self._asked_again:
            self._asked_again = True
            return Onward("empty_retry", notice("answer_please"))
        if self._guard.question is not None:
            return Ending("waiting_on_human", self._guard.question)
        done = self._asking.usage.output_tokens
        if self._token_target is not None and done < TARGET_SHARE * self._token_target:
            return Onward("token_target_continuation", notice("keep_working", done=done, target=self._token_target))
        return Ending(reason)
