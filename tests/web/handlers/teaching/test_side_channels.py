"""Side channels of an answer: order, ids and sizes of a thousand choices reveal nothing (faults.md I-9)."""

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from harness.servers.web import Web
from sprout.learning.paths.repository import DEFAULT_USER_ID

ME = {"userId": DEFAULT_USER_ID}
PATHS, QUESTIONS, OPTIONS = 5, 200, 4
SIGMAS = 4.0


@dataclass(frozen=True)
class Seen:
    """A choice as it is on the wire, and where its right option stands there."""

    id: str
    options: list[str]
    right: int


# Each says where the right option stands, from what anybody can see.
RULES: dict[str, Callable[[Seen], int]] = {
    **{f"always option {at}": lambda seen, at=at: at for at in range(OPTIONS)},  # type: ignore[misc]
    "the longest": lambda seen: max(range(OPTIONS), key=lambda at: len(seen.options[at])),
    "the shortest": lambda seen: min(range(OPTIONS), key=lambda at: len(seen.options[at])),
    "the first in the alphabet": lambda seen: min(range(OPTIONS), key=lambda at: seen.options[at]),
    "the last sign of the question's id": lambda seen: int.from_bytes(seen.id[-2:].encode()) % OPTIONS,
}


def a_path(number: int, words: random.Random) -> tuple[dict[str, object], dict[str, str]]:
    """A path with many choices, the right option of each written first, as most would; and what is right."""
    keys, questions = {}, []
    for at in range(QUESTIONS):
        options = [f"{words.getrandbits(64):x}"[: words.randint(6, 15)] + f"{n}" for n in range(OPTIONS)]
        prompt = f"Which of these is number {number}-{at}?"
        keys[prompt] = options[0]
        questions.append(
            {"prompt": prompt, "format": "mcq", "options": options, "correct_answer": options[0], "difficulty": 1,
             "tests": ["A part"]}
        )  # fmt: skip
    concept = {"title": "A concept", "subconcepts": [{"title": "A part"}], "questions": questions}
    path = {"sprout_path": 1, "title": f"Path {number}", "topic": {"title": f"Topic {number}"}, "concepts": [concept]}
    return path, keys


async def test_I9_no_place_size_or_id_tells_the_right_option(own_web: Web) -> None:
    client, words, keys = own_web.client, random.Random(9), dict[str, str]()
    for number in range(PATHS):
        path, right = a_path(number, words)
        planted = await client.post("/api/graphs", json=path)
        assert planted.status_code == 201, planted.text
        keys |= right
    seen: list[Seen] = []
    for assessment in (await client.get("/api/assessments", params=ME)).json():
        answer = await client.get(f"/api/assessments/{assessment['id']}/questions")
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers
        for one in answer.json():
            options = json.loads(one["options"])
            seen.append(Seen(one["id"], options, options.index(keys[one["prompt"]])))
    assert len(seen) == PATHS * QUESTIONS
    chance = 1 / OPTIONS
    room = SIGMAS * math.sqrt(chance * (1 - chance) / len(seen))
    right_by = {name: sum(rule(one) == one.right for one in seen) / len(seen) for name, rule in RULES.items()}
    assert {name: share for name, share in right_by.items() if abs(share - chance) > room} == {}, right_by
