"""Fresh questions for reviews, made in whole runs over the offline model's server (learning.md V7, Q3)."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, select

from harness.builders import a_run
from harness.loop.scripted_turn import QUICK
from sprout.agents.grading.key_check import key_check_agent
from sprout.agents.path.variants import variants_agent
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.misconceptions.beliefs import belief_id
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.faults.scenarios import Fault, parse_fault
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.review_variants import VariantStarter
from sprout.runs.budget.arithmetic import LEARNER, Limit, PayerLimits
from sprout.runs.budget.ledger import BudgetLedger
from sprout.runs.state import Run, RunState
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.quotas import Quotas
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.reviews.variants import SqlVariants
from sprout.store.runs.budget import SqlSpendingRepository
from sprout.store.runs.mapping import columns_of, runs
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from tests.runs.live_app import LiveApp, live_app, model_backend
from tests.runs.scripted_agents import InterruptedStore, Said, kinds
from tests.store.reviews.learned_path import ME, Clock, Learner, learn_path

BELIEF = "who leaves is counted too"
STEPS = ["Five chairs are taken by five.", "Two get up, so three are left."]
NUMBER: dict[str, Any] = {
    "part": "Shares",
    "prompt": "Five people sit at a table and two get up. How many are left?",
    "format": "numeric",
    "correct_answer": "3",
    "solution": STEPS,
    "misconceptions": [{"option": "5", "misconception": belief_id(BELIEF)}],
}
CHOICE: dict[str, Any] = {
    "part": "shares",
    "prompt": "A shelf has nine books and four are lent. Which shelf shows what is left?",
    "format": "mcq",
    "options": ["one with five books", "one with four books", "one with nine books", "one with thirteen"],
    "correct_answer": "one with five books",
    "solution": ["Nine less four is five."],
}
TERM: dict[str, Any] = {
    "part": "Shares",
    "prompt": "What is the number called that is left after one is taken away from another?",
    "format": "open_ended",
    "correct_answer": "difference",
    "accepted": ["difference", "the difference"],
    "solution": ["Taking away gives a difference."],
}
HOSTILE: Mapping[str, dict[str, Any]] = {
    "gives its own answer away": {**CHOICE, "prompt": "Is it one with five books that is left?"},
    "3 options": {**CHOICE, "prompt": "Which?", "options": ["one with five books", "four", "nine", "Four"]},
    "was asked already": {**NUMBER, "prompt": "Of three people, one leaves. How many stay? (Shares, 0)"},
    "needs accepted terms": {
        **TERM,
        "accepted": None,
        "prompt": "Why is something left?",
    },
    "solution is empty": {**NUMBER, "prompt": "Of six, one goes. How many stay?", "solution": [" "]},
    "not one of the options": {**CHOICE, "prompt": "Which shelf?", "correct_answer": "no shelf at all"},
    "is not a number": {**NUMBER, "prompt": "Of seven, one goes. How many stay?", "correct_answer": "six or so"},
}


def a_path(*parts: str) -> dict[str, Any]:
    """A concept of parts about each of which there are two questions."""
    return {
        "sprout_path": 1,
        "title": "Chances",
        "topic": {"title": "Chances"},
        "concepts": [
            {
                "title": "Counts",
                "subconcepts": [{"title": part} for part in parts],
                "questions": [
                    {
                        "prompt": f"Of three people, one leaves. How many stay? ({part}, {number})",
                        "format": "numeric",
                        "difficulty": 3,
                        "correct_answer": "2",
                        "tests": [part],
                        "misconceptions": [{"option": "3", "misconception": BELIEF}],
                    }
                    for part in parts
                    for number in range(2)
                ],
            }
        ],
    }


def saving(*variants: dict[str, Any]) -> Reply:
    return Reply([ToolOut("save_variants", {"variants": list(variants)})])


def finding(number: str | None, option: str | None = None, *, sure: float = 0.9) -> Callable[[Body], Reply]:
    """Solves every number with this one, and every choice with this option."""

    def solve(body: Body) -> Reply:
        found = []
        for one in read_conversation(body).request.children("question"):
            ids = {child.text: child.attributes["id"] for child in one.children("option")}
            answer = {"option_id": ids.get(option or "")} if ids else {"number": number}
            found.append({"question_id": one.attributes["id"], "sure": sure, **answer})
        return Reply([ToolOut("record_solutions", {"solutions": found})])

    return solve


@dataclass
class Writer:
    """The model: what it writes, in order and then for ever, and how it solves what is checked."""

    replies: list[Said]
    written: Reply = field(default_factory=lambda: Reply([TextOut("That is all.")]))
    solves: Said = field(default_factory=lambda: finding("3", CHOICE["correct_answer"]))
    asked: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)

    def answer(self, body: Body) -> Reply | Fault:
        if any(tool["name"] == "record_solutions" for tool in body.get("tools") or ()):
            self.checks.append(json.dumps(body["messages"]))
            return self.solves(body) if callable(self.solves) else self.solves
        self.asked.append(json.dumps(body["messages"], ensure_ascii=False))
        reply = self.replies.pop(0) if self.replies else self.written
        return reply(body) if callable(reply) else reply


@dataclass
class World:
    """A learner whose parts are due tomorrow, and the server that looks after them."""

    life: LiveApp
    learner: Learner
    model: Writer
    variants: SqlVariants
    starter: VariantStarter
    keys: SqlAnswerKeys

    async def look(self) -> list[Run]:
        """All runs for variants, ended, after the server has looked once."""
        await self.starter.start_lacking()
        found = await self.life.runs.runs(user_id=ME, agent="variants")
        return [await self.life.runs.wait_until_released(run.id) for run in found]

    async def states(self) -> dict[str, str]:
        """Prompt → state of the questions in the learner's recall."""
        assessment, question = table_of(tables.Assessment), table_of(tables.Question)
        node = table_of(tables.Node)
        wanted = (
            select(question.c.prompt, question.c.state)
            .join(assessment, assessment.c.id == question.c.assessment_id)
            .join(node, node.c.id == question.c.node_id)
            .where(assessment.c.type == "recall", node.c.branch_id == self.learner.branch_id)
            .order_by(question.c.creation)
        )
        rows = await self.learner.rows(wanted)
        assert len(rows) == len({row.prompt for row in rows}), "no question is there twice"
        return {row.prompt: row.state for row in rows}


