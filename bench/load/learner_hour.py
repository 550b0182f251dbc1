"""B11: what a learner costs: one hour on a built-in course, with a diagnostic, two lessons and a review."""

import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from bench.figure import Figure
from harness.database.empty_sqlite import create_empty_database
from harness.journeys.learner import right_answer
from harness.journeys.sprout_server import COURSE, Row, SproutServer, start_server
from sprout.config import DEFAULT_MODELS
from sprout.events import Usage
from sprout.llm.catalogue import facts_of
from sprout.offline.pace import Pace

HOUR_OF_LAST_RELEASE: dict[str, float] = {  # 0.2, whose figures these are
    "model calls": 14,
    "fresh input": 0,
    "input written to the cache": 16_171,
    "input read from the cache": 32_896,
    "output": 1_359,
    "at list price": 6.6,
    "rows kept": 240,
    "bytes kept": 159_744,
}
HOUR_OVER_LAST = 1.05  # ids and times differ in length
LESSONS = 2
CALLS = """
    select runs.agent, run_events.data from run_events join runs on runs.id = run_events.run_id
    where run_events.kind = 'usage' order by run_events.root_id, run_events.seq
"""
DAYS_LATER = """
    update review_cards set (learned_at, seen_at, due_at) = (
        strftime('%Y-%m-%d %H:%M:%f000', learned_at, '-9 days'),
        strftime('%Y-%m-%d %H:%M:%f000', seen_at, '-9 days'),
        strftime('%Y-%m-%d %H:%M:%f000', due_at, '-9 days')
    )
"""


@dataclass(frozen=True, slots=True)
class _HourCost:
    """Use of an hour, and what of it is kept.

    Args:
        usage: tokens as the built-in model server counts them; dollars at the list prices of the default models.
        rows: of all tables.
        stored_bytes: of the database's pages in use.
    """

    model_calls: int
    usage: Usage
    rows: int
    stored_bytes: int


async def b11() -> list[Figure]:
    """Cost of a learner's hour: a diagnostic, two lessons and a review, against that of the last release."""
    hour = await _measure_hour()
    used = {
        "model calls": ("", hour.model_calls),
        "fresh input": ("tokens", hour.usage.input_tokens),
        "input written to the cache": ("tokens", hour.usage.cache_write_tokens),
        "input read from the cache": ("tokens", hour.usage.cache_read_tokens),
        "output": ("tokens", hour.usage.output_tokens),
        "at list price": ("cents", hour.usage.cost_usd * 100),
        "rows kept": ("", hour.rows),
        "bytes kept": ("", hour.stored_bytes),
    }
    return [
        Figure(f"B11 an hour: {name}", unit, value, max(1.0, HOUR_OF_LAST_RELEASE[name]), HOUR_OVER_LAST)
        for name, (unit, value) in used.items()
    ]


async def _measure_hour() -> _HourCost:
    """The cost of the hour alone: the path has grown before."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        url = create_empty_database(Path(folder))
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
            async with start_server(Path(folder), url, pace=Pace()) as server:
                await server.events_of(await server.start_path(COURSE))
                before = _state(database)
                await _learn(server, database)
            return _cost(before, _state(database))


async def _learn(server: SproutServer, database: sqlite3.Connection) -> None:
    nodes = (await server.graph())["nodes"]
    concept = next(node["id"] for node in nodes if node["type"] == "concept")
    await _take_diagnostic(server, concept)
    for part in [node["id"] for node in nodes if node["parentId"] == concept][:LESSONS]:
        await _take_lesson(server, part)
    database.execute(DAYS_LATER)
    await _review(server)


async def _take_diagnostic(server: SproutServer, concept_id: str) -> None:
    """Answer every other question, leave the others open, and have the path adapted."""
    assessment = (await server.get(f"/agents/concepts/{concept_id}/diagnostic"))["assessment"]["id"]
    for at, question in enumerate(await server.get(f"/assessments/{assessment}/questions")):
        if at % 2:
            await server.post(f"/questions/{question['id']}/skip", {})
        else:
            given = {"questionId": question["id"]} | _right(question)
            await server.post(f"/assessments/{assessment}/answers", given)
    run = await server.post(f"/agents/concepts/{concept_id}/run?wait=false", {})
    await server.events_of(run["id"])


async def _take_lesson(server: SproutServer, part_id: str) -> None:
    address = f"/chat/sessions/{(await server.post('/chat/sessions', {'nodeId': part_id}))['id']}/tutor"
    reply = await server.post(address, {"content": ""})
    while not reply["isComplete"]:
        question = reply["question"]
        said: Row
        if (compare := question["compare"]) is None:
            said = {"content": f"[ANSWER]\nMode: {question['type']}\n{right_answer(question['prompt'])}"}
        else:
            said = {"selfMark": {"verdicts": _all_met(compare)}}
        reply = await server.post(address, said)


async def _review(server: SproutServer) -> None:
    session = await server.post("/reviews/sessions", {"minutes": 5})
    address = f"/reviews/sessions/{session['id']}"
    while (question := session["question"]) is not None:
        item = {"itemId": question["itemId"]}
        reply = await server.post(f"{address}/answers", item | _right(question))
        if (compare := reply["result"]["compare"]) is not None:
            reply = await server.post(f"{address}/marks", item | {"verdicts": _all_met(compare)})
        session = reply["session"]


def _right(question: Row) -> dict[str, str]:
    words = right_answer(question["prompt"])
    return {"selectedOption" if question["options"] else "answerText": words}


def _all_met(compare: Row) -> dict[str, str]:
    return {one["id"]: "met" for one in compare["criteria"]}


@dataclass(frozen=True, slots=True)
class _State:
    """All that was used until now, by model call, and what is kept."""

    calls: tuple[Usage, ...]
    rows: int
    stored_bytes: int


def _state(database: sqlite3.Connection) -> _State:
    calls = database.execute(CALLS).fetchall()
    tables = database.execute("select name from sqlite_master where type = 'table'").fetchall()
    rows = [database.execute(f'select count(*) from "{name}"').fetchone()[0] for (name,) in tables]
    pages, free, size = (
        database.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return _State(tuple(_priced(agent, data) for agent, data in calls), sum(rows), (pages - free) * size)


def _priced(agent: str, data: str) -> Usage:
    return facts_of(DEFAULT_MODELS[agent]).priced(Usage.model_validate(json.loads(data)["usage"]))


def _cost(before: _State, after: _State) -> _HourCost:
    used = after.calls[len(before.calls) :]  # root ids grow with time
    total = reduce(Usage.plus, used, Usage())
    return _HourCost(len(used), total, after.rows - before.rows, after.stored_bytes - before.stored_bytes)
