"""Model routes: one ChatModel before several servers, chosen by the name of the model."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from sprout.loop.model import ChatModel, ModelRequest, ReplyPart


class ModelRoutes:
    """A ChatModel that passes each request on to the server of its model.

    Args:
        others: models of servers of their own, by name; every other name is of `default`.
    """

    def __init__(self, default: ChatModel, others: Mapping[str, ChatModel]) -> None:
        self._default = default
        self._others = others

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        async with aclosing(self._others.get(request.model, self._default).reply(request)) as parts:
            async for part in parts:
                yield part
