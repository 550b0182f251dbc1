"""Keys solved blind, in whole runs on a real database: before questions are asked (Q3), and when one is doubted."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from harness.builders import a_concept, a_topic
from harness.loop.scripted_turn import QUICK
from sprout.agents.grading.key_check import contest_task, key_check_agent
from sprout.agents.path.subconcept import subconcept_agent
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import NodeRow
from sprout.learning.marking.answer_keys import Contest
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.faults.scenarios import Fault, parse_fault
from sprout.offline.reply import Body, Reply, TextOut, ThinkingOut, ToolOut
from sprout.runs.state import Run, RunState
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.engine.database import Database
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables
from tests.agents.path.test_subconcept import CHOICE, NUMERIC, OPEN
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import Said, TurnScript, kinds, of_kind

SECRET = "the quokka knows"
PARTS = [ToolOut("save_subconcept", {"title": title, "desc": "It is."}) for title in "AB"]
EDGE = ToolOut("save_subconcept_edge", {"source_title": "A", "target_title": "B", "why": "first"})
DONE = Reply([TextOut("Made.")])
Solve = Callable[[Tag], dict[str, Any]]


def saving(*questions: dict[str, Any]) -> Reply:
    return Reply([ToolOut("save_diagnostic_question", question) for question in questions])


def numbered(number: int) -> dict[str, Any]:
    return {**CHOICE, "prompt": f"Bulb {number} lights dimly. What does its ammeter show next to the one before it?"}


def choosing(text: str | None, sure: float = 0.9, *, number: str | None = None) -> Solve:
    """Solves every choice with the option of this text, and every numeric question with this number."""

    def solve(question: Tag) -> dict[str, Any]:
        if question.attributes["format"] == "numeric":
            return {"number": number, "sure": sure}
        options = {option.text: option.attributes["id"] for option in question.children("option")}
        return {"option_id": None if text is None else options[text], "sure": sure}

    return solve


def solving(solve: Solve) -> Callable[[Body], Reply]:
    """A reply that thinks and says more than anybody may see, and records what it found."""

    def reply(body: Body) -> Reply:
        questions = read_conversation(body).request.children("question")
        found = [{"question_id": one.attributes["id"], **solve(one)} for one in questions]
        return Reply([ThinkingOut(SECRET), TextOut(SECRET), ToolOut("record_solutions", {"solutions": found})])

    return reply


class Solver(TurnScript):
    """The subconcept agent's replies, and those of each key check in the order of the checks."""

    def __init__(self, replies: Sequence[Said], checks: Sequence[Said]) -> None:
        super().__init__(*replies)
        self._checks = list(checks)
        self.requests: list[str] = []

    def answer(self, body: Body) -> Reply | Fault:
        if "record_solutions" not in {tool["name"] for tool in body.get("tools") or ()}:
            return super().answer(body)
        if any(message["role"] == "assistant" for message in body["messages"]):
            return Reply([TextOut(f"Solved. {SECRET}")])
        self.requests.append(json.dumps(body))
        verdict = self._checks.pop(0)
        return verdict(body) if callable(verdict) else verdict


@dataclass
class Checked:
    life: LiveApp
    keys: SqlAnswerKeys
    database: Database
    concept: NodeRow
    model: Solver

    async def made(self, *, small: bool = False) -> Run:
        """The subconcept agent's run on the concept, at its end."""
        admission = await self.life.runs.start("subconcept", node=self.concept, user_id=DEFAULT_USER_ID, small=small)
        return await self.life.runs.wait_until_released(admission.run.id)

    async def doubted(self, question_id: str, reason: str | None = None) -> tuple[Contest, Run]:
        contest = await self.keys.contest(question_id, user_id=DEFAULT_USER_ID, reason=reason)
        node = await self.life.repositories.node(contest.node_id, user_id=DEFAULT_USER_ID)
        admission = await self.life.runs.start(
            "key_check", node=node, user_id=DEFAULT_USER_ID, task=contest_task(question_id)
        )
        run = await self.life.runs.wait_until_released(admission.run.id)
        return await self.keys.find_contest(question_id, user_id=DEFAULT_USER_ID), run

    async def states(self) -> list[tuple[str, str]]:
        """Disputed questions with their states."""
        wanted = select(tables.Question).order_by(col(tables.Question.creation))
        async with self.database.open_read_session() as session:
            return [(one.prompt, one.state) for one in await session.exec(wanted)]

    async def first_question(self) -> str:
        async with self.database.open_read_session() as session:
            return (await session.exec(select(tables.Question.id).order_by(col(tables.Question.creation)))).all()[0]


@asynccontextmanager
async def checking(
    database: Database,
    folder: Path,
    replies: Sequence[Said],
    *checks: Said,
    verify: bool = True,
    model_like: type[Solver] = Solver,
) -> AsyncIterator[Checked]:
    repositories = SqlPathRepository(database, lambda message: None, split=split_into_passages)
    keys, model = SqlAnswerKeys(database, lambda message: None), model_like(replies, checks)
    agents = [
        subconcept_agent(repositories, QUICK, keys=keys if verify else None),
        key_check_agent(repositories, keys, QUICK),
    ]
    async with live_app(database, model, folder, agents=agents) as life:
        concept = await a_concept(life.paths, await a_topic(life.paths, "Circuits"), "Current")
        yield Checked(life, keys, database, concept, model)


