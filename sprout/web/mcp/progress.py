"""Progress of a run: its events as sentences, for as long as a call follows it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, cast

from sprout.runs.run_store import StoredEvent
from sprout.runs.state import Run, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.web.http.dependencies import Runs

Report = Callable[[int, str], Awaitable[None]]
"""Takes the number of an event and what has happened, in a sentence."""

KIND_TEXTS = {"root": "topic", "concept": "concept", "subconcept": "part"}
SENTENCES: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "run_queued": lambda data: f"Queued behind {data['position']} other runs.",
    "run_started": lambda data: f"At work: {data.get('agent') or 'an agent'}",
    "run_resumed": lambda _: "The run goes on after an interruption.",
    "node_created": lambda data: f"New {KIND_TEXTS[data['node']['type']]}: {data['node']['title']}",
    "node_updated": lambda data: f"Changed {KIND_TEXTS[data['node']['type']]}: {data['node']['title']}",
    "node_removed": lambda _: "Removed a node.",
    "question_ready": lambda _: "A question is ready.",
    "model_retry": lambda data: f"The model is asked again: {data['why']}",
    "model_switched": lambda data: f"Another model goes on: {data['to']}",
    "agent_error": lambda data: f"An agent has failed: {data['message']}",
    "waiting_on_human": lambda data: f"The run waits for an answer: {data['question']}",
    "run_done": lambda data: f"The run has ended: {data['status']}",
}


async def follow_run(runs: Runs, run: Run, report: Report, *, after: int, seconds: int) -> list[str]:
    """The sentences of the events after a number, reported one by one.

    Ends with the run, where it waits for a person, after so many seconds, or with the server.
    """
    said: list[str] = []
    messages = cast(AsyncGenerator[list[BusMessage], None], runs.follow(run.root_id, after=after))
    try:
        async with asyncio.timeout(seconds), aclosing(messages) as batches:
            async for batch in batches:
                for message in batch:
                    await _tell(message, said, report)
                if any(message.kind == "waiting_on_human" for message in batch) and await _waits(runs, run):
                    break
    except TimeoutError:
        pass  # the run goes on, and its row says so
    return said


async def _tell(message: BusMessage, said: list[str], report: Report) -> None:
    sentence = SENTENCES.get(message.kind)
    if sentence is None or not isinstance(message, StoredEvent):
        return
    said.append(sentence(json.loads(message.data)))
    await report(message.seq, said[-1])


async def _waits(runs: Runs, run: Run) -> bool:
    root = await runs.run(run.root_id, user_id=run.user_id)
    return root.state is RunState.WAITING_ON_HUMAN and not root.answered