@asynccontextmanager
async def reviewing(
    database: Database,
    folder: Path,
    model: Writer,
    *parts: str,
    verify: bool = True,
    limit: Limit | None = None,
    learner: Learner | None = None,
    **options: Any,
) -> AsyncIterator[World]:
    clock = learner.clock if learner is not None else Clock()
    learner = learner or await learn_path(database, clock, path=a_path(*(parts or ("Shares",))))
    variants, keys = SqlVariants(database, lambda _: None, now=clock), SqlAnswerKeys(database, lambda _: None)
    graphs = SqlPathRepository(database, lambda _: None, split=split_into_passages)
    agents = [
        variants_agent(graphs, variants, QUICK, keys=keys if verify else None),
        key_check_agent(graphs, keys, QUICK),
    ]
    limits = {} if limit is None else {LEARNER: PayerLimits(limit)}
    ledger = BudgetLedger(SqlSpendingRepository(database), limits, lambda _, usage: usage.output_tokens / 1_000)
    async with live_app(database, model, folder, agents=agents, **options) as life:
        starter = VariantStarter(variants, life.runs, ledger, "claude-sonnet-5-5", 2_000)
        yield World(life, learner, model, variants, starter, keys)


async def test_V7_parts_that_are_due_soon_get_fresh_questions_which_the_next_review_asks(
    database: Database, data_dir: Path
) -> None:
    async with reviewing(database, data_dir, Writer([saving(NUMBER, CHOICE, TERM)])) as it:
        (run,) = await it.look()
        assert (run.state, run.is_root, run.lane.partition(":")[0]) == (RunState.COMPLETED, True, "variants")
        assert await it.states() == dict.fromkeys((NUMBER["prompt"], CHOICE["prompt"], TERM["prompt"]), "verified")
        (request,), (check,) = it.model.asked, it.model.checks
        assert [(f"(Shares, {number})" in request) for number in range(3)] == [True, True, False]
        assert f'id=\\"{belief_id(BELIEF)}\\"' in request
        assert check.count("<question ") == 2
        assert "correct" not in check
        assert len(await it.look()) == 1, "for the same parts it is started only once"
        assert len(it.model.asked) == 1

        log = await it.life.stored_events(run.id)
        assert "question_ready" not in kinds(log)  # it is no question of a diagnostic
        assert all(NUMBER["prompt"] not in event.data for event in log)
        assert await it.life.runs.latest(user_id=ME) == []
        assert await it.life.runs.runs(user_id=ME, include_conversations=False) == []

        it.learner.clock.move(days=1, minutes=1)
        session = await it.learner.start()
        assert session.question is not None
        assert session.question.prompt == NUMBER["prompt"]
        reply = await it.learner.reply("3")
        assert (reply.result.mark, reply.result.grade, reply.result.why) == ("right", "good", "\n".join(STEPS))
        assert (await it.states())[NUMBER["prompt"]] == "graded"
        assert (await it.learner.card("Shares")).due_at > it.learner.clock.moment
        question = await it.learner.question("Shares", 2)
        assert question.misconceptions[0]["misconception"] == BELIEF


