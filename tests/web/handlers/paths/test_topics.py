"""Topics over HTTP: what can be learned without notes, asked before anything is made, and from every other door."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.database.empty_sqlite import create_empty_database
from harness.servers.in_process import serve_app
from sprout.app import open_app, web_dependencies
from sprout.config import load_settings
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.web.routes import web_app

ROOT = Path(__file__).parents[4]
ME = {"userId": DEFAULT_USER_ID}
NOTES = b"""# Vaccines

A vaccine shows the body a harmless part of a germ. The immune system learns to recognise it. Memory cells keep it.

# Memory cells

Memory cells live for years. They answer quickly when the germ comes back. A booster makes their number grow again.
"""


@asynccontextmanager
async def offline_client(tmp_path: Path, **settings: Any) -> AsyncIterator[httpx2.AsyncClient]:
    create_empty_database(tmp_path)
    chosen = {"api_key": None, "base_url": None, "database_url": "", "offline_tokens_per_s": 100_000.0, **settings}
    async with (
        open_app(load_settings(data_dir=tmp_path, **chosen)) as sprout,
        serve_app(web_app(web_dependencies(sprout))) as served,
        httpx2.AsyncClient(base_url=f"{served.url}/api", timeout=60, verify=False) as client,
    ):
        yield client


async def a_topic(client: httpx2.AsyncClient, title: str) -> tuple[str, str]:
    branch = (await client.post("/branches", json={**ME, "title": title})).raise_for_status().json()["id"]
    root = {**ME, "type": "root", "title": title, "branchId": branch}
    return branch, (await client.post("/nodes", json=root)).raise_for_status().json()["id"]


async def run_of(client: httpx2.AsyncClient, branch: str, root: str) -> tuple[dict[str, Any], list[str]]:
    """The topic's run when it has ended, and the titles of the path's concepts."""
    events = await client.post(f"/agents/topics/{root}/run", json={**ME, "small": True})
    assert events.text.rstrip().rsplit("event: ", 1)[1].startswith("run_done")
    graph = (await client.get(f"/branches/{branch}/graph")).json()
    return graph["runs"][0], [node["title"] for node in graph["nodes"] if node["type"] == "concept"]


async def test_an_unknown_topic_is_refused_with_a_code_the_ways_on_and_the_courses_and_nothing_is_made(
    tmp_path: Path,
) -> None:
    async with offline_client(tmp_path) as client:
        answer = await client.post("/topics/check", json={"title": "How do vaccines work?"})
        body = answer.json()
        assert (answer.status_code, body["code"]) == (422, "unknown_topic")
        assert body["ways"] == ["add_notes", "choose_course", "connect_model"]
        assert "nothing about “How do vaccines work?”" in body["error"]
        offered = (await client.get("/status")).json()["suggestions"]
        assert [{**course, "near": False} for course in offered] == body["courses"]
        assert len(offered) == 3
        assert (await client.get("/branches", params=ME)).json() == []


async def test_a_topic_that_names_a_course_is_answered_with_it(tmp_path: Path) -> None:
    async with offline_client(tmp_path) as client:
        answer = await client.post("/topics/check", json={**ME, "title": "  bayes "})
        assert answer.status_code == 200
        assert answer.json()["title"] == "bayes"
        assert answer.json()["course"]["title"] == "Bayesian reasoning"
        assert answer.json()["course"]["concepts"] == 6


async def test_with_a_real_model_every_topic_can_be_learned(tmp_path: Path) -> None:
    async with offline_client(tmp_path, api_key="a-key", base_url="http://127.0.0.1:9") as client:
        answer = await client.post("/topics/check", json={"title": "How do vaccines work?"})
        assert (answer.status_code, answer.json()) == (200, {"title": "How do vaccines work?", "course": None})
        assert (await client.get("/status")).json()["suggestions"] == []


async def test_a_client_that_only_runs_an_unknown_topic_gets_a_run_with_a_clear_end_and_an_empty_path(
    tmp_path: Path,
) -> None:
    async with offline_client(tmp_path) as client:
        run, concepts = await run_of(client, *await a_topic(client, "How do vaccines work?"))
        assert (run["state"], run["error"]["code"], concepts) == ("failed", "unknown_topic", [])
        assert "Add notes on it, choose one of its courses" in run["error"]["message"]
        assert run["usage"]["outputTokens"] == 0


async def test_the_same_topic_grows_once_it_has_notes(tmp_path: Path) -> None:
    async with offline_client(tmp_path) as client:
        branch, root = await a_topic(client, "How do vaccines work?")
        assert (await run_of(client, branch, root))[1] == []
        files = {"files": ("notes.md", NOTES, "text/markdown")}
        (await client.post(f"/nodes/{root}/documents", files=files)).raise_for_status()
        run, concepts = await run_of(client, branch, root)
        assert run["state"] == "completed"
        assert concepts


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("broken.pdf", b"%PDF-1.4 broken", "None of your notes could be read. “broken.pdf” could not be read"),
        ("short.txt", b"Germs.", "Your notes say too little for a path about “Vaccines”"),
    ],
)
async def test_notes_that_give_no_path_end_the_run_with_what_is_wrong_with_them(
    name: str, content: bytes, says: str, tmp_path: Path
) -> None:
    async with offline_client(tmp_path) as client:
        branch, root = await a_topic(client, "Vaccines")
        (await client.post(f"/nodes/{root}/documents", files={"files": (name, content)})).raise_for_status()
        run, concepts = await run_of(client, branch, root)
        assert (run["state"], concepts) == ("failed", [])
        assert run["error"]["message"].startswith(says)


async def test_a_course_of_the_folder_is_offered_and_grows_and_a_broken_one_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "courses"
    folder.mkdir()
    (folder / "fractions.yaml").write_bytes((ROOT / "examples" / "fractions.yaml").read_bytes())
    (folder / "broken.yaml").write_text("sprout_path: 1\ntitle: Broken\ntopic: {title: Broken}\ncolour: red\n")
    async with offline_client(tmp_path, courses_dir=folder) as client:
        (fault,) = [record for record in caplog.records if record.message == "courses.not_offered"]
        assert (fault.__dict__["path"], fault.__dict__["line"]) == (str(folder / "broken.yaml"), 4)
        offered = [course["title"] for course in (await client.get("/status")).json()["suggestions"]]
        assert offered[3:] == ["Fractions"]
        checked = await client.post("/topics/check", json={"title": "fractions"})
        assert checked.json()["course"]["title"] == "Fractions"
        branch, root = await a_topic(client, "fractions")
        events = await client.post(f"/agents/topics/{root}/run", json={**ME, "small": False})
        assert events.status_code == 200
        graph = (await client.get(f"/branches/{branch}/graph")).json()
        assert graph["runs"][0]["state"] == "completed"
        titles = {node["title"] for node in graph["nodes"]}
        assert {"A fraction as equal parts", "Equal fractions", "Adding fractions", "The denominator"} <= titles
        concept = next(node for node in graph["nodes"] if node["title"] == "A fraction as equal parts")
        diagnostic = (await client.get(f"/agents/concepts/{concept['id']}/diagnostic", params=ME)).json()
        assert len(diagnostic["questions"]) == 2
