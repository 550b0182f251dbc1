"""C8 and M2 through `sprout serve`: what a lesson finds out is remembered before it leaves the window."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.reply import ToolOut
from sprout.offline.script import Scripted
from sprout.offline.server import running_offline_server
from tests.project.extended_server import USER, import_fractions, model_settings, sprout_serving
from tests.web.handlers.teaching.lesson_server import calls, checkpoint

WINDOW = 16_000  # instructions, tools and the lookups take a quarter, each example an eighth
LOOKUPS = (ToolOut("check_student_progress"), ToolOut("check_prerequisite_mastery"))
SHOWN = ToolOut("generate_example", {"title": "Cakes", "body": "A cake is cut, and a piece is eaten. " * 200})
SCORE = "Before the lesson on “The denominator”, 0% of the diagnostic was right."
MISSED = f"{SCORE} Missed: A cake is cut into 8 equal pieces and Mina eats 3. Which part of the…"
WEAK = "Before the lesson on “The denominator”, this was not secure yet: The whole"


def node_of(nodes: list[dict[str, Any]], title: str) -> str:
    return next(str(node["id"]) for node in nodes if node["title"] == title)


async def answer_wrongly(client: httpx2.AsyncClient, concept: str) -> None:
    """Miss the diagnostic's question on the denominator."""
    listed = (await client.get("/api/assessments", params=USER)).json()
    found = next(one["id"] for one in listed if one["targetNodeId"] == concept)
    questions = (await client.get(f"/api/assessments/{found}/questions")).json()
    asked = next(one for one in questions if one["format"] == "mcq")
    answer = {**USER, "questionId": asked["id"], "selectedOption": "3/8"}
    (await client.post(f"/api/assessments/{found}/answers", json=answer)).raise_for_status()


@pytest.mark.parametrize("remembers", ["true", "false"])
async def test_C8_M2_what_a_compaction_cuts_is_among_the_learners_memories(tmp_path: Path, remembers: str) -> None:
    script = Scripted([calls(*LOOKUPS), calls(SHOWN), calls(SHOWN), calls(checkpoint())])
    settings = {"SPROUT_AGENTS__TUTOR__CONTEXT_WINDOW": str(WINDOW), "SPROUT_AGENTS__TUTOR__MEMORY": remembers}
    async with (
        running_offline_server(script) as model,
        sprout_serving(tmp_path, **settings, **model_settings(model)) as (_, address),
        import_fractions(address) as (client, nodes),
    ):
        await answer_wrongly(client, node_of(nodes, "A fraction as equal parts"))
        begun = {**USER, "nodeId": node_of(nodes, "The denominator")}
        session = (await client.post("/api/chat/sessions", json=begun)).raise_for_status().json()
        turn = await client.post(f"/api/chat/sessions/{session['id']}/tutor", json={**USER, "content": ""})
        memories = (await client.get("/api/memories", params={"userId": DEFAULT_USER_ID})).json()
        events = (await client.get(f"/api/runs/{turn.json()['runId']}/events")).text
    assert turn.status_code == 200, turn.text
    assert "context_compacted" in events
    assert "masteryScore" not in str(model.requests[-1].body["messages"]), "the results have left the view"
    kept = [(one["text"], one["source"]) for one in memories]
    source = f"run:{turn.json()['runId']}"
    assert kept == ([(MISSED, source), (WEAK, source)] if remembers == "true" else [])
