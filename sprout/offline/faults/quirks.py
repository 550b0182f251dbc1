"""Habits of models and servers that are no failures: what is said differs from what Anthropic's own API would say."""

from collections.abc import Callable
from dataclasses import replace

from sprout.offline.faults.scenarios import Scenario
from sprout.offline.reply import Body, Reply, TextOut, ToolOut

NO_TOKENS = {
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}
ABOUT_CALLS = "I will now save what is asked for. Everything has been saved, and the work is done."
THOUGHTS = "<think>They want me to go on. I go on.</think>\n"
ROUND = "and then we look at it once more from the other side, "


def _no_usage(reply: Reply, body: Body) -> Reply:
    return replace(reply, usage=NO_TOKENS)


def _whole_tool_input(reply: Reply, body: Body) -> Reply:
    return replace(reply, blocks=[replace(b, whole=True) if isinstance(b, ToolOut) else b for b in reply.blocks])


def _one_call(reply: Reply, body: Body) -> Reply:
    """The reply up to its first call."""
    first = next((at for at, block in enumerate(reply.blocks) if isinstance(block, ToolOut)), len(reply.blocks))
    return replace(reply, blocks=reply.blocks[: first + 1])


def _thinking_tags(reply: Reply, body: Body) -> Reply:
    first, *rest = reply.blocks or [TextOut("")]
    if isinstance(first, TextOut):
        return replace(reply, blocks=[TextOut(THOUGHTS + first.text), *rest])
    return replace(reply, blocks=[TextOut(THOUGHTS), first, *rest])


def _wrong_stop_reason(reply: Reply, body: Body) -> Reply:
    return replace(reply, stop_reason="end_turn" if reply.tool_calls else "tool_use")


def _tools_dropped(reply: Reply, body: Body) -> Reply:
    """Words about calls in place of calls: the template of the model has no place for tools."""
    return Reply([TextOut(ABOUT_CALLS)])


def _repeating(reply: Reply, body: Body) -> Reply:
    return Reply([TextOut("Let us begin, " + ROUND * 400)])


def _parrot(reply: Reply, body: Body) -> Reply:
    """The last words that were sent, said again."""
    content = body["messages"][-1]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    said = " ".join(block["text"] for block in blocks if block["type"] == "text")
    return Reply([TextOut(said or ABOUT_CALLS)])


QUIRKS: dict[Scenario, Callable[[Reply, Body], Reply]] = {
    Scenario.NO_USAGE: _no_usage,
    Scenario.WHOLE_TOOL_INPUT: _whole_tool_input,
    Scenario.ONE_CALL: _one_call,
    Scenario.THINKING_TAGS: _thinking_tags,
    Scenario.WRONG_STOP_REASON: _wrong_stop_reason,
    Scenario.TOOLS_DROPPED: _tools_dropped,
    Scenario.REPEATING: _repeating,
    Scenario.PARROT: _parrot,
}
