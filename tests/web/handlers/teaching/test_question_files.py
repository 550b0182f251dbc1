"""Questions of files over HTTP (O2, Q5): added once, checked like any other; what is left out says why."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx2

from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web
from sprout.clock import utc_now
from sprout.documents.question_files.file_reader import LIMITS
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
    files = {"files": (name, content)}
    return await web.client.post(f"/api/nodes/{node_id}/questions/import", files=files, timeout=LIMITS.wall_s)


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


async def test_O1_a_deck_of_ten_thousand_cards_is_refused_whole_and_of_its_parts_each_card_is_added_once(
    tmp_path: Path,
) -> None:
    room = replace(WEB_LIMITS, upload_max_bytes=2_000_000)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=room) as web:
        concept, _ = await a_concept(web, "Reflection")
        whole = await send(web, concept.id, a_deck(0, 10_000))
        assert (whole.status_code, whole.json()["code"]) == (422, "too_many_questions")
        assert "split it" in whole.json()["error"]
        came = [(await send(web, concept.id, a_deck(*cards))).json() for cards in ((0, 200), (100, 300))]
        assert [(one["added"], one["alreadyThere"]) for one in came] == [(200, 0), (100, 100)]


def a_deck(first: int, end: int) -> bytes:
    """Cards with these numbers, as Anki exports them in plain text."""
    lines = (f"What is {number} and one?\t{number + 1}\n" for number in range(first, end))
    return ("#separator:tab\n" + "".join(lines)).encode()
