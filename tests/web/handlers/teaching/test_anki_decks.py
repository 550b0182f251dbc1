"""Decks of Anki over HTTP: a deck of Sprout is known where it comes from, and is questions elsewhere (open.md O1)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web
from sprout.yaml_loader import load_yaml

EXAMPLES = Path(__file__).parents[4] / "examples"
FRACTIONS: dict[str, Any] = load_yaml((EXAMPLES / "fractions.yaml").read_text(encoding="utf-8"))
ROOM = replace(WEB_LIMITS, json_max_bytes=2_000_000, graph_max_bytes=2_000_000, upload_max_bytes=2_000_000)


async def a_concept(web: Web, path: dict[str, Any]) -> str:
    """The id of the first concept of a new path."""
    branch = (await web.client.post("/api/graphs", json=path)).json()["branch"]["id"]
    nodes = (await web.client.get("/api/nodes", params={"branchId": branch, "type": "concept"})).json()
    return str(next(node["id"] for node in nodes if node["title"] == path["concepts"][0]["title"]))


async def add(web: Web, node_id: str, deck: bytes) -> tuple[int, int, int]:
    """The numbers of questions that were added, were there already and were left out."""
    files = {"files": ("cards.apkg", deck)}
    came = (await web.client.post(f"/api/nodes/{node_id}/questions/import", files=files)).json()
    return came["added"], came["alreadyThere"], came["leftOutCount"]


async def test_O1_a_deck_of_sprout_adds_nothing_where_it_is_from_and_everything_once_elsewhere(tmp_path: Path) -> None:
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=ROOM) as web:
        known = await a_concept(web, FRACTIONS)
        unasked = [concept | {"questions": []} for concept in FRACTIONS["concepts"]]
        other = await a_concept(web, FRACTIONS | {"concepts": unasked})
        deck = (await web.client.get("/api/learner/cards.apkg", params={"nodeId": known, "answers": "true"})).content
        questions = FRACTIONS["concepts"][0]["questions"]
        assert await add(web, known, deck) == (0, len(questions), 0)
        assert await add(web, other, deck) == (len(questions), 0, 0)
        assert await add(web, other, deck) == (0, len(questions), 0)
        (recall,) = (await web.client.get("/api/assessments", params={"targetNodeId": other})).json()
        shown = (await web.client.get(f"/api/assessments/{recall['id']}/questions")).json()
        assert {one["prompt"] for one in shown} == {one["prompt"].strip() for one in questions}
        assert sum(one["format"] == "mcq" for one in shown) == sum(one["format"] == "mcq" for one in questions) > 0
