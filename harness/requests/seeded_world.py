"""Seed data over HTTP: one of everything for a learner, and the same for another one, which must stay private."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
from sqlalchemy import update

from harness.builders import a_past_placement, a_past_review_session
from harness.servers.web import until_processed
from sprout.app import Sprout
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.schema.columns import TableModel

FOREIGN_USER = "somebody-else"
FOREIGN_WORD = "Marmalade"  # in every text of the other learner
CRITERION_WORD = "quagga"  # stands in what meets a criterion, which no answer may say
USER = {"userId": DEFAULT_USER_ID}
SEVERAL_KINDS = ("reviews", "placements")  # of which the sessions or items are, else the segment before the id


@dataclass(frozen=True, slots=True)
class SeededWorld:
    """Ids by what they are ids of, as the addresses name it: "branches", "nodes", "runs" and so on."""

    ids: dict[str, tuple[str, ...]]

    def ids_of(self, kind: str) -> Sequence[str]:
        return self.ids.get(kind, ())


def kind_of(path: str, segment: str) -> str:
    """What the ids of an address are of, by the segment before them."""
    if path.startswith("/api/account/") and segment == "sessions":
        return "account_sessions"
    if path.startswith("/api/classes/") and segment == "paths":
        return "given_paths"
    return next((kind for kind in SEVERAL_KINDS if f"/{kind}/" in path), segment)


async def seed_world(
    client: httpx2.AsyncClient, sprout: Sprout, word: str, user_id: str = DEFAULT_USER_ID
) -> SeededWorld:
    """One of everything for the learner whom this client stands for, `word` in every text of it."""
    branch = (await _post(client, "/api/graphs", _path_file(word)))["branch"]["id"]
    nodes = await _get(client, f"/api/nodes?branchId={branch}")
    by_type = {kind: [one["id"] for one in nodes if one["type"] == kind] for kind in ("root", "concept", "subconcept")}
    root, concept, part = by_type["root"][0], by_type["concept"][0], by_type["subconcept"][0]
    await client.patch(f"/api/nodes/{part}", json={"desc": f"{word}, said anew."})
    document = await _upload(client, root, word)
    assessment = (await _get(client, f"/api/agents/concepts/{concept}/diagnostic"))["assessment"]["id"]
    questions = [one["id"] for one in await _get(client, f"/api/assessments/{assessment}/questions")]
    answers = f"/api/assessments/{assessment}/answers"
    answer = await _post(client, answers, {"questionId": questions[0], "answerText": word})
    progress = await _post(client, "/api/progress", {"nodeId": part})
    session = await _post(client, "/api/chat/sessions", {"nodeId": part})
    body = {"role": "user", "content": f"What is {word}?"}
    message = await _post(client, f"/api/chat/sessions/{session['id']}/messages", body)
    await _post(client, "/api/chat/hints", {"nodeId": part, "sessionId": session["id"]})
    await _post(client, f"/api/nodes/{part}/contents", {"explanationMd": f"# {word}"})
    await _post(client, f"/api/nodes/{part}/generations", {"trigger": "manual_regenerate", "prompt": word})
    memory = await sprout.stores.memories.remember(f"{word} is liked.", actor=Actor(user_id))
    bare, seed = await _create_topic(client, word)
    run = await _post(client, f"/api/agents/topics/{seed}/run?wait=false", {"small": True})
    changes = await _get(client, f"/api/branches/{branch}/changes")
    await until_processed(client, root)
    coverage = await _get(client, f"/api/branches/{branch}/coverage")
    reviews = await a_past_review_session(sprout.database, by_type["subconcept"], user_id)
    placement, placement_item = await a_past_placement(client, branch)
    review_items = (await _get(client, f"/api/reviews/sessions/{reviews}"))["segments"]
    return SeededWorld(
        {
            "branches": (branch, bare),
            "graphs": (branch,),
            "nodes": (root, concept, part, *by_type["concept"][1:], *by_type["subconcept"][1:]),
            "topics": (root, seed),
            "concepts": (concept, *by_type["concept"][1:]),
            "documents": (document,),
            "passages": tuple(one["id"] for one in coverage),
            "assessments": (assessment,),
            "questions": tuple(questions),
            "answers": (answer["id"],),
            "sessions": (session["id"],),
            "messages": (message["id"],),
            "progress": (progress["id"],),
            "memories": (memory.id,),
            "runs": (run["id"],),
            "reviews": (reviews,),
            "placements": (placement,),
            "placementItems": (placement_item,),
            "parts": tuple(by_type["subconcept"]),
            "reviewItems": tuple(one["id"] for one in review_items),
            "changes": tuple(one["id"] for one in changes),
        }
    )


async def give_away(sprout: Sprout) -> None:
    """Transfer all rows of the database to another learner."""
    await sprout.stores.paths.ensure_user(FOREIGN_USER)
    tables = [table for table in TableModel.metadata.sorted_tables if "user_id" in table.c]
    await sprout.database.write_tx(
        lambda write: [write.connection.execute(update(table).values(user_id=FOREIGN_USER)) for table in tables]
    )


def _path_file(word: str) -> dict[str, Any]:
    return {
        "sprout_path": 1,
        "title": f"{word} in general",
        "topic": {"title": f"{word} in general", "desc": f"All about {word}."},
        "concepts": [
            {
                "title": f"What {word} is {number}",
                "subconcepts": [{"title": f"{word}, part {part}", "desc": f"A part of {word}."} for part in range(4)],
                "edges": [{"from": f"{word}, part 0", "to": f"{word}, part {part}"} for part in range(1, 4)],
                "questions": [
                    {
                        "prompt": f"Why is {word} made of oranges ({number})?",
                        "format": "open_ended",
                        "correct_answer": f"Because of the {CRITERION_WORD}.",
                        "difficulty": 2,
                        "tests": [f"{word}, part 1"],
                        "criteria": [
                            {"label": "the fruit", "statement": f"Names the {CRITERION_WORD} first.", "weight": 0.5},
                            {"label": "the rest", "statement": f"Names the {CRITERION_WORD} last.", "weight": 0.5},
                        ],
                    },
                    {
                        "prompt": f"Of {number + 2} jars of {word}, how many are left after one is eaten?",
                        "format": "numeric",
                        "correct_answer": str(number + 1),
                        "difficulty": 1,
                        "tests": [f"{word}, part 2"],
                    },
                ],
            }
            for number in range(3)
        ],
        "edges": [{"from": f"What {word} is 0", "to": f"What {word} is {number}"} for number in (1, 2)],
    }


async def _create_topic(client: httpx2.AsyncClient, word: str) -> tuple[str, str]:
    """A second branch, in which nothing has grown, and its root."""
    branch = await _post(client, "/api/branches", {"title": f"More {word}"})
    root = {"type": "root", "title": f"More {word}", "branchId": branch["id"]}
    return branch["id"], (await _post(client, "/api/nodes", root))["id"]


async def _upload(client: httpx2.AsyncClient, root: str, word: str) -> str:
    text = f"# {word}\n\n{word} is cooked from oranges and sugar.\n\n## Jars\n\nIt keeps for a year.".encode()
    answer = await client.post(f"/api/nodes/{root}/documents", files={"files": ("notes.md", text, "text/markdown")})
    return str(_checked_json(answer)["uploaded"][0]["id"])


async def _post(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    return _checked_json(await client.post(path, json=body))


async def _get(client: httpx2.AsyncClient, path: str) -> Any:
    return _checked_json(await client.get(path))


def _checked_json(answer: httpx2.Response) -> Any:
    if not answer.is_success:
        raise RuntimeError(f"the world was not planted: {answer.request.url.path}: {answer.status_code} {answer.text}")
    return answer.json()
