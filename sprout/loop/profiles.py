"""Which of an agent's tools a run is given: fewer tools cost fewer tokens (loop.md T5)."""

import re
from collections.abc import Sequence

from sprout.loop.model import Message, ToolUse
from sprout.loop.tools import Profile, Tool

LONG_WORDS = 60
SMALL_TALK = re.compile(
    r"^\W*(hi|hello|hey|good (morning|evening|afternoon)|thanks?|thank you|ok(ay)?|yes|no|bye|how are you)\b"
    r"[\w\s,.!?']{0,40}$",
    re.IGNORECASE,
)
OUTSIDE = re.compile(r"\b(integration|connector|plugin|mcp|external (tool|service)s?)\b", re.IGNORECASE)


def classified(request: str) -> Profile:
    """The profile for a person's words: little for small talk, all where tools from outside are named.

    Whatever is long or unclear gets the standard tools: one tool too few costs more than one too many.
    """
    if OUTSIDE.search(request):
        return Profile.FULL
    if len(request.split()) < LONG_WORDS and SMALL_TALK.match(request):
        return Profile.CONVERSATIONAL
    return Profile.STANDARD


def offered(tools: Sequence[Tool], profile: Profile, transcript: Sequence[Message] = ()) -> tuple[Tool, ...]:
    """The tools of a profile, in their order, and those that the transcript has used already."""
    used = {block.name for message in transcript for block in message.content if isinstance(block, ToolUse)}
    return tuple(tool for tool in tools if tool.profile <= profile or tool.name in used)
