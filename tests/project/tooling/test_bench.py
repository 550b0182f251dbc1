"""The measurements measure what they say."""

import asyncio
import json
from collections import Counter
from pathlib import Path

from anthropic import AsyncAnthropic

from bench.__main__ import MEASURES
from bench.baselines import minimal_server
from bench.load.learner_hour import b11
from bench.results import PAGE, with_figures
from bench.servers.note_taking_server import make_note_taker
from bench.workloads import (
    CALL_CHARACTERS,
    CALLS_A_TURN,
    CONCEPTS,
    QUESTIONS,
    SUBCONCEPTS,
    TEXT_DELTAS,
    TURNS,
    NoteTakingModel,
    concept_titles,
    critical_path_s,
    subconcept_replies,
    topic_replies,
)
from harness.prefork.python import prefork_python
from sprout.app import open_app
from sprout.config import load_settings
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.pace import Pace
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.offline.server import running_offline_server

ROOT = Path(__file__).parents[3]


def tools_of(replies: list[Reply]) -> Counter[str]:
    return Counter(block.name for reply in replies for block in reply.blocks if isinstance(block, ToolOut))


def test_every_turn_of_the_notes_is_as_large_as_it_says() -> None:
    turns = [NoteTakingModel().answer({"messages": [{"role": "assistant"}] * turn}) for turn in range(TURNS + 1)]
    for turn in turns[:TURNS]:
        text, *calls = turn.blocks
        assert isinstance(text, TextOut)
        assert len(text.text) == TEXT_DELTAS * 5
        assert [len(call.json()) for call in calls if isinstance(call, ToolOut)] == [CALL_CHARACTERS] * CALLS_A_TURN
    assert not turns[TURNS].tool_calls


def test_the_onboarding_is_as_large_as_it_says() -> None:
    assert tools_of(topic_replies()) == {"save_concept": CONCEPTS, "save_concept_edge": CONCEPTS}
    for title in concept_titles():
        assert tools_of(subconcept_replies(title)) == {
            "save_subconcept": SUBCONCEPTS,
            "save_subconcept_edge": SUBCONCEPTS,
            "save_diagnostic_question": QUESTIONS,
        }


def test_the_critical_path_counts_every_reply_on_the_way_once() -> None:
    # Without a rate only the waits for a first token remain: two replies to the last concept, then its own replies.
    longest = 2 + len(subconcept_replies(concept_titles()[-1]))
    assert critical_path_s(Pace(first_token_s=1.0)) == (longest, 1.0)


async def test_the_floor_does_the_work_once() -> None:
    async with (
        running_offline_server(NoteTakingModel()) as model,
        AsyncAnthropic(api_key="any", base_url=model.base_url, max_retries=0) as client,
    ):
        kinds = Counter([event["event"] async for event in minimal_server.events(client)])
        assert len(model.requests) == TURNS + 1
    assert kinds["agent_reasoning_delta"] == TURNS * TEXT_DELTAS + 4  # and the last sentence
    assert kinds["tool_result"] == TURNS * CALLS_A_TURN


async def test_sprout_does_the_same_work(tmp_path: Path) -> None:
    async with running_offline_server(NoteTakingModel()) as model:
        settings = load_settings(base_url=model.base_url, data_dir=tmp_path, database_url=None, model="sprout-offline")
        async with open_app(settings, extra_agents=[make_note_taker]) as sprout:
            branch = await sprout.stores.paths.create_branch("Notes", user_id=DEFAULT_USER_ID)
            node = await sprout.stores.paths.create_node(
                user_id=DEFAULT_USER_ID, type="root", title="Notes", branch_id=branch.id, parent_id=None, desc=None
            )
            run = (await sprout.runs.start("topic", node=node, user_id=DEFAULT_USER_ID)).run
            messages = [one async for batch in sprout.runs.follow(run.root_id) for one in batch]
        assert len(model.requests) == TURNS + 1
    assert Counter(one.kind for one in messages)["tool_result"] == TURNS * CALLS_A_TURN
    assert json.loads(messages[-1].data)["status"] == "completed"


async def test_an_unknown_measure_is_refused() -> None:
    process = await asyncio.create_subprocess_exec(
        prefork_python(), "-m", "bench", "B99", cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    _, err = await process.communicate()
    assert process.returncode == 2
    assert b"no measure B99" in err


def test_the_page_of_results_says_what_every_measure_is_and_takes_new_figures() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in MEASURES:
        assert f"\n| {name} | " in page or f"\n| {name.lower()} | " in page
    figure = {"name": "B1 work", "unit": "ms", "value": 3.0, "floor": 2.0, "ratio": 1.5, "goal": 1.2, "met": False}
    result = {"at": "2026-01-31T09:00:00+00:00", "machine": {"processor": "one core"}, "sprout": "1.0", "versions": {}}
    shown = with_figures(page, [result | {"figures": [figure]}])
    assert "| B1 work | 3.00 ms | 2.00 ms | 1.50 | ≤ 1.2 | **not met** |" in shown
    assert shown.partition("<!--")[0] == page.partition("<!--")[0]


async def test_B11_a_learners_hour_costs_no_more_than_that_of_the_last_release() -> None:
    figures = await b11()
    assert all(figure.met for figure in figures), [(figure.name, figure.value) for figure in figures]
    calls, *_ = figures
    assert calls.value, "an hour without a model call is none"
