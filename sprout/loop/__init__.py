"""The agent loop as a library: `run_turn` and its arguments. It needs no web, no database and no server."""

from sprout.loop.model import ChatModel, Image, Message, ModelTraits, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import Forbid, ResumeState, Step, TurnHooks, TurnOptions, TurnResult, run_turn

__all__ = [
    "ChatModel",
    "Effect",
    "Forbid",
    "Image",
    "LoopPolicy",
    "Message",
    "ModelTraits",
    "ResumeState",
    "Step",
    "Stop",
    "Text",
    "Tool",
    "TurnHooks",
    "TurnOptions",
    "TurnResult",
    "run_turn",
    "tool",
]
