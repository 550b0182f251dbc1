"""A tool name that nobody registered, matched to the one that was meant."""

from collections.abc import Mapping
from dataclasses import replace

from sprout.loop.model import ToolUse
from sprout.loop.tools import BadToolInput, Tool

MAX_DISTANCE = 2


def edit_distance(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed (Levenshtein, 1966)."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, against in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (letter != against))
    return row[-1]


def meant_tool(call: ToolUse, tools: Mapping[str, Tool]) -> Tool | None:
    """The one registered tool within distance 2 whose input the call fits; None when there is none, or a tie.

    Never a tool that is not safe to repeat: what was not named exactly is not done on a guess.
    """
    near = [tool for name, tool in tools.items() if edit_distance(call.name, name) <= MAX_DISTANCE]
    if len(near) != 1 or not near[0].retryable:
        return None
    try:
        near[0].checked(replace(call, name=near[0].name))
    except BadToolInput:
        return None
    return near[0]
