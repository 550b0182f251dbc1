"""The agent loop as a library: `run_turn` and what it is given. It needs no web, no database and no server."""

from sprout.loop.model import ChatModel, Image, Message, ModelTraits, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import Forbid, Step, TurnResult, run_turn

__all__ = [
    "ChatModel",
    "Effect",
    "Forbid",
    "Image",
    "LoopPolicy",
    "Message",
    "ModelTraits",
    "Step",
    "Stop",
    "Text",
    "Tool",
    "TurnResult",
    "run_turn",
    "tool",
]
