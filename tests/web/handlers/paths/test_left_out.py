"""What a path leaves out of its documents, over HTTP: listed with reasons, and brought in by its learner."""

from typing import Any

from sqlalchemy import update

from harness.servers.web import Web, until_processed
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

NOTES = b"""# Circuits

## Voltage

A battery hands energy to each charge. Voltage says how much energy that is, and it is measured across a part.

## Exercises

1. What is voltage?
2. Where is it measured?
"""
EXERCISES = NOTES.index(b"## Exercises")


async def _a_path(own_web: Web) -> tuple[str, str, str]:
    """The ids of a branch, its topic and its document; one concept teaches the first section."""
    branch, root = await own_web.a_topic("Circuits")
    files = {"files": ("notes.md", NOTES, "text/markdown")}
    assert (await own_web.client.post(f"/api/nodes/{root.id}/documents", files=files)).status_code == 201
    await until_processed(own_web.client, root.id)
    body = {"userId": DEFAULT_USER_ID, "type": "concept", "title": "Voltage", "parentId": root.id}
    made = await own_web.client.post("/api/nodes", json=body | {"desc": "In your notes: Voltage"})
    assert made.status_code == 201
    (document,) = (await own_web.client.get(f"/api/nodes/{root.id}/documents")).json()
    return branch.id, root.id, document["id"]


async def _left_out(own_web: Web, branch: str) -> dict[str, Any]:
    found: dict[str, Any] = (await own_web.client.get(f"/api/branches/{branch}/left-out")).json()
    return found


async def test_S1_a_section_is_listed_with_its_reason_and_brought_in_once_as_the_learners_change(own_web: Web) -> None:
    branch, root, document = await _a_path(own_web)
    listed = await _left_out(own_web, branch)
    (section,) = listed["sections"]
    assert not listed["growing"]
    assert (section["start"], section["path"], section["reason"]) == (EXERCISES, ["Circuits", "Exercises"], "exercises")
    place = (await own_web.client.get(f"/api/passages/{section['passageId']}")).json()
    assert place["text"].startswith("## Exercises")

    address = f"/api/documents/{document}/concepts"
    first = await own_web.client.post(address, json={"start": EXERCISES})
    assert first.status_code == 201
    concept, run = first.json()["concept"], first.json()["run"]
    assert (concept["parentId"], concept["desc"]) == (root, "In your notes: Exercises")
    assert (run["agent"], run["nodeId"]) == ("refinement", concept["id"])
    again = await own_web.client.post(address, json={"start": EXERCISES})
    assert (again.status_code, again.json()["created"], again.json()["concept"]["id"]) == (200, False, concept["id"])
    assert again.json()["run"]["id"] == run["id"]
    assert (await _left_out(own_web, branch))["sections"] == []
    edges = (await own_web.client.get(f"/api/nodes/{root}/dependency-edges")).json()
    nodes = {one["id"]: one["title"] for one in (await own_web.client.get(f"/api/nodes/{root}/children")).json()}
    assert [(nodes[one["sourceNodeId"]], nodes[one["targetNodeId"]]) for one in edges] == [("Voltage", "Exercises")]

    own_web.agent.finish(run["id"])
    await own_web.live.wait_until_released(run["id"])
    (change, *_) = (await own_web.client.get(f"/api/branches/{branch}/changes")).json()
    assert (change["by"], [one["title"] for one in change["after"]["nodes"]]) == ("learner", ["Exercises"])
    assert (await own_web.client.post(f"/api/changes/{change['id']}/undo")).status_code == 200
    assert [one["start"] for one in (await _left_out(own_web, branch))["sections"]] == [EXERCISES]


async def test_S1_nothing_is_brought_in_while_the_path_is_being_created_and_the_list_says_that_it_grows(
    own_web: Web,
) -> None:
    branch, root, document = await _a_path(own_web)
    run = await own_web.a_run(await own_web.paths.node(root, user_id=DEFAULT_USER_ID))
    assert await _left_out(own_web, branch) == {"growing": True, "sections": []}
    refused = await own_web.client.post(f"/api/documents/{document}/concepts", json={"start": EXERCISES})
    assert refused.status_code == 409
    assert "still being created" in refused.json()["error"]
    assert len((await own_web.client.get(f"/api/nodes/{root}/children")).json()) == 1
    await own_web.end(run)


async def test_S1_a_section_of_a_deleted_or_foreign_document_or_of_none_is_404(own_web: Web) -> None:
    branch, root, document = await _a_path(own_web)
    address = f"/api/documents/{document}/concepts"
    assert (await own_web.client.post(address, json={"start": EXERCISES + 1})).status_code == 404
    assert (await own_web.client.post(address, json={"start": -1})).status_code == 422
    await own_web.paths.ensure_user("other")
    await _give(own_web, root, "other")
    assert (await own_web.client.post(address, json={"start": EXERCISES})).status_code == 404
    await _give(own_web, root, DEFAULT_USER_ID)
    deleted = await own_web.client.delete(f"/api/nodes/{root}/documents/{document}")
    assert deleted.status_code == 204
    assert (await own_web.client.post(address, json={"start": EXERCISES})).status_code == 404
    assert (await _left_out(own_web, branch))["sections"] == []
    assert (await own_web.client.get("/api/branches/none/left-out")).status_code == 404


async def _give(own_web: Web, node_id: str, user_id: str) -> None:
    nodes = table_of(tables.Node)
    statement = update(nodes).where(nodes.c.id == node_id).values(user_id=user_id)
    await own_web.database.write_tx(lambda tx: tx.connection.execute(statement))
