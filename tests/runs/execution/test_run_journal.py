"""Journals of runs (J3, J4, M2): what an agent notes down is there for its next run, and after a crash."""

import json
from pathlib import Path

from sqlalchemy import text

from harness.loop.scripted_turn import policy_with
from sprout.loop.mechanisms import LoopMechanisms
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.runs.handoff_report import run_journal
from sprout.runs.state import Run
from sprout.store.engine.database import Database
from tests.runs.execution.test_resume import a_look
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import Blocker, TurnScript, an_agent

KEEPS_JOURNAL = LoopMechanisms(journal=True)
NOTE = ToolOut("update_run_journal", {"objective": "Find the source", "decisions": ["Read page 3 first, it is short"]})
READ = Reply([ToolOut("get_run_journal")])
LOOK = Reply([NOTE, ToolOut("look", {"at": "page 1"})])
LAST = Reply([TextOut("Found.")])


class Recording(TurnScript):
    """A script that keeps the requests."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__(*replies)
        self.bodies: list[Body] = []

    def answer(self, body: Body) -> Reply:
        self.bodies.append(body)
        reply = super().answer(body)
        assert isinstance(reply, Reply)
        return reply


async def ended(life: LiveApp, run_id: str) -> Run:
    """The run after its end."""
    await life.streamed(run_id)
    return await life.store.run(run_id)


async def test_J4_a_run_after_one_that_hit_its_cap_begins_with_the_notes_and_hands_them_over(
    database: Database, data_dir: Path
) -> None:
    seen: list[str] = []
    agent = an_agent(a_look(seen), policy=policy_with(max_iterations=1), mechanisms=KEEPS_JOURNAL)
    first, second = Recording(LOOK), Recording(LAST, LAST)
    async with live_app(database, first, data_dir, agents=[agent]) as life:
        root, run = life.root, await ended(life, await life.start())
        assert run.reason == "max_iterations"
        handoff = run_journal(run, await life.store.record(run.id))
        assert (handoff.objective, {*handoff.codes}) == ("Find the source", {"reached", "next"})
    async with live_app(database, second, data_dir, agents=[agent], root=root) as life:
        await ended(life, await life.start())
    system, messages = json.dumps(second.bodies[0]["system"]), second.bodies[0]["messages"]
    assert "Find the source" in system
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert "Read page 3 first" in json.dumps(messages[0])
    assert "Find the source" not in json.dumps(first.bodies)  # the first had no notes to begin with


async def test_J3_a_run_that_was_cut_off_finds_its_notes_and_its_prompt_unchanged(
    database: Database, data_dir: Path
) -> None:
    hang, seen = Blocker(), list[str]()
    first, second = Recording(LOOK), Recording(LOOK, READ, LAST)
    async with live_app(
        database, first, data_dir, agents=[an_agent(a_look(seen, hang), mechanisms=KEEPS_JOURNAL)]
    ) as life:
        root, run_id = life.root, await life.start()
        await hang.reached.wait()
    agent = an_agent(a_look(seen), mechanisms=KEEPS_JOURNAL)
    async with live_app(database, second, data_dir, agents=[agent], root=root) as life:
        run = await ended(life, run_id)
    assert run.reason == "end_turn"
    assert {json.dumps(body["system"]) for body in [*first.bodies, *second.bodies]} == {
        json.dumps(first.bodies[0]["system"])
    }
    assert "Read page 3 first" in json.dumps(second.bodies[-1]["messages"][-1])


async def test_M2_another_agent_and_another_node_have_notes_of_their_own(database: Database, data_dir: Path) -> None:
    notes, other = Recording(Reply([NOTE]), LAST), Recording(LAST)
    topic, helper = (an_agent(name=name, mechanisms=KEEPS_JOURNAL) for name in ("topic", "helper"))
    async with live_app(database, notes, data_dir, agents=[topic, helper]) as life:
        root = life.root
        await ended(life, await life.start())
    async with live_app(database, other, data_dir, agents=[topic, helper], root=root) as life:
        await ended(life, await life.start(agent="helper"))
    async with live_app(database, other, data_dir, agents=[topic, helper]) as life:
        await ended(life, await life.start())
    assert len(other.bodies) == 2
    assert "Find the source" not in json.dumps(other.bodies)


async def test_J4_notes_that_cannot_be_read_cost_the_next_run_nothing_else(database: Database, data_dir: Path) -> None:
    notes, after = Recording(Reply([NOTE]), LAST), Recording(LAST)
    agent = an_agent(mechanisms=KEEPS_JOURNAL)
    async with live_app(database, notes, data_dir, agents=[agent]) as life:
        root = life.root
        await ended(life, await life.start())
    damage = text("update checkpoints set state = 'half {' where kind = 'journal_update'")
    await database.write_tx(lambda write: write.connection.execute(damage))
    async with live_app(database, after, data_dir, agents=[agent], root=root) as life:
        run = await ended(life, await life.start())
    assert run.reason == "end_turn"
