"""The questions of a path as a QTI package over HTTP (O2): what comes out goes in again, and nothing twice."""

import io
import zipfile
from typing import Any

from harness.servers.web import Web
from tests.web.handlers.paths.test_graphs import FRACTIONS
from tests.web.handlers.teaching.test_question_files import send


async def planted(web: Web) -> tuple[str, list[dict[str, Any]]]:
    """A path with questions, and its concepts."""
    branch = (await web.client.post("/api/graphs", json=FRACTIONS)).json()["branch"]["id"]
    nodes = (await web.client.get(f"/api/branches/{branch}/graph")).json()["nodes"]
    return branch, [node for node in nodes if node["type"] == "concept"]


def items(content: bytes) -> list[str]:
    return [name for name in zipfile.ZipFile(io.BytesIO(content)).namelist() if name.startswith("items/")]


async def test_O2_a_package_goes_in_again_and_adds_nothing_to_where_it_came_from(own_web: Web) -> None:
    branch, concepts = await planted(own_web)
    whole = await own_web.client.get(f"/api/branches/{branch}/qti")
    assert (whole.status_code, whole.headers["content-type"]) == (200, "application/zip")
    assert "attachment" in whole.headers["content-disposition"]
    wanted = [concept["questions"] for concept in FRACTIONS["concepts"]]
    assert len(items(whole.content)) == sum(map(len, wanted))
    one = (await own_web.client.get(f"/api/nodes/{concepts[0]['id']}/qti")).content
    assert len(items(one)) == len(wanted[0])
    back = (await send(own_web, concepts[0]["id"], one, "questions.zip")).json()
    assert (back["added"], back["alreadyThere"], back["leftOutCount"]) == (0, len(wanted[0]), 0)
    other = (await send(own_web, concepts[1]["id"], one, "questions.zip")).json()
    assert (other["added"], other["leftOutCount"]) == (len(wanted[0]), 0)
    assert len(items((await own_web.client.get(f"/api/nodes/{concepts[1]['id']}/qti")).content)) == len(
        wanted[0]
    ) + len(wanted[1])


async def test_O2_without_questions_there_is_no_package(own_web: Web) -> None:
    branch, root = await own_web.a_topic("Light")
    for address in (f"/api/branches/{branch.id}/qti", f"/api/nodes/{root.id}/qti"):
        assert (await own_web.client.get(address)).json()["code"] == "no_questions_yet"
    for address in ("/api/branches/nothing/qti", "/api/nodes/nothing/qti"):
        assert (await own_web.client.get(address)).status_code == 404
