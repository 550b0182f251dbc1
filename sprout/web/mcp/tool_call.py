"""Call of a tool: its requests, one after the other, and what came of them as one JSON object."""

import json
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from sprout.errors import BadInput, NotSignedIn, SproutError
from sprout.web.http.endpoint import Call
from sprout.web.http.failures import handle_expected, unexpected_response
from sprout.web.http.parsing import validate
from sprout.web.mcp.endpoint_call import call_endpoint
from sprout.web.mcp.progress import Report, follow_run
from sprout.web.mcp.tool import Arguments, Following, Results, Tool
from sprout.web.mcp.tools import TOOLS_BY_NAME
from sprout.web.schemas.run_responses import run_row
from sprout.web.stream.learner_stream import check_stream_room, track_stream

McpCall = Call[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The JSON object that a call comes back with; with `failed`, that of an error response."""

    value: dict[str, Any]
    failed: bool = False


async def call_tool(call: McpCall, name: str, arguments: Arguments, report: Report) -> ToolResult:
    """The result, or the failure as the API tells it."""
    try:
        return ToolResult(await _call(call, name, arguments, report))
    except SproutError as error:
        return _failure(await handle_expected(call.request, error))
    except Exception as error:  # noqa: BLE001 a bug, which is logged, and whose words stay here
        return _failure(unexpected_response(error, call.request.scope))


def _failure(response: Response) -> ToolResult:
    return ToolResult(json.loads(bytes(response.body)), failed=True)


async def _call(call: McpCall, name: str, arguments: Arguments, report: Report) -> Results:
    tool = TOOLS_BY_NAME.get(name)
    if tool is None:
        raise BadInput(f"There is no tool {name[:80]!r}; there are {', '.join(TOOLS_BY_NAME)}.")
    _check_names(tool, arguments)
    following = _following(tool, arguments)
    if following is not None:
        await check_stream_room(call)
    results: Results = {}
    for each in tool.steps:
        results[each.result] = await call_endpoint(call, each, arguments, each.chosen(results))
    if following is None or tool.follows is None:
        return results
    return await _follow(call, results[tool.follows]["id"], following, report)


def _check_names(tool: Tool, arguments: Arguments) -> None:
    """Raises BadInput for an argument that the tool does not take, or an id that is missing."""
    for name in arguments:
        if name not in tool.arguments:
            known = f"it takes {', '.join(sorted(tool.arguments))}" if tool.arguments else "it takes none"
            raise BadInput(f"{tool.name} has no argument {name[:80]!r}; {known}.", field=name[:80])
    for name in tool.ids:
        if not isinstance(arguments.get(name), str) or not arguments[name]:
            raise BadInput(f"{name}: is required and must be text", field=name)


def _following(tool: Tool, arguments: Arguments) -> Following | None:
    if tool.follows is None:
        return None
    given = {name: value for name, value in arguments.items() if name in Following.model_fields}
    return validate(Following, given)


async def _follow(call: McpCall, run_id: str, following: Following, report: Report) -> Results:
    """What happened in a run, and how it stands then."""
    runs = call.dependencies.runs
    run, said = await runs.run(run_id, user_id=call.user_id), None
    async with track_stream(call):
        said = await follow_run(runs, run, report, after=following.after, seconds=following.seconds)
    if said is None:  # the caller was signed out meanwhile
        raise NotSignedIn
    return {"events": said, "run": run_row(await runs.run(run_id, user_id=call.user_id)).model_dump(mode="json")}
