"""Where what is taught comes from, over HTTP: search, places, coverage."""

from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.learning.paths.shelf import Actor
from sprout.store.columns import utc_now
from tests.web.running import Web

NOTES = b"# Circuits\n\n## Voltage\n\nA battery hands energy to each charge.\n\n## Fuses\n\nA thin wire melts first.\n"


async def test_S1_a_learner_opens_the_passage_that_a_node_teaches_from(own_web: Web) -> None:
    branch = (await own_web.client.post("/api/branches", json={"title": "C", "userId": DEFAULT_USER_ID})).json()
    root = (
        await own_web.client.post(
            "/api/nodes",
            json={"title": "C", "type": "root", "userId": DEFAULT_USER_ID, "branchId": branch["id"]},
        )
    ).json()
    files = {"files": ("notes.md", NOTES, "text/markdown")}
    assert (await own_web.client.post(f"/api/nodes/{root['id']}/documents", files=files)).status_code == 201
    found = (await own_web.client.get(f"/api/nodes/{root['id']}/search", params={"q": "melts"})).json()
    assert [one["document"] for one in found] == ["notes.md"]
    assert "A thin wire melts first." in found[0]["text"]
    place = (await own_web.client.get(f"/api/passages/{found[0]['id']}")).json()
    assert NOTES.decode()[place["start"] : place["end"]] == place["text"]

    edit = await own_web.shelf.edit_graph(
        root["id"],
        lambda graph: graph.add("Fuses", None, utc_now()),
        actor=Actor(DEFAULT_USER_ID),
        passages=[found[0]["id"]],
    )
    assert edit.node is not None
    sources = (await own_web.client.get(f"/api/nodes/{edit.node.id}/sources")).json()
    assert ([one["id"] for one in sources["passages"]], sources["generalKnowledge"]) == ([found[0]["id"]], False)
    coverage = (await own_web.client.get(f"/api/branches/{branch['id']}/coverage")).json()
    assert [one["nodeIds"] for one in coverage if one["id"] == found[0]["id"]] == [[edit.node.id]]


async def test_a_search_without_words_finds_nothing_and_one_that_is_too_long_is_refused(own_web: Web) -> None:
    branch = (await own_web.client.post("/api/branches", json={"title": "C", "userId": DEFAULT_USER_ID})).json()
    root = {"title": "C", "type": "root", "userId": DEFAULT_USER_ID, "branchId": branch["id"]}
    root_id = (await own_web.client.post("/api/nodes", json=root)).json()["id"]
    for query in ({}, {"q": ""}, {"q": "?!"}):
        assert (await own_web.client.get(f"/api/nodes/{root_id}/search", params=query)).json() == []
    refused = await own_web.client.get(f"/api/nodes/{root_id}/search", params={"q": "x" * 301})
    assert refused.status_code == 400
    assert "q" in refused.json()["error"]