async def test_V7_a_variant_that_was_shown_and_left_is_asked_another_day(database: Database, data_dir: Path) -> None:
    async with reviewing(database, data_dir, Writer([saving(NUMBER)])) as it:
        await it.look()
        it.learner.clock.move(days=1, minutes=1)
        for _ in range(2):
            session = await it.learner.start()
            assert session.question is not None
            assert session.question.prompt == NUMBER["prompt"]
            it.learner.clock.move(days=1)
        assert list(await it.states()) == [NUMBER["prompt"]]


@pytest.mark.parametrize("solves", [finding("4"), finding("3", sure=0.2), parse_fault("bad_key")])
async def test_Q3_a_variant_whose_key_is_not_found_again_is_never_asked(
    database: Database, data_dir: Path, solves: Said
) -> None:
    async with reviewing(database, data_dir, Writer([saving(NUMBER, TERM)], solves=solves)) as it:
        (run,) = await it.look()
        assert run.state is RunState.COMPLETED
        assert await it.states() == {NUMBER["prompt"]: "voided", TERM["prompt"]: "verified"}


async def test_Q3_without_the_check_variants_are_asked_as_they_are(database: Database, data_dir: Path) -> None:
    async with reviewing(database, data_dir, Writer([saving(NUMBER)]), verify=False) as it:
        await it.look()
        assert (await it.states(), it.model.checks) == ({NUMBER["prompt"]: "posed"}, [])


async def test_Q5_variants_that_cannot_be_asked_are_left_out_each_with_its_reason(
    database: Database, data_dir: Path
) -> None:
    hostile = list(HOSTILE.values())
    async with reviewing(database, data_dir, Writer([saving(*hostile), saving(*hostile, NUMBER)])) as it:
        (run,) = await it.look()
        assert await it.states() == {NUMBER["prompt"]: "verified"}
        first, second = it.model.asked
        assert all(reason in second and reason not in first for reason in HOSTILE)
        assert run.state is RunState.COMPLETED


async def test_V7_a_run_that_makes_nothing_fails_quietly_and_is_not_started_again(
    database: Database, data_dir: Path
) -> None:
    async with reviewing(database, data_dir, Writer([])) as it:
        (run,) = await it.look()
        assert (run.state, run.error is not None and run.error.retryable) == (RunState.FAILED, True)
        before = len(it.model.asked)
        assert len(await it.look()) == 1
        assert len(it.model.asked) == before
        it.learner.clock.move(days=1, minutes=1)
        session = await it.learner.start()
        assert session.question is not None
        assert "(Shares, 0)" in session.question.prompt
        await it.learner.reply("2")
        it.learner.clock.move(days=2)  # the part has moved on, and comes soon again
        assert len(await it.look()) == 2


async def test_V7_without_budget_nothing_is_started(database: Database, data_dir: Path) -> None:
    limit = Limit(usd=1.9)  # a reply of 2,000 tokens costs 2
    async with reviewing(database, data_dir, Writer([saving(NUMBER)]), limit=limit) as it:
        assert await it.look() == []
        richer = BudgetLedger(SqlSpendingRepository(database), {LEARNER: PayerLimits(Limit(usd=2.1))}, lambda *_: 0.001)
        it.starter = replace(it.starter, ledger=richer)
        assert len(await it.look()) == 1


