"""Model whose agents save first and close in a reply of their own, as models do that say one thing at a time."""

from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, ToolOut


class ClosesLater:
    """The built-in model, without the closing call where it stands beside others."""

    def __init__(self) -> None:
        self._demo = demo_model()

    def answer(self, body: Body) -> Reply:
        reply = self._demo.answer(body)
        others = [block for block in reply.blocks if not (isinstance(block, ToolOut) and block.name[:6] == "close_")]
        return Reply(others) if any(isinstance(block, ToolOut) for block in others) else reply
