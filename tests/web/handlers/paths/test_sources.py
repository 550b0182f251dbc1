"""Sources of the teaching, over HTTP: search, places, coverage, and citations of the tutor."""

from pathlib import Path

from harness.servers.web import Web, until_processed
from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.web.handlers.teaching.lesson_server import LessonServer, calls, checkpoint, says, serving_lesson

WORDS = ("battery", "melts")
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
    await until_processed(own_web.client, root["id"])
    found = (await own_web.client.get(f"/api/nodes/{root['id']}/search", params={"q": "melts"})).json()
    assert [one["document"] for one in found] == ["notes.md"]
    assert "A thin wire melts first." in found[0]["text"]
    place = (await own_web.client.get(f"/api/passages/{found[0]['id']}")).json()
    assert NOTES.decode()[place["start"] : place["end"]] == place["text"]

    edit = await own_web.graphs.edit_graph(
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


async def test_S1_the_tutors_words_name_the_passages_that_they_teach_from_and_an_unknown_one_is_left_out(
    tmp_path: Path,
) -> None:
    async with serving_lesson(tmp_path, verdicts={"air": True}) as lesson:
        topic = (await lesson.lessons.lesson(lesson.session_id, user_id=DEFAULT_USER_ID)).topic
        voltage, fuses = await _passages(lesson, topic.id)
        cited = ["p0000000", fuses["id"], voltage["id"], fuses["id"]]
        await lesson.turn("", calls(checkpoint(passages=cited)))
        (first,) = await lesson.messages()
        place = {"documentId": fuses["documentId"], "document": "notes.md", "page": None, "slides": False}
        assert first["citations"] == [
            {"passageId": fuses["id"], "heading": "Circuits › Fuses"} | place,
            {"passageId": voltage["id"], "heading": "Circuits › Voltage"} | place,
        ]

        await lesson.answer("soil", says("Look again."))
        await lesson.aside("Why?", says("Since it is so."))
        await lesson.answer("from the air", calls(checkpoint("And where does it go?")))
        attempts = [row["attempt"] for row in await lesson.messages() if row["role"] == "user"]
        assert attempts[1] is None
        assert [(one["helpLevel"], one["correct"]) for one in (attempts[0], attempts[2])] == [(0, False), (1, True)]
        assert attempts[2]["criteria"] == [{"label": "the gas", "verdict": "met", "span": "from the air"}]

        whole = (await lesson.client.get(f"/api/documents/{fuses['documentId']}/passages")).json()
        assert [one["id"] for one in whole] == [voltage["id"], fuses["id"]]
        assert "\n\n".join(one["text"] for one in whole) == NOTES.decode().strip()
        assert (await lesson.client.get("/api/documents/no-such/passages")).status_code == 404
        await lesson.paths.delete_document(topic.id, fuses["documentId"], user_id=DEFAULT_USER_ID)
        assert (await lesson.messages())[0]["citations"] == []


async def _passages(lesson: LessonServer, root_id: str) -> list[dict[str, str]]:
    """The passages of notes that are added to the lesson's topic, in the order of the text."""
    files = {"files": ("notes.md", NOTES, "text/markdown")}
    assert (await lesson.client.post(f"/api/nodes/{root_id}/documents", files=files)).status_code == 201
    await until_processed(lesson.client, root_id)
    found = [(await lesson.client.get(f"/api/nodes/{root_id}/search", params={"q": q})).json() for q in WORDS]
    return [one[0] for one in found]
