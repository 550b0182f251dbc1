"""Everything of a learner at once: in one file, and gone to the last byte."""

import asyncio
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

from harness.builders import a_topic
from harness.servers.web import Web, a_static_folder, serving_web
from sprout.learning.actor import Actor
from sprout.learning.lessons.repository import Drawing
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.run_store import OnBusy
from sprout.store.lessons.memories import SqlMemories
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.sqlite.backups import back_up

ME = {"userId": DEFAULT_USER_ID}
CONFIRMED = {"confirm": "delete everything"}
CANARY = "zebrafinch"
PADDING = "Nothing but padding stands here, and it goes on for a while. " * 40


def a_path(word: str) -> dict[str, Any]:
    question = {
        "prompt": f"Of three {word}s, how many are left when one flies?", "format": "numeric", "difficulty": 1,
        "correct_answer": "2", "tests": ["Part"],
    }  # fmt: skip
    concept = {"title": "Concept", "subconcepts": [{"title": "Part"}], "questions": [question]}
    return {"sprout_path": 1, "title": word, "topic": {"title": word}, "concepts": [concept]}


async def planted(web: Web, word: str = CANARY) -> str:
    """A path in which the word stands in everything that a learner can leave; the id of its branch."""

    async def post(address: str, body: dict[str, Any]) -> Any:
        answer = await web.client.post(address, json={**ME, **body})
        assert answer.is_success, answer.text
        return answer.json()

    branch = (await post("/api/graphs", a_path(word)))["branch"]["id"]
    nodes = (await web.client.get("/api/nodes", params={"branchId": branch})).json()
    root, concept, part = (next(n["id"] for n in nodes if n["type"] == t) for t in ("root", "concept", "subconcept"))
    (diagnostic,) = (await web.client.get("/api/assessments", params={"targetNodeId": concept})).json()
    (question,) = (await web.client.get(f"/api/assessments/{diagnostic['id']}/questions")).json()
    body = {"questionId": question["id"], "answerText": f"two {word}"}
    await post(f"/api/assessments/{diagnostic['id']}/answers", body)
    session = (await post("/api/chat/sessions", {"nodeId": part}))["id"]
    await post(f"/api/chat/sessions/{session}/messages", {"role": "user", "content": f"Why {word}? {PADDING}"})
    await post(f"/api/nodes/{part}/contents", {"explanationMd": f"A {word}. {PADDING}"})
    notes = f"# {word}\n\nA note on the {word}. {PADDING}"
    files = {"files": (f"../{word}.md", notes.encode(), "text/markdown")}
    assert (await web.client.post(f"/api/nodes/{root}/documents", files=files)).status_code == 201
    await SqlMemories(web.database, lambda _: None).remember(f"Likes the {word}.", actor=Actor(DEFAULT_USER_ID))
    picture = Drawing("image/png", word.encode() * 400)
    await SqlLessonRepository(web.database, lambda _: None).save_drawing(session, picture, user_id=DEFAULT_USER_ID)
    return str(branch)


def found_in(folder: Path, word: str) -> list[str]:
    """The files below a folder in which the word stands, or which are called so."""
    wanted = re.compile(re.escape(word.encode()), re.IGNORECASE)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if word in path.name.lower() or wanted.search(path.read_bytes())]


async def test_I15_after_everything_was_deleted_no_byte_of_it_is_in_the_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    async with serving_web(data, a_static_folder(tmp_path)) as web:
        for _ in range(3):
            await planted(web)
        back_up(data / "sprout.sqlite3", "test")
        topic = next(node for node in await web.paths.nodes(user_id=DEFAULT_USER_ID, type="root"))
        run = await web.a_run(topic)
        await web.live.start("topic", node=topic, user_id=DEFAULT_USER_ID, on_busy=OnBusy.ENQUEUE)
        assert len(found_in(data, CANARY)) >= 3, "the search finds what is there: database, backup and document"
        refused = await web.client.delete("/api/learner", params=CONFIRMED)
        assert (refused.status_code, "try again" in refused.json()["error"]) == (409, True), "a run does not stop"
        assert found_in(data, CANARY)
        web.agent.finish(run.id)
        async with asyncio.timeout(60):
            while (answer := await web.client.delete("/api/learner", params=CONFIRMED)).status_code == 409:
                pass  # as it says: try again
        assert (answer.status_code, answer.content) == (204, b"")
        assert found_in(data, CANARY) == []
        assert (await web.client.get(f"/api/runs/{run.id}")).status_code == 404
        assert (await web.client.get("/api/branches", params=ME)).json() == []
        assert (await web.client.get("/api/memories", params=ME)).json() == []
        await planted(web, "goldcrest")
    assert found_in(data, CANARY) == []
    assert found_in(data, "goldcrest")


async def test_nothing_is_deleted_without_the_words_that_confirm_it(own_web: Web) -> None:
    branch = await planted(own_web)
    for body in ({}, {"confirm": "yes"}, {"confirm": "delete everything", "userId": "somebody-else"}):
        answer = await own_web.client.delete("/api/learner", params=body)
        assert answer.status_code in (400, 404)
    assert (await own_web.client.get(f"/api/branches/{branch}")).status_code == 200


async def test_what_is_another_learners_stays(own_web: Web) -> None:
    theirs = await a_topic(own_web.paths, "Their path", user_id="somebody-else")
    await planted(own_web)
    assert (await own_web.client.delete("/api/learner", params=CONFIRMED)).status_code == 204
    assert await own_web.paths.node(theirs.id, user_id="somebody-else") == theirs


async def test_I14_the_archive_has_everything_of_the_learner_and_nothing_of_anybody_else(own_web: Web) -> None:
    theirs = await a_topic(own_web.paths, "Their path", user_id="somebody-else")
    await planted(own_web)
    answer = await own_web.client.get("/api/learner/archive")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    data = {name[5:-5]: json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("data/")}
    for table in ("branches", "nodes", "answers", "chat_messages", "learner_memories", "topic_documents"):
        assert CANARY in json.dumps(data[table]), table
    assert theirs.id not in json.dumps(data)
    (document,) = [name for name in archive.namelist() if name.startswith("documents/")]
    assert document == f"documents/01 {CANARY}.md"
    assert CANARY in archive.read(document).decode()
    (drawing,) = [name for name in archive.namelist() if name.startswith("drawings/")]
    assert archive.read(drawing) == CANARY.encode() * 400
    path = json.loads(archive.read(f"paths/01 {CANARY}.json"))
    assert path["concepts"][0]["subconcepts"] == [{"title": "Part"}]
    assert "questions" not in path["concepts"][0]
    assert "correct_answer" not in data["questions"][0]
    (part,) = [node for node in data["nodes"] if node["title"] == "Part"]
    assert data["questions"][0]["tests"] == [{"title": "Part", "nodeId": part["id"]}]
    assert list(data["questions"][0]) == [
        "id", "assessment_id", "node_id", "position", "state", "format", "prompt", "options", "unit", "tests",
        "difficulty", "created_at", "kind",
    ]  # fmt: skip
