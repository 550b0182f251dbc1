"""Puts an agent to work without a model: calls its tools as the loop would, and ends its run."""

from collections.abc import Mapping
from typing import Any

from harness.agents.memory_repositories import RecordingTeam
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.events import AgentDone, NodeRow, Usage
from sprout.loop.model import Text, ToolUse
from sprout.loop.tools import Tool, result_content
from sprout.loop.turn import Forbid, TurnResult

NOTHING_CALLED: Mapping[str, Any] = {}


def a_job(node: NodeRow, *, small: bool = False, label: str = "topic", user_id: str = "ada") -> Job:
    return Job("run", "root-run", user_id, node.id, label, "sprout-offline", small, epoch=1)


def a_result(text: str = "", *, reason: str = "end_turn") -> TurnResult:
    return TurnResult(text, reason, (), (), Usage(output_tokens=7), 2)


async def briefed(spec: AgentSpec, node: NodeRow, *, small: bool = False, team: Team | None = None) -> Brief:
    brief = await spec.brief(a_job(node, small=small, label=spec.name), team or RecordingTeam())
    if brief.begin is not None:
        await brief.begin()
    return brief


def tool_of(brief: Brief, name: str) -> Tool:
    return next(tool for tool in brief.tools if tool.name == name)


async def called(brief: Brief, name: str, **fields: Any) -> Any:
    """Return the tool's result before it is converted to text."""
    tool = tool_of(brief, name)
    call = ToolUse(f"toolu_{name}", name, fields)
    output = await tool.run(tool.checked(call), call)
    assert result_content(output)
    return output


def request_of(brief: Brief) -> str:
    (message,) = brief.messages
    (block,) = message.content
    assert isinstance(block, Text)
    return block.text


async def correction_of(brief: Brief) -> str | None:
    (check,) = brief.stop_checks
    problem = await check(a_result())
    assert not isinstance(problem, Forbid)
    return problem


async def finished(brief: Brief, result: TurnResult | None) -> AgentDone:
    assert brief.finish is not None
    return await brief.finish(result)
