"""Servers with agents and tools that were added by configuration, each in a process and a folder of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.server import OfflineServer
from sprout.yaml_loader import load_yaml
from tests.project.commands import serve_sprout

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
USER = {"userId": DEFAULT_USER_ID}
SUMMARY = {
    "PYTHONPATH": f"{ROOT}:{EXAMPLES / 'custom_agent'}",
    "SPROUT_EXTRA_AGENTS": "summary_agent:make_agent",
}
STUDY_GUIDE = {**SUMMARY, "SPROUT_EXTRA_AGENTS": "summary_agent:make_agent,study_guide_agent:make_agent"}


def sprout_serving(
    folder: Path, **settings: str
) -> AbstractAsyncContextManager[tuple[asyncio.subprocess.Process, str]]:
    """`sprout serve` of this checkout, where `PYTHONPATH` is a setting like others."""
    return serve_sprout("serve", "--port", "0", folder=folder, **{"PYTHONPATH": str(ROOT), **settings})


@asynccontextmanager
async def import_fractions(address: str) -> AsyncIterator[tuple[httpx2.AsyncClient, list[dict[str, Any]]]]:
    """A client of a server that has the path of examples/fractions.yaml, and its nodes."""
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        path = load_yaml((EXAMPLES / "fractions.yaml").read_text())
        planted = (await client.post("/api/graphs", json=path)).raise_for_status().json()
        graph = (await client.get(f"/api/branches/{planted['branch']['id']}/graph")).json()
        yield client, graph["nodes"]


def first_of_kind(nodes: list[dict[str, Any]], kind: str) -> str:
    return next(str(node["id"]) for node in nodes if node["type"] == kind)


def model_settings(model: OfflineServer) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": model.base_url, "SPROUT_MODEL": "sprout-offline"}
