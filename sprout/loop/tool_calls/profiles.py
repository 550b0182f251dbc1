"""Tool profiles: which of an agent's tools may be called in a run.

All of them stay declared, so that runs of different profiles share one cached prefix.
"""

from collections.abc import Iterable, Sequence

from sprout.loop.model import Message, ToolResult, ToolUse
from sprout.loop.tools import Profile, Tool


def callable_tools(tools: Iterable[Tool], profile: Profile, transcript: Sequence[Message] = ()) -> frozenset[str]:
    """Names of the tools of a profile, and of those of which a call in the transcript has succeeded."""
    blocks = [block for message in transcript for block in message.content]
    succeeded = {block.call_id for block in blocks if isinstance(block, ToolResult) and not block.is_error}
    used = {block.name for block in blocks if isinstance(block, ToolUse) and block.id in succeeded}
    return frozenset(tool.name for tool in tools if tool.profile <= profile or tool.name in used)
