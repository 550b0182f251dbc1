"""Log of a whole server while all its secrets are used: it contains none (faults.md I-12, D18)."""

import asyncio
import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.project.commands import read_address, start_sprout

ROOT = Path(__file__).parents[3]
WORD = "zebrafinch"
SECRET = re.compile(rf"{WORD}\w*", re.IGNORECASE)
ME = {"userId": DEFAULT_USER_ID}
SETTINGS = {
    "PYTHONPATH": str(ROOT),
    "SPROUT_LOG_FORMAT": "json",
    "SPROUT_LOG_LEVEL": "debug",
    "SPROUT_PORT": "0",
    "ANTHROPIC_API_KEY": f"sk-ant-{WORD}Key",
    "ANTHROPIC_BASE_URL": f"http://{WORD}User:{WORD}Password@127.0.0.1:9",
}
CRASHES = f"""
import gc, sys, threading
from sprout.telemetry.uncaught_exceptions import log_uncaught_exceptions
from sprout.telemetry.logs import configure_logging

class Broken:
    def __del__(self):
        raise ValueError("{WORD}")

def broken():
    raise KeyError("{WORD}")

configure_logging("debug", "json")
log_uncaught_exceptions()
Broken()
thread = threading.Thread(target=broken)
thread.start()
thread.join()
raise RuntimeError("{WORD}") from ValueError("{WORD}")
"""


async def asked_everything(url: str) -> None:
    """Send the word in every place where a person or a program puts what nobody else should read."""
    headers = {
        "Cookie": f"session={WORD}Cookie", "Authorization": f"Bearer {WORD}Token", "Idempotency-Key": f"{WORD}-key",
        "Last-Event-ID": WORD, "User-Agent": WORD, "Referer": f"http://localhost/{WORD}",
    }  # fmt: skip
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        title = {**ME, "title": f"{WORD} {WORD}@example.org"}
        branch = (await client.post("/api/branches", json=title)).json()["id"]
        root = (await client.post("/api/nodes", json={**title, "type": "root", "branchId": branch})).json()["id"]
        notes = {"files": (f"{WORD}.md", f"# {WORD}\n\nA {WORD} sings.".encode())}
        assert (await client.post(f"/api/nodes/{root}/documents", files=notes)).status_code == 201
        await client.post(f"/api/nodes/{root}/documents", files={"files": (f"{WORD}.exe", b"\0" + WORD.encode())})
        session = (await client.post("/api/chat/sessions", json={**ME, "nodeId": root})).json()["id"]
        message = {**ME, "role": "user", "content": f"My password is {WORD}"}
        assert (await client.post(f"/api/chat/sessions/{session}/messages", json=message)).status_code == 201
        await client.post(f"/api/chat/sessions/{session}/tutor", json={**ME, "content": f"[ANSWER]\n{WORD}"})
        for path in (f"/api/{WORD}", f"/api/nodes/{WORD}", f"/api/nodes?q={WORD}&api_key={WORD}", f"/{WORD}%00"):
            await client.get(path)
        await client.post("/api/branches", content=f'{{"{WORD}'.encode(), headers={"Content-Type": "application/json"})
        await client.post("/api/branches", json={**ME, "title": [WORD]})
        for key in (f"{WORD} {WORD}", f"{WORD}Key"):
            await client.put("/api/model-key", json={"key": key})
        await client.get("/api/health", headers={"Host": f"{WORD}.example"})
        await client.post("/api/branches", json=title, headers={"Origin": f"https://{WORD}.example"})
        async with client.stream("POST", f"/api/agents/topics/{root}/run", json={**ME, "small": True}) as events:
            async for line in events.aiter_lines():
                if line.startswith(("event: model_retry", "event: run_done")):
                    break


async def asked_no_http(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"{WORD} {WORD}\r\n\r\n".encode())
    await reader.read()
    writer.close()


def damaged(file: Path) -> None:
    """Put the word where a time should be, so that reading it breaks with the word in the exception."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("update branches set created_at = ?", (f"{WORD}Time",))


@pytest.mark.parametrize("key_from", ["environment", "data folder"])
async def test_I12_the_log_of_a_server_holds_no_secret_even_when_debugging(key_from: str, tmp_path: Path) -> None:
    settings = {**SETTINGS}
    if key_from == "data folder":
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "model-key").write_text(settings.pop("ANTHROPIC_API_KEY"))
    process = await start_sprout("serve", folder=tmp_path, **settings)
    try:
        async with asyncio.timeout(120):
            url = await read_address(process)
            await asked_everything(url)
            await asked_no_http(url)
            damaged(tmp_path / "data" / "sprout.sqlite3")
            async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
                answers = [
                    await client.get(path)
                    for path in (f"/api/branches?userId={DEFAULT_USER_ID}", "/api/branches/summary")
                ]
            assert not any(SECRET.search(answer.text) for answer in answers if answer.is_error)
    finally:
        if process.returncode is None:
            process.terminate()
        out, err = await process.communicate()
    written = out.decode() + err.decode()
    assert SECRET.findall(written) == [], written
    events = {json.loads(line)["event"] for line in err.decode().splitlines()}
    assert {"agent_run.started", "agent.model.retry", "Invalid HTTP request received."} <= events, events


@pytest.mark.parametrize(
    "url",
    [f"postgresql://sprout:{WORD}@127.0.0.1:1/sprout", f"postgresql://{WORD}:{WORD}@127.0.0.1:1/sprout?sslmode=x"],
)
async def test_I12_a_database_that_cannot_be_reached_is_told_without_its_password(url: str, tmp_path: Path) -> None:
    settings = {**SETTINGS, "DATABASE_URL": url}
    process = await start_sprout("serve", folder=tmp_path, **settings)
    out, err = await process.communicate()
    assert process.returncode == 1
    assert f":{WORD}@" not in (out + err).decode()


async def test_I12_what_nobody_catches_is_told_by_its_type_and_place(tmp_path: Path) -> None:
    process = await start_sprout("-c", CRASHES, folder=tmp_path, program=sys.executable, PYTHONPATH=str(ROOT))
    out, err = await process.communicate()
    assert process.returncode == 1
    assert WORD not in (out + err).decode()
    errors = {entry["event"]: entry["error"] for entry in map(json.loads, err.decode().splitlines())}
    assert errors == {
        "object.unraisable": "ValueError",
        "thread.crashed": "KeyError",
        "process.crashed": "RuntimeError < ValueError",
    }
