"""Contents of a node, over HTTP (contract 1.5)."""

import asyncio

import pytest

from harness.servers.web import Web


async def test_of_a_nodes_contents_the_newest_active_one_is_shown(own_web: Web) -> None:
    _, root = await own_web.a_topic()
    address = f"/api/nodes/{root.id}/contents"
    none = await own_web.client.get(f"{address}/active")
    assert (none.status_code, none.json()) == (200, None)
    first = await own_web.client.post(address, json={"explanationMd": "# Halves\n\nTwo of them are one."})
    assert first.status_code == 201
    assert first.json() == {
        "id": first.json()["id"],
        "nodeId": root.id,
        "explanationMd": "# Halves\n\nTwo of them are one.",
        "visualizationKind": None,
        "visualizationPayload": None,
        "cards": None,
        "generatedByModel": None,
        "generationPromptHash": None,
        "status": "active",
        "createdAt": first.json()["createdAt"],
    }
    draft = await own_web.client.post(address, json={"explanationMd": "Thirds", "status": "draft"})
    assert (await own_web.client.get(f"{address}/active")).json() == first.json()
    second = await own_web.client.post(address, json={"explanationMd": "Halves again", "generatedByModel": "m"})
    assert (await own_web.client.get(f"{address}/active")).json() == second.json()
    listed = (await own_web.client.get(address)).json()
    assert [(one["id"], one["status"]) for one in listed] == [
        (first.json()["id"], "archived"),
        (draft.json()["id"], "draft"),
        (second.json()["id"], "active"),
    ]


async def test_of_many_active_contents_at_once_one_stays(own_web: Web) -> None:
    _, root = await own_web.a_topic()
    address = f"/api/nodes/{root.id}/contents"
    made = await asyncio.gather(*(own_web.client.post(address, json={"explanationMd": f"{n}"}) for n in range(10)))
    assert {one.status_code for one in made} == {201}
    listed = (await own_web.client.get(address)).json()
    assert [one["status"] for one in listed].count("active") == 1


async def test_who_made_what_is_under_a_node_is_noted(own_web: Web) -> None:
    _, root = await own_web.a_topic()
    address = f"/api/nodes/{root.id}/generations"
    body = {"trigger": "manual_regenerate", "model": "m", "responseMeta": {"tokens": [1, 2], "word": "ä"}}
    made = await own_web.client.post(address, json=body)
    assert (made.status_code, made.json()["responseMeta"]) == (201, '{"tokens": [1, 2], "word": "ä"}')
    bare = await own_web.client.post(address, json={"trigger": "on_first_enter"})
    assert (await own_web.client.get(address)).json() == [made.json(), bare.json()]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("contents", {}),
        ("contents", {"explanationMd": ""}),
        ("contents", {"explanationMd": "a", "status": "shown"}),
        ("generations", {"trigger": "a_whim"}),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_kept(own_web: Web, path: str, body: dict[str, object]) -> None:
    _, root = await own_web.a_topic()
    refused = await own_web.client.post(f"/api/nodes/{root.id}/{path}", json=body)
    assert refused.status_code in (400, 422)
    assert isinstance(refused.json()["error"], str)
    assert (await own_web.client.get(f"/api/nodes/{root.id}/{path}")).json() == []
