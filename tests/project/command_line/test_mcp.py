"""`sprout mcp`: what it says where it can use no server, and what an assistant is told while there is none."""

import socket
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from harness.clients.assistant import Assistant, started
from harness.servers.web import a_static_folder, serving_web
from sprout.cli import main
from sprout.web.mcp.tools import TOOLS


def test_O3_without_a_server_the_command_says_to_start_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--url", "http://127.0.0.1:9"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "sprout: No Sprout server answers at http://127.0.0.1:9: start it with `sprout serve`, or say where it is with "
        "--url.\n"
    )


async def test_O3_a_server_that_was_away_is_used_again_in_the_same_session(tmp_path: Path) -> None:
    static = a_static_folder(tmp_path)
    async with AsyncExitStack() as stack:
        async with serving_web(tmp_path, static, listening_on=socket.create_server(("127.0.0.1", 0))) as web:
            port = web.served.port
            assistant = await stack.enter_async_context(started(web.served.url))
            assert await assistant.tools() == [tool.name for tool in TOOLS]
            assert (await assistant.call("list_paths"))["paths"] == []
        assert "start it with `sprout serve`" in await told(assistant)
        async with serving_web(tmp_path, static, listening_on=socket.create_server(("127.0.0.1", port))):
            assert (await assistant.call("list_paths"))["paths"] == []


async def told(assistant: Assistant) -> str:
    """What is said of a call that got no result."""
    result = await assistant.client.call_tool("list_paths")
    (content,) = result.content
    assert result.is_error
    assert content.type == "text"
    return content.text