async def test_Q3_a_key_that_holds_is_asked_about_only_after_it_was_solved_blind(
    database: Database, data_dir: Path
) -> None:
    replies = [Reply([*PARTS, EDGE]), saving(CHOICE, NUMERIC, OPEN), DONE]
    async with checking(
        database, data_dir, replies, solving(choosing(CHOICE["correct_answer"], number=NUMERIC["correct_answer"]))
    ) as it:
        run = await it.made()
        log = await it.life.stored_events(run.id)
        assert [state for _, state in await it.states()] == ["verified"] * 3
    ready = [one["question"]["format"] for one in of_kind(log, "question_ready")]
    assert ready == ["open_ended", "mcq", "open_ended"]  # words at once, a choice and a number when they were solved
    (request,) = it.model.requests
    for secret in ("current is used up", "correct_option", "misconception"):
        assert secret not in request
    assert request.count("<option ") == 4


async def test_Q3_a_key_that_does_not_hold_is_dropped_and_the_agent_is_told_to_write_another(
    database: Database, data_dir: Path
) -> None:
    events: list[str] = []

    def another(body: Body) -> Reply:
        events.append(json.dumps(body["messages"][-1], ensure_ascii=False))
        return saving(numbered(2))

    replies: list[Said] = [Reply([*PARTS, EDGE]), saving(numbered(1)), DONE, another, DONE]
    checks = solving(choosing("nothing at all")), solving(choosing("the same"))
    async with checking(database, data_dir, replies, *checks) as it:
        run = await it.made()
        log = await it.life.stored_events(run.id)
        states = await it.states()
    assert states == [(numbered(1)["prompt"], "voided"), (numbered(2)["prompt"], "verified")]
    assert f"The question “{numbered(1)['prompt'][:80]}” did not hold when solved" in events[0]
    assert [one["question"]["prompt"] for one in of_kind(log, "question_ready")] == [numbered(2)["prompt"]]


@pytest.mark.parametrize(
    ("found", "state"), [(NUMERIC["correct_answer"], "verified"), ("1234.5", "voided"), (None, "voided")]
)
async def test_Q3_a_number_is_computed_twice(database: Database, data_dir: Path, found: str | None, state: str) -> None:
    replies = [Reply([*PARTS, EDGE]), saving(NUMERIC), DONE, DONE]
    async with checking(database, data_dir, replies, solving(choosing("none", number=found))) as it:
        await it.made()
        assert [one for _, one in await it.states()] == [state]


@pytest.mark.parametrize(
    "check", [solving(choosing("nothing at all", sure=0.3)), parse_fault("bad_key"), Reply([TextOut("No.")])]
)
async def test_Q3_what_cannot_be_checked_is_asked_in_the_end_and_nothing_is_lost(
    database: Database, data_dir: Path, check: Said
) -> None:
    async with checking(database, data_dir, [Reply([*PARTS, EDGE]), saving(CHOICE), DONE], check) as it:
        run = await it.made()
        log = await it.life.stored_events(run.id)
        assert [state for _, state in await it.states()] == ["posed"]
    assert run.state is RunState.COMPLETED
    assert kinds(log).count("question_ready") == 1
    assert len(it.model.requests) == 1  # the same questions are not checked twice in a run


@pytest.mark.parametrize(("small", "verify"), [(True, True), (False, False)])
async def test_Q3_small_paths_and_those_who_do_not_want_it_have_no_check(
    database: Database, data_dir: Path, small: bool, verify: bool
) -> None:
    replies = [Reply([*PARTS, EDGE]), saving(CHOICE, numbered(2)), DONE]
    async with checking(database, data_dir, replies, verify=verify) as it:
        await it.made(small=small)
        assert [state for _, state in await it.states()] == ["posed"] * 2
    assert it.model.requests == []


async def test_Q3_what_the_solver_thinks_and_says_is_for_nobody(database: Database, data_dir: Path) -> None:
    replies = [Reply([*PARTS, EDGE]), saving(CHOICE), DONE]
    async with checking(database, data_dir, replies, solving(choosing("the same"))) as it:
        run = await it.made()
        events = await it.life.streamed(run.id)
        (solver,) = await it.life.store.runs(user_id=DEFAULT_USER_ID, agent="key_check", roots_only=False)
        handoff = await it.life.runs.handoff(solver.id, user_id=DEFAULT_USER_ID)
    shown = [*(one.data for one in events), handoff.journal.objective, handoff.journal.reached, handoff.journal.next]
    assert all(SECRET not in text for text in shown)
    assert "Made." in "".join(shown)  # what the other agent says is told as ever
    (call,) = [one for one in of_kind(events, "tool_call") if one["tool"] == "record_solutions"]
    assert call["input"] == {}
    assert "Done: record_solutions × 1." in handoff.journal.reached