async def test_V7_a_learner_who_has_too_many_runs_gets_none_and_keeps_none_from_the_others(
    sqlite_url: str, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        open_database(sqlite_url, quotas=Quotas(runs_at_once=1)) as database,
        reviewing(database, data_dir, Writer([saving(NUMBER)])) as it,
    ):
        (lacking,) = await it.variants.lacking_concepts()
        other = columns_of(a_run(lacking.concept, state=RunState.RUNNING))
        await database.write_tx(lambda tx: tx.connection.execute(insert(runs), other))
        assert await it.look() == []
        (refused,) = [record for record in caplog.records if record.message == "variants.not_started"]
        assert refused.__dict__["lane"] == f"variants:{lacking.concept.id}"
        await database.write_tx(lambda tx: tx.connection.execute(delete(runs)))
        it.life.runs.begin_shutdown()
        assert await it.look() == []
        assert [record for record in caplog.records if record.message == "variants.not_started"] == [refused]


async def test_V7_only_parts_without_a_fresh_question_get_variants(database: Database, data_dir: Path) -> None:
    both = [{**NUMBER, "part": part, "prompt": f"{part}: five sit and two get up. How many?"} for part in "AB"]
    async with reviewing(database, data_dir, Writer([saving(both[0]), saving(both[1])]), "A", "B") as it:
        await it.look()
        assert list(await it.states()) == [both[0]["prompt"]]
        await it.look()
        assert list(await it.states()) == [one["prompt"] for one in both]
        assert [("(A, 0)" in request, "(B, 0)" in request) for request in it.model.asked] == [
            (True, True), (False, True),
        ]  # fmt: skip
        assert await it.variants.lacking_concepts() == []


async def test_V7_a_run_that_is_killed_at_any_write_goes_on_and_saves_nothing_twice(
    database: Database, data_dir: Path
) -> None:
    """At every other write, so that every step is met, and its end or its beginning."""
    model, cuts = Writer([], written=saving(NUMBER)), 0
    async with asyncio.timeout(120), model_backend(model) as backend:
        for at in range(1, 60, 2):
            cut = partial(InterruptedStore, at=at)
            async with reviewing(database, data_dir, model, backend=backend, store_like=cut) as it:
                store = it.life.store
                assert isinstance(store, InterruptedStore)
                await it.starter.start_lacking()
                (run, *_) = await it.life.runs.runs(user_id=ME, agent="variants")
                if not await store.is_cut_before(it.life.runs.wait_until_released(run.id)):
                    break
                cuts += 1
                async with reviewing(
                    database, data_dir, model, learner=it.learner, backend=backend, sweep_s=0.1
                ) as again:
                    await again.life.streamed(run.id)
                    await again.starter.start_lacking()
                    assert len(await again.life.runs.runs(user_id=ME, agent="variants")) == cuts, at
                    assert await again.states() == {NUMBER["prompt"]: "verified"}, at
                store.released.set()
    assert cuts >= 4


async def test_V7_a_run_with_nothing_to_write_that_is_killed_ends_well_and_leaves_what_lacks_since_to_the_next(
    database: Database, data_dir: Path
) -> None:
    cut, model = partial(InterruptedStore, at=1), Writer([saving(NUMBER)])
    async with reviewing(database, data_dir, model, store_like=cut) as it:
        assert isinstance(it.life.store, InterruptedStore)
        (lacking,) = await it.variants.lacking_concepts()
        it.learner.clock.move(days=-30)
        started = await it.life.runs.start("variants", node=lacking.concept, user_id=ME)
        await it.life.store.cut.wait()
        it.learner.clock.move(days=30)
        async with reviewing(database, data_dir, model, learner=it.learner, backend=it.life.backend) as again:
            run = await again.life.runs.wait_until_released(started.run.id)
            assert (run.state, model.asked) == (RunState.COMPLETED, [])
            await again.look()
            assert await again.states() == {NUMBER["prompt"]: "verified"}
        it.life.store.released.set()
