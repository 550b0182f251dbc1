"""A model that no suite may call."""

from collections.abc import AsyncGenerator

import pytest

from sprout.loop.model import ChatModel, ModelRequest, ReplyPart


class NoModel:
    """Fails the test that calls it."""

    def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        raise AssertionError("this suite calls no model")


@pytest.fixture
def no_model() -> ChatModel:
    return NoModel()
