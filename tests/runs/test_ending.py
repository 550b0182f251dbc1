"""Endings of runs in words, and their transitions, on runs that are executed (M3)."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.builders import a_run
from harness.loop.scripted_turn import policy_with
from sprout.agents.agent import AgentSpec, Brief, Job, NothingSaved, Team
from sprout.events import AgentDone, NodeRow, ReachedLimit
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.human import ask_human
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool, tool
from sprout.loop.turn import TurnResult
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.ending import ending_words
from sprout.runs.state import Run, RunError, RunState
from sprout.store.engine.database import Database
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import Blocker, TurnScript, an_agent, data, of_kind

LOOK = Reply([ToolOut("look", {"at": "a leaf"})], usage={"output_tokens": 700})
LOOKS = [Reply([ToolOut("look", {"at": f"leaf {n}"})], usage={"output_tokens": 700}) for n in range(20)]
LAST = Reply([TextOut("All grown.")])
TOPIC = NodeRow(
    id="n",
    user_id="u",
    type="root",
    branch_id="b",
    parent_id=None,
    title="Leaves",
    desc=None,
    created_at="",
    updated_at="",
)
STEPS = ReachedLimit(unit="iterations", amount=2)


def looker(hang: Blocker | None = None) -> Tool:
    @tool()
    async def look(at: str) -> str:
        """Look at a leaf."""
        if hang is not None:
            await hang()
        return f"{at} is green"

    return look


def unsaving_agent(policy: LoopPolicy) -> AgentSpec:
    """An agent whose work is not usable, however its loop ends."""

    async def finish(result: TurnResult | None) -> AgentDone:
        raise NothingSaved("Nothing was saved. Start again.")

    working = an_agent(looker(), policy=policy)

    async def brief(job: Job, team: Team) -> Brief:
        return replace(await working.brief(job, team), finish=finish)

    return replace(working, brief=brief)


async def ended(life: LiveApp) -> Run:
    return await life.wait_until_released(await life.start())


async def transitions(life: LiveApp, run: Run) -> list[str]:
    return [*(await life.runs.handoff(run.id, user_id=DEFAULT_USER_ID)).transitions]


@pytest.mark.parametrize(
    ("numbers", "reason", "limit"),
    [
        ({"max_iterations": 2}, "max_iterations", STEPS),
        ({"max_run_tokens": 3_000}, "budget", ReachedLimit(unit="tokens", amount=3_000)),
    ],
)
async def test_M3_the_limit_that_ended_a_run_is_in_its_row_and_its_last_events_and_its_transitions_are_kept(
    database: Database, data_dir: Path, numbers: dict[str, int], reason: str, limit: ReachedLimit
) -> None:
    agent = an_agent(looker(), policy=policy_with(**numbers))
    async with live_app(database, TurnScript(*LOOKS), data_dir, agents=[agent]) as life:
        run = await ended(life)
        log = await life.stored_events(run.id)
        codes = await transitions(life, run)
    assert (run.state, run.reason, run.reached_limit) == (RunState.COMPLETED, reason, limit)
    for kind in ("agent_done", "run_done"):
        assert [one["reachedLimit"] for one in of_kind(log, kind)] == [limit.model_dump()]
    assert codes[-1] == reason
    assert set(codes[:-1]) == {"next_turn"}
    assert len(codes[:-1]) == len(of_kind(log, "tool_result"))


async def test_M3_a_run_that_ends_normally_names_no_limit(database: Database, data_dir: Path) -> None:
    async with live_app(database, TurnScript(LOOK, LAST), data_dir, agents=[an_agent(looker())]) as life:
        run = await ended(life)
        assert await transitions(life, run) == ["next_turn", "end_turn"]
        log = await life.stored_events(run.id)
    assert (run.reason, run.reached_limit, ending_words(run)) == ("end_turn", None, "The run is complete.")
    assert data(log[-1])["reachedLimit"] is None


async def test_M3_a_limit_that_leaves_nothing_fails_the_run_and_is_still_named(
    database: Database, data_dir: Path
) -> None:
    agents = [unsaving_agent(policy_with(max_iterations=2))]
    async with live_app(database, TurnScript(*LOOKS), data_dir, agents=agents) as life:
        run = await ended(life)
        codes = await transitions(life, run)
        (error,) = of_kind(await life.stored_events(run.id), "agent_error")
    words = (
        "The run reached its limit of 2 steps. It had not saved anything yet. "
        "Raise SPROUT_AGENTS__TOPIC__MAX_ITERATIONS, and start it again."
    )
    assert (run.state, run.reason, run.reached_limit) == (RunState.FAILED, "max_iterations", STEPS)
    assert run.error == RunError("max_iterations", words, retryable=True)
    assert (error["code"], error["message"], error["reachedLimit"]["amount"]) == ("max_iterations", words, 2)
    assert codes == ["next_turn", "next_turn", "max_iterations"]


async def test_M3_a_normal_end_that_leaves_nothing_keeps_the_agents_own_words(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, TurnScript(LAST), data_dir, agents=[unsaving_agent(LoopPolicy())]) as life:
        run = await ended(life)
    assert run.error == RunError("nothing_saved", "Nothing was saved. Start again.", retryable=True)
    assert run.reached_limit is None


async def test_M3_a_run_whose_model_failed_keeps_its_transitions_too(database: Database, data_dir: Path) -> None:
    model = TurnScript(LOOK, Fault("bad_key"))
    async with live_app(database, model, data_dir, agents=[an_agent(looker())]) as life:
        run = await ended(life)
        assert (run.state, run.reason) == (RunState.FAILED, "bad_key")
        assert await transitions(life, run) == ["next_turn", "failed"]


async def test_M3_a_run_that_waits_or_was_cut_off_has_the_transitions_so_far(
    database: Database, data_dir: Path
) -> None:
    ask = Reply([ToolOut("ask_human", {"question": "Which notation?"})])
    hang, model = Blocker(at=3), TurnScript(*LOOKS[:3], ask, LAST)
    agents = [an_agent(looker(hang), ask_human)]
    async with live_app(database, model, data_dir, agents=agents) as life:
        run_id = await life.start()
        await hang.reached.wait()
        assert await transitions(life, await life.store.run(run_id)) == ["next_turn"]
    agents = [an_agent(looker(), ask_human)]
    async with live_app(database, model, data_dir, agents=agents, root=life.root) as life:
        run = await life.wait_for_question(run_id)
        assert await transitions(life, run) == ["next_turn", "next_turn", "partial_turn_kept", "waiting_on_human"]
        await life.runs.answer(run_id, "Newton's", user_id=DEFAULT_USER_ID)
        await life.streamed(run_id)
        assert (await transitions(life, run))[-1] == "end_turn"


@pytest.mark.parametrize(
    ("reason", "limit", "words"),
    [
        ("max_iterations", STEPS, "The run reached its limit of 2 steps. What it saved is kept. Start it again to"),
        ("budget", ReachedLimit(unit="usd", amount=0.5), "The run spent its budget of $0.50. What it saved is kept."),
        ("budget", ReachedLimit(unit="usd", amount=0.001), "The run spent its budget of $0.0010."),
        ("budget", ReachedLimit(unit="tokens", amount=4e3), "SPROUT_AGENTS__TOPIC__MAX_RUN_TOKENS."),
        ("soft_limit", ReachedLimit(unit="seconds", amount=900), "The run ran out of time after 15 min."),
        ("soft_limit", ReachedLimit(unit="seconds", amount=30), "after 30 s. What it saved is kept. Start it again to"),
        ("refusal", None, "The run was declined by the model. What it saved is kept. Put the topic in other words"),
        ("stuck", None, "The run was going in circles. What it saved is kept. Start it again to continue."),
        ("stop_sequence", None, "The run is complete."),
    ],
)
def test_M3_each_ending_of_a_completed_run_has_its_words(reason: str, limit: ReachedLimit | None, words: str) -> None:
    done = replace(a_run(TOPIC), state=RunState.COMPLETED, reason=reason, reached_limit=limit)
    assert words in (ending_words(done) or "")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("cancelled", "The run was stopped. What it saved is kept."),
        ("discarded", "The run was discarded."),
        ("started_again", "The run was started over."),
        ("root_ended", "The run ended with the one that had started it."),
    ],
)
def test_M3_a_run_that_was_stopped_says_by_what(reason: str, words: str) -> None:
    run = replace(a_run(TOPIC), state=RunState.CANCELLED, reason=reason, ended_at=datetime.now(UTC))
    assert ending_words(run) == words
    assert ending_words(replace(run, state=RunState.RUNNING)) is None