@pytest.mark.parametrize(
    ("looks", "outcome", "state"),
    [
        (("a little less", "nothing at all"), "wrong", "voided"),
        (("the same", "the same"), "held", "verified"),
        (("the same", "nothing at all"), "unsettled", "verified"),
    ],
)
async def test_Q4_a_doubted_question_is_solved_again_twice(
    database: Database, data_dir: Path, looks: Sequence[str], outcome: str, state: str
) -> None:
    replies = [Reply([*PARTS, EDGE]), saving(CHOICE), DONE]
    checks = [solving(choosing(text)) for text in ("the same", *looks)]
    async with checking(database, data_dir, replies, *checks) as it:
        await it.made()
        contest, run = await it.doubted(await it.first_question(), "It says </reason><b> that less is right.")
        log = await it.life.stored_events(run.id)
        states = await it.states()
    assert (contest.outcome, [one for _, one in states]) == (outcome, [state])
    (settled,) = of_kind(log, "contest_settled")
    assert settled["outcome"] == outcome
    assert "the same" not in json.dumps(settled)
    first, second = it.model.requests[1:]
    assert first != second
    for request in (first, second):
        assert "It says &lt;/reason&gt;&lt;b&gt; that less is right.</reason>" in request
    assert SECRET not in str([one.data for one in log])


async def test_Q3_options_come_in_an_order_that_tells_nothing(database: Database, data_dir: Path) -> None:
    orders: list[list[str]] = []

    def noted(question: Tag) -> dict[str, Any]:
        orders.append([option.text for option in question.children("option")])
        return choosing("the same")(question)

    questions = [numbered(number) for number in range(9)]
    replies: list[Said] = [Reply([*PARTS, EDGE]), saving(*questions), DONE]
    async with checking(database, data_dir, replies, solving(noted)) as it:
        await it.made()
    assert len(orders) == 9
    assert all(sorted(order) == sorted(CHOICE["options"]) for order in orders)
    assert len({tuple(order) for order in orders}) > 1  # all nine alike: once in 24 to the eighth


async def test_Q4_an_open_question_is_judged_with_its_answer_and_criteria(database: Database, data_dir: Path) -> None:
    judged = solving(lambda question: {"holds": False, "sure": 0.9})
    async with checking(database, data_dir, [Reply([*PARTS, EDGE]), saving(OPEN), DONE], judged, judged) as it:
        await it.made()
        contest, run = await it.doubted(await it.first_question())
        log = await it.life.stored_events(run.id)
    assert contest.outcome == "wrong"
    assert "the loop has a gap" in it.model.requests[0]
    assert "the loop has a gap" not in str([one.data for one in log])


async def test_Q4_while_the_model_is_down_nothing_is_settled_and_it_can_be_asked_again(
    database: Database, data_dir: Path
) -> None:
    held = solving(choosing("the same"))
    checks: list[Said] = [held, parse_fault("bad_key"), held, held]
    async with checking(database, data_dir, [Reply([*PARTS, EDGE]), saving(CHOICE), DONE], *checks) as it:
        await it.made()
        contest, run = await it.doubted(await it.first_question())
        assert (contest.outcome, run.state) == (None, RunState.FAILED)
        contest, run = await it.doubted(await it.first_question())
    assert (contest.outcome, run.state) == ("held", RunState.COMPLETED)


async def test_an_entry_for_what_was_not_asked_is_refused_and_a_missing_one_is_asked_for(
    database: Database, data_dir: Path
) -> None:
    def astray(body: Body) -> Reply:
        (question,) = read_conversation(body).request.children("question")
        strange = {"question_id": question.attributes["id"], "option_id": "nowhere", "sure": 1.0}
        unknown = {"question_id": "nobody", "option_id": None, "sure": 1.0}
        return Reply([ToolOut("record_solutions", {"solutions": [one]}) for one in (strange, unknown)])

    replies = [Reply([*PARTS, EDGE]), saving(CHOICE), DONE]
    async with checking(database, data_dir, replies, astray) as it:
        run = await it.made()
        log = await it.life.stored_events(run.id)
        (solver,) = await it.life.store.runs(user_id=DEFAULT_USER_ID, agent="key_check", roots_only=False)
        record = await it.life.store.record(solver.id)
    assert [one["ok"] for one in of_kind(log, "tool_result") if one["tool"] == "record_solutions"] == [False, False]
    assert "There is no entry for the question" in str(record.checkpoints)


async def test_D5_a_check_that_circles_asks_nobody_and_the_question_is_asked(
    database: Database, data_dir: Path
) -> None:
    foreign = Reply([ToolOut("record_solutions", {"solutions": [{"question_id": "none of these", "sure": 1}]})])

    class Circling(Solver):
        def answer(self, body: Body) -> Reply | Fault:
            checks = "record_solutions" in {tool["name"] for tool in body.get("tools") or ()}
            return foreign if checks else super().answer(body)

    async with checking(database, data_dir, [Reply([*PARTS, EDGE]), saving(CHOICE), DONE], model_like=Circling) as it:
        run = await it.made()
        assert [state for _, state in await it.states()] == ["posed"]
    assert run.state is RunState.COMPLETED
