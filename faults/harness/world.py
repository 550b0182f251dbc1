"""What a learner has of everything, planted over HTTP; and the same of somebody else, who is nobody's business."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
from sqlalchemy import update

from sprout.app import Sprout
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.learning.paths.shelf import Actor
from sprout.store.columns import Row

FOREIGN_USER = "somebody-else"
FOREIGN_WORD = "Marmalade"  # stands in every text of somebody else's
CRITERION_WORD = "quagga"  # stands in what meets a criterion, which no answer may say
WHO = {"userId": DEFAULT_USER_ID}


@dataclass(frozen=True, slots=True)
class World:
    """Ids by what they are ids of, as the addresses name it: "branches", "nodes", "runs" and so on."""

    ids: dict[str, tuple[str, ...]]

    def of(self, kind: str) -> Sequence[str]:
        return self.ids.get(kind, ())


async def planted(client: httpx2.AsyncClient, sprout: Sprout, word: str) -> World:
    """A path with questions, documents, answers, talk, a run and changes, `word` in every text of them."""
    branch = (await _made(client, "/api/graphs", _path(word)))["branch"]["id"]
    nodes = await _got(client, f"/api/nodes?branchId={branch}")
    by_type = {kind: [one["id"] for one in nodes if one["type"] == kind] for kind in ("root", "concept", "subconcept")}
    root, concept, part = by_type["root"][0], by_type["concept"][0], by_type["subconcept"][0]
    await client.patch(f"/api/nodes/{part}", json={"desc": f"{word}, said anew."})
    document = await _upload(client, root, word)
    assessment = (await _got(client, f"/api/agents/concepts/{concept}/diagnostic?userId={DEFAULT_USER_ID}"))[
        "assessment"
    ]["id"]
    questions = [one["id"] for one in await _got(client, f"/api/assessments/{assessment}/questions")]
    answers = f"/api/assessments/{assessment}/answers"
    await _made(client, answers, {**WHO, "questionId": questions[0], "answerText": word})
    progress = await _made(client, "/api/progress", {**WHO, "nodeId": part})
    session = await _made(client, "/api/chat/sessions", {**WHO, "nodeId": part})
    said = {**WHO, "role": "user", "content": f"What is {word}?"}
    message = await _made(client, f"/api/chat/sessions/{session['id']}/messages", said)
    await _made(client, "/api/chat/hints", {**WHO, "nodeId": part, "sessionId": session["id"]})
    await _made(client, f"/api/nodes/{part}/contents", {"explanationMd": f"# {word}"})
    await _made(client, f"/api/nodes/{part}/generations", {"trigger": "manual_regenerate", "prompt": word})
    memory = await sprout.memories.remember(f"{word} is liked.", actor=Actor(DEFAULT_USER_ID))
    bare, seed = await _topic(client, word)
    run = await _made(client, f"/api/agents/topics/{seed}/run?wait=false", {**WHO, "small": True})
    changes = await _got(client, f"/api/branches/{branch}/changes")
    coverage = await _got(client, f"/api/branches/{branch}/coverage")
    return World(
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
            "sessions": (session["id"],),
            "messages": (message["id"],),
            "progress": (progress["id"],),
            "memories": (memory.id,),
            "runs": (run["id"],),
            "changes": tuple(one["id"] for one in changes),
        }
    )


async def given_away(sprout: Sprout) -> None:
    """Make all that there is in the database somebody else's."""
    await sprout.library.ensure_user(FOREIGN_USER)
    tables = [table for table in Row.metadata.sorted_tables if "user_id" in table.c]
    await sprout.database.write(
        lambda write: [write.connection.execute(update(table).values(user_id=FOREIGN_USER)) for table in tables]
    )


def _path(word: str) -> dict[str, Any]:
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


async def _topic(client: httpx2.AsyncClient, word: str) -> tuple[str, str]:
    """A second branch, in which nothing has grown, and its root."""
    branch = await _made(client, "/api/branches", {**WHO, "title": f"More {word}"})
    root = {**WHO, "type": "root", "title": f"More {word}", "branchId": branch["id"]}
    return branch["id"], (await _made(client, "/api/nodes", root))["id"]


async def _upload(client: httpx2.AsyncClient, root: str, word: str) -> str:
    text = f"# {word}\n\n{word} is cooked from oranges and sugar.\n\n## Jars\n\nIt keeps for a year.".encode()
    answer = await client.post(f"/api/nodes/{root}/documents", files={"files": ("notes.md", text, "text/markdown")})
    return str(_whole(answer)["uploaded"][0]["id"])


async def _made(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    return _whole(await client.post(path, json=body))


async def _got(client: httpx2.AsyncClient, path: str) -> Any:
    return _whole(await client.get(path))


def _whole(answer: httpx2.Response) -> Any:
    if not answer.is_success:
        raise RuntimeError(f"the world was not planted: {answer.request.url.path}: {answer.status_code} {answer.text}")
    return answer.json()
