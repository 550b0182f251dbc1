"""Questions of files over HTTP (O2, Q5): added once, checked like any other; what is left out says why."""

from functools import partial

import httpx2

from harness.servers.web import Web
from sprout.clock import utc_now
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.repository import DEFAULT_USER_ID

GIFT = b"""$CATEGORY: Physics/Reflection

::Angle:: At which angle does a flat mirror throw light back?
{=At the angle at which it came ~At twice the angle ~At a right angle#no}

What is the line called from which the angle of incidence is measured? {=the normal =normal}

The refractive index of water is {#1.33:0.01}.

::Twins:: Which two? {~%50%one ~%50%two ~three}

::Told:: A rough wall scatters light. What does a rough wall do? {=scatters light ~swallows light}
"""


def _add(title: str, graph: ConceptGraph) -> Edit:
    return graph.add(title, None, utc_now())


async def a_concept(web: Web, *parts: str) -> tuple[NodeRow, list[NodeRow]]:
    branch, root = await web.a_topic("Light")
    concept = await web.a_concept("Mirrors", branch, root)
    for title in parts:
        await web.graphs.edit_graph(concept.id, partial(_add, title), actor=Actor(DEFAULT_USER_ID))
    children = (await web.client.get(f"/api/nodes/{concept.id}/children")).json()
    return concept, [NodeRow.model_validate(one) for one in children]


async def send(web: Web, node_id: str, content: bytes, name: str = "quiz.txt") -> httpx2.Response:
    return await web.client.post(f"/api/nodes/{node_id}/questions/import", files={"files": (name, content)})


async def test_O2_a_file_is_added_once_and_what_is_left_out_says_why(own_web: Web) -> None:
    concept, _ = await a_concept(own_web, "Reflection", "Refraction")
    first = await send(own_web, concept.id, GIFT)
    assert first.status_code == 200
    assert first.json() | {"leftOut": [(one["name"], one["code"]) for one in first.json()["leftOut"]]} == {
        "added": 3,
        "alreadyThere": 0,
        "leftOutCount": 2,
        "leftOut": [
            ("Twins", "question_several_right"),
            ("A rough wall scatters light. What does a rough wall do?", "question_tells_answer"),
        ],
    }
    again = (await send(own_web, concept.id, GIFT)).json()
    assert (again["added"], again["alreadyThere"]) == (0, 3)


async def test_O2_a_file_belongs_to_a_concept_that_has_parts(own_web: Web) -> None:
    concept, _ = await a_concept(own_web)
    assert (await send(own_web, concept.id, GIFT)).json()["code"] == "questions_need_parts"
    assert concept.parent_id is not None
    assert (await send(own_web, concept.parent_id, GIFT)).json()["code"] == "questions_need_concept"
    assert (await send(own_web, "0" * 32, GIFT)).status_code == 404
    refused = await send(own_web, concept.id, b"\x89PNG\x0d\x0a", "picture.png")
    assert (refused.status_code, refused.json()["code"]) == (415, "not_a_question_file")
