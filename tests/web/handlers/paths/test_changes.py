"""Changes of a path over HTTP: listed with who and why, taken back, and nobody else's."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from harness.builders import a_concept, a_topic
from harness.servers.web import Web
from sprout.clock import utc_now
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.repository import BranchRow
from sprout.web.reference.openapi import openapi_document
from sprout.web.routes import ENDPOINTS


@pytest.fixture
async def path(web: Web) -> tuple[BranchRow, NodeRow]:
    return await web.a_topic()


async def test_G3_a_refinement_is_listed_undone_and_gone_from_the_page(
    web: Web, path: tuple[BranchRow, NodeRow]
) -> None:
    branch, root = path
    other = await web.a_concept("Halves", branch, root)
    run = await web.a_run(root)
    actor = Actor(run.user_id, "refinement", run.id, run.root_id, epoch=run.epoch)

    def bridge(graph: ConceptGraph) -> Edit:
        return graph.insert_before(other.id, "Sharing fairly", None, utc_now())

    await web.graphs.edit_graph(root.id, bridge, actor=actor, reason="a gap", evidence=["answer"])
    change, first = (await web.client.get(f"/api/branches/{branch.id}/changes")).json()
    assert list(change) == [
        *("id", "branchId", "parentId", "by", "agent", "runId", "reason", "evidence", "before", "after"),
        *("createdAt", "undoneAt", "undoneBy", "undoes"),
    ]
    assert (change["by"], change["agent"], change["runId"], change["reason"]) == (
        "agent",
        "refinement",
        run.id,
        "a gap",
    )
    assert (change["evidence"], [node["title"] for node in change["after"]["nodes"]]) == (
        ["answer"],
        ["Sharing fairly"],
    )
    assert (first["by"], first["agent"], first["runId"]) == ("learner", None, None)

    undone = await web.client.post(f"/api/changes/{change['id']}/undo")
    assert undone.status_code == 200
    assert undone.json()["change"]["undoes"] == change["id"]
    page = (await web.client.get(f"/api/branches/{branch.id}/graph")).json()
    assert undone.json()["nodes"] == [node for node in page["nodes"] if node["parentId"]]
    assert [node["id"] for node in undone.json()["nodes"]] == [other.id]
    assert undone.json()["edges"] == page["edges"] == []
    assert (await web.client.post(f"/api/changes/{change['id']}/undo")).json() == undone.json()
    by, marked, _ = (await web.client.get(f"/api/branches/{branch.id}/changes")).json()
    assert (by["by"], marked["undoneBy"], marked["undoneAt"] is None) == ("learner", by["id"], False)
    await web.end(run)


async def test_an_undo_that_has_to_wait_is_refused_with_what_comes_first(
    web: Web, path: tuple[BranchRow, NodeRow]
) -> None:
    branch, root = path
    one, other = [await web.a_concept(title, branch, root) for title in ("Halves", "Thirds")]
    await web.an_edge(root, one, other)
    edge, _, node = (await web.client.get(f"/api/branches/{branch.id}/changes")).json()
    refused = await web.client.post(f"/api/changes/{node['id']}/undo")
    assert refused.status_code == 409
    assert refused.json() == {
        "error": "A later change builds on this one: you changed what builds on what. Undo that first.",
        "code": "undo_later_first",
        "undoFirst": edge["id"],
    }
    for change in (edge, node):
        assert (await web.client.post(f"/api/changes/{change['id']}/undo")).status_code == 200


async def test_changes_come_page_by_page_with_a_link_to_the_next(web: Web, path: tuple[BranchRow, NodeRow]) -> None:
    branch, root = path
    ids = [(await web.a_concept(f"Idea {n}", branch, root)).id for n in range(5)]
    pages, url = [], f"/api/branches/{branch.id}/changes?limit=2"
    while url:
        answer = await web.client.get(url)
        pages.append([change["after"]["nodes"][0]["id"] for change in answer.json()])
        url = answer.headers.get("link", "").removeprefix("<").removesuffix('>; rel="next"')
    assert pages == [ids[:2:-1], ids[2:0:-1], ids[:1]]
    for query in ("limit=ten", "limit=-1", "limit=1000", "before="):
        assert (await web.client.get(f"/api/branches/{branch.id}/changes?{query}")).status_code in (400, 422)


async def test_D13_changes_of_another_learner_are_as_if_they_were_not_there(web: Web) -> None:
    theirs = await a_topic(web.paths, user_id="someone-else")
    await a_concept(web.paths, theirs, "Light")
    (change,) = await web.paths.changes(theirs.branch_id or "", user_id="someone-else")
    foreign = [
        await web.client.get(f"/api/branches/{theirs.branch_id}/changes"),
        await web.client.post(f"/api/changes/{change.id}/undo"),
    ]
    missing = [
        await web.client.get("/api/branches/no-such/changes"),
        await web.client.post("/api/changes/no-such/undo"),
    ]
    assert [answer.status_code for answer in (*foreign, *missing)] == [404] * 4
    assert foreign[1].json()["error"].replace(change.id, "no-such") == missing[1].json()["error"]
    assert len(await web.paths.nodes(user_id="someone-else", parent_id=theirs.id)) == 1


async def test_the_answers_fit_their_schemas(web: Web, path: tuple[BranchRow, NodeRow]) -> None:
    branch, root = path
    await web.a_concept("Halves", branch, root)
    document = openapi_document(ENDPOINTS, "0.0")
    registry: Registry[Any] = Registry().with_resource(
        "urn:sprout", Resource.from_contents(document, default_specification=DRAFT202012)
    )
    listed = (await web.client.get(f"/api/branches/{branch.id}/changes")).json()
    undone = (await web.client.post(f"/api/changes/{listed[0]['id']}/undo")).json()
    for path_, method, answer in (
        ("/api/branches/{id}/changes", "get", listed),
        ("/api/changes/{id}/undo", "post", undone),
    ):
        pointer = f"#/paths/{path_.replace('/', '~1')}/{method}/responses/200/content/application~1json/schema"
        Draft202012Validator({"$ref": f"urn:sprout{pointer}"}, registry=registry).validate(answer)
