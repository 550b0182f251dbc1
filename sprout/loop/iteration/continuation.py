"""Continuation policy: after an iteration, the words with which the loop goes on, or the reason to end the turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop import model_reply
from sprout.loop.human import HumanQuestion
from sprout.loop.model import ToolResult
from sprout.loop.model_notices import notice
from sprout.loop.model_reply import ModelReply
from sprout.loop.policy import LoopPolicy
from sprout.loop.progress.loop_guard import GuardVerdict
from sprout.loop.progress.stop_checks import Continue
from sprout.loop.state import Ending, TurnState
from sprout.loop.tools import Tool

TARGET_SHARE = 0.9
MAX_WITHHELD = 2  # requests for other words; after that the reply stays withheld
JOINS_TEXT = frozenset({"max_output_tokens_recovery", "partial_turn_kept"})

NextStep = Continue | Ending


@dataclass(frozen=True, slots=True)
class ContinuationPolicy:
    """Decisions after an iteration; each returns the state changed by what it counts.

    Args:
        token_target: output tokens of which at least nine tenths are wanted before the end.
    """

    tools: Mapping[str, Tool]
    policy: LoopPolicy
    token_target: int | None = None

    def next_step(
        self,
        state: TurnState,
        reply: ModelReply,
        results: Sequence[ToolResult],
        *,
        stopped: bool,
        question: HumanQuestion | None,
    ) -> tuple[TurnState, NextStep]:
        """State and next step after an iteration.

        Args:
            stopped: whether the turn was asked to stop.
            question: the loop guard's, for a model that ends its turn although it had to ask.
        """
        if reply.stop_reason != model_reply.WITHHELD:
            state = state.with_text_of(reply)
        if stopped:
            if results and state.transitions[-1:] != ("aborted_streaming",):
                state = state.with_transition("aborted_tools")
            return state, Ending("cancelled")
        if state.ending is not None:
            return state, state.ending
        if state.failure is not None:
            return state, Ending("failed")
        if reply.stop_reason == model_reply.WITHHELD and not self._ends_turn(reply, results):
            return self._after_withheld(state, reply, results)
        if results:
            return state, self._after_results(reply, results)
        return self._after_words(state, reply, question)

    def _after_results(self, reply: ModelReply, results: Sequence[ToolResult]) -> NextStep:
        if self._ends_turn(reply, results):
            return Ending("end_turn")
        message = notice("cut_input") if reply.cut_in_a_call else None
        return Continue("partial_turn_kept" if reply.stop_reason == model_reply.CUT else "next_turn", message)

    def _after_words(
        self, state: TurnState, reply: ModelReply, question: HumanQuestion | None
    ) -> tuple[TurnState, NextStep]:
        match reply.stop_reason:
            case model_reply.CUT:
                return state, Continue("partial_turn_kept", notice("connection_cut"))
            case "pause_turn":
                return state, Continue("pause_turn")
            case "refusal":
                return state, Ending("refusal")
            case model_reply.TRUNCATED if state.continuations < self.policy.max_continuations:
                message = notice("cut_input" if reply.cut_in_a_call else "go_on")
                state = replace(state, continuations=state.continuations + 1)
                return state, Continue("max_output_tokens_recovery", message)
            case model_reply.TRUNCATED:
                why = "The model's reply was cut off again and again."
                return replace(state, failure=ModelFailure(ModelFailureKind.BAD_REQUEST, why)), Ending("failed")
            case "model_context_window_exceeded":
                return state, Continue("partial_turn_kept", notice("go_on"))
            case reason:
                ending = Ending("stop_sequence" if reason == "stop_sequence" else "end_turn")
                return self._after_normal_end(state, reply, ending, question)

    def _after_normal_end(
        self, state: TurnState, reply: ModelReply, ending: Ending, question: HumanQuestion | None
    ) -> tuple[TurnState, NextStep]:
        answers_results = any(isinstance(block, ToolResult) for block in state.transcript[-1].content)
        if not reply.has_substance and answers_results and not state.answer_requested:
            return replace(state, answer_requested=True), Continue("empty_retry", notice("answer_please"))
        if question is not None:
            return state, Ending("waiting_on_human", question)
        done = state.usage.output_tokens
        if self.token_target is not None and done < TARGET_SHARE * self.token_target:
            message = notice("keep_working", done=done, target=self.token_target)
            return state, Continue("token_target_continuation", message)
        return state, ending

    def _ends_turn(self, reply: ModelReply, results: Sequence[ToolResult]) -> bool:
        called = [self.tools.get(call.name) for call in reply.calls]
        return any(tool and tool.ends_turn for tool in called) and not any(result.is_error for result in results)

    def _after_withheld(
        self, state: TurnState, reply: ModelReply, results: Sequence[ToolResult]
    ) -> tuple[TurnState, NextStep]:
        """Withheld words are asked for again, but not for ever."""
        form = reply.withheld or model_reply.WITHHELD
        if state.withheld_count >= MAX_WITHHELD:
            return replace(state, withheld=form), Ending("end_turn")
        state = replace(state, withheld_count=state.withheld_count + 1)
        in_a_call = any(tool and tool.spoken for tool in (self.tools.get(call.name) for call in reply.calls))
        message = None if results and in_a_call else notice("withheld", form=form)
        return state, Continue("stop_hook_correction", message)


def continued(state: TurnState, step: Continue, results: Sequence[ToolResult]) -> TurnState:
    """The state of a turn that goes on; the model's next words may continue its last ones."""
    joins_text = not results and step.code in JOINS_TEXT
    transitions = (*state.transitions, step.code)
    return replace(state, transitions=transitions, phase="ready", joins_text=joins_text)


def no_tool_calls() -> ModelFailure:
    """The failure of a turn whose model only speaks about the work, also once it was corrected."""
    return ModelFailure(
        ModelFailureKind.NO_TOOL_CALLS,
        "The model called no tool, also when it was asked again, so it cannot do this work. Choose another with"
        " SPROUT_MODEL; `sprout doctor --model` shows what it can do.",
    )


def ended_by(state: TurnState, verdict: GuardVerdict) -> TurnState:
    """The state after the loop guard's verdict: ended, where the verdict demands it."""
    if verdict.failure is not None:
        return replace(state, failure=verdict.failure).ended("failed")
    if verdict.question is not None:
        return state.ended("waiting_on_human", question=verdict.question)
    if verdict.stuck is not None:
        return state.ended("stuck", problems=(verdict.stuck,))
    return state.ended("end_turn", problems=(notice("no_progress"),)) if verdict.stalled else state
