"""Repair of misspelled tool names by edit distance."""

from collections.abc import Mapping
from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from sprout.loop.model import ToolUse
from sprout.loop.tools import BadToolInput, Tool

MAX_DISTANCE = 2


def nearest_tool(call: ToolUse, tools: Mapping[str, Tool]) -> Tool | None:
    """The one registered tool within a Levenshtein distance of 2 whose input the call fits; None without one, or in a
    tie.

    Never a tool that is not safe to repeat: a guess must not change anything.
    """
    near = [
        tool
        for name, tool in tools.items()
        if Levenshtein.distance(call.name, name, score_cutoff=MAX_DISTANCE) <= MAX_DISTANCE
    ]
    if len(near) != 1 or not near[0].retryable:
        return None
    try:
        near[0].checked(replace(call, name=near[0].name))
    except BadToolInput:
        return None
    return near[0]
