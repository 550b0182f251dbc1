"""Runs that wait for a person: what they ask, what each answer does, here and after a restart (W1, K5, K6)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, update

from sprout.agents.agent import AgentSpec
from sprout.errors import BadInput, Conflict
from sprout.events import Usage
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.human import ask_human
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.tool_calls.permissions import Decision, Rule
from sprout.loop.tools import Effect, Tool, tool
from sprout.offline.reply import Reply, TextOut, ToolOut
from sprout.runs.execution.answers import interpret_answer
from sprout.runs.questions import CONTINUE_ANYWAY, HAPPENED, NOT_HAPPENED, START_AGAIN, STOP, RunQuestion
from sprout.runs.run_store import Checkpoint, OnBusy, RunRecord
from sprout.runs.state import Run, RunState
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import CheckpointRow
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import Blocker, TurnScript, an_agent, assert_whole, drain_event_loop, kinds, of_kind

LAST = Reply([TextOut("As you wish.")])
ASK = Reply([TextOut("One thing."), ToolOut("ask_human", {"question": "Which notation?", "choices": ["a", "b"]})])
POST = Reply([ToolOut("post", {"letter": "a bill"})])
ASKS_FIRST = LoopMechanisms(permissions=(Rule(Decision.ASK, "post"),))


def a_post(sent: list[str], hook: Callable[[], Awaitable[None]] | None = None, *, about: str = "a letter") -> Tool:
    @tool(effect=Effect.WRITE, description=f"Send {about}.", secret=frozenset({"code"}))
    async def post(letter: str, code: str = "") -> str:
        if hook is not None:
            await hook()
        sent.append(letter)
        return f"{letter} is on its way"

    return post


async def answered(life: LiveApp, run_id: str, words: str, *, result: str | None = None) -> Run:
    """The run after its end, which comes with this answer."""
    await life.runs.answer(run_id, words, user_id=DEFAULT_USER_ID, result=result)
    await life.streamed(run_id)
    run = await life.store.run(run_id)
    assert_whole(await life.stored_events(run_id), run)
    return run


@asynccontextmanager
async def dead_in_a_post(database: Database, data_dir: Path, model: TurnScript) -> AsyncIterator[tuple[LiveApp, str]]:
    """A server that stands still while it sends a letter: nobody can say whether it was sent."""
    hang = Blocker()
    async with live_app(database, model, data_dir, agents=[an_agent(a_post([], hang))]) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage")
        await hang.reached.wait()
        life.stand_still()
        try:
            yield life, run_id
        finally:
            hang.may_go.set()


async def test_W1_a_run_that_asks_holds_nothing_and_goes_on_with_the_answer(database: Database, data_dir: Path) -> None:
    async with live_app(database, TurnScript(ASK, LAST), data_dir, agents=[an_agent(ask_human)]) as life:
        before = asyncio.all_tasks()
        waiting = await life.wait_for_question(await life.start())
        await drain_event_loop()
        assert waiting.question is not None
        assert (waiting.question.kind, waiting.question.question) == ("question", "Which notation?")
        assert (waiting.question.choices, waiting.owner) == (("a", "b"), None)
        assert {task.get_name() for task in asyncio.all_tasks() - before if task.get_name().startswith("run")} == set()
        assert await life.parts.bus.snapshots(waiting.id) == []
        run = await answered(life, waiting.id, "a")
        log = await life.stored_events(waiting.id)
        block = life.server.requests[1].body["messages"][-1]["content"][0]
    assert run.state is RunState.COMPLETED
    assert (block["type"], block["content"]) == ("tool_result", "a")
    assert of_kind(log, "waiting_on_human")[0]["choices"] == ["a", "b"]
    assert [one["cause"] for one in of_kind(log, "run_resumed")] == ["answered"]
    assert [one["summary"] for one in of_kind(log, "tool_result")] == ["a"]


@pytest.mark.parametrize("answered_by", ["the next", "the one after"])
async def test_W1_a_pause_survives_restarts(database: Database, data_dir: Path, answered_by: str) -> None:
    """Traps 49 and 69."""
    model = TurnScript(ASK, LAST)
    async with live_app(database, model, data_dir, agents=[an_agent(ask_human)]) as life:
        run_id = await life.start()
        await life.wait_for_question(run_id)
    async with live_app(database, model, data_dir, agents=[an_agent(ask_human)], root=life.root) as life:
        assert (await life.store.run(run_id)).state is RunState.WAITING_ON_HUMAN
        assert model.asked == 1
        if answered_by == "the next":
            run = await answered(life, run_id, "b")
        else:  # the answer is stored, and the server is gone before it has come to anything
            life.runs.begin_shutdown()
            await life.runs.answer(run_id, "b", user_id=DEFAULT_USER_ID)
    if answered_by == "the one after":
        async with live_app(database, model, data_dir, agents=[an_agent(ask_human)], root=life.root) as life:
            await life.streamed(run_id)
            run = await life.store.run(run_id)
    assert run.state is RunState.COMPLETED
    assert model.asked == 2


async def test_an_answer_counts_once(database: Database, data_dir: Path) -> None:
    hang, sent = Blocker(), list[str]()
    agent = an_agent(ask_human, a_post(sent, hang))
    async with live_app(database, TurnScript(ASK, POST, LAST), data_dir, agents=[agent]) as life:
        run_id = await life.start()
        await life.wait_for_question(run_id)
        several = await asyncio.gather(
            *(life.runs.answer(run_id, words, user_id=DEFAULT_USER_ID) for words in "abc"), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in several) == ["Conflict", "Conflict", "Run"]
        with pytest.raises(Conflict):
            await life.runs.answer(run_id, "a", user_id=DEFAULT_USER_ID)
        hang.may_go.set()
        await life.streamed(run_id)
        with pytest.raises(Conflict):
            await life.runs.answer(run_id, "a", user_id=DEFAULT_USER_ID)
        assert_whole(await life.stored_events(run_id), await life.store.run(run_id))


async def test_trap_57_a_run_that_waits_is_cancelled_at_once_and_its_lane_goes_on(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, TurnScript(ASK, LAST), data_dir, agents=[an_agent(ask_human)]) as life:
        run_id = await life.start()
        await life.wait_for_question(run_id)
        next_id = await life.start(on_busy=OnBusy.ENQUEUE)
        run = await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        assert run.state is RunState.CANCELLED
        assert_whole(await life.stored_events(run_id), run)
        assert (await life.wait_for_question(next_id)).position == 0
        assert (await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)).state is RunState.CANCELLED


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("words", ["allow this ONCE", "Do not allow", "Rather not, thank you"])
async def test_W1_a_call_that_needs_permission_waits_for_it(
    database: Database, data_dir: Path, words: str, restart: bool
) -> None:
    """Traps 49 and 50: only the prepared word allows it, for this call alone."""
    sent: list[str] = []
    post = Reply([ToolOut("post", {"letter": "a bill", "code": "4711"})])
    model, agent = TurnScript(post, post, LAST), an_agent(a_post(sent), mechanisms=ASKS_FIRST)
    async with live_app(database, model, data_dir, agents=[agent]) as life:
        run_id = await life.start()
        waiting = await life.wait_for_question(run_id)
        assert sent == []
        if not restart:
            await life.runs.answer(run_id, words, user_id=DEFAULT_USER_ID)
            await life.wait_for_event(run_id, "waiting_on_human", times=2)
    async with live_app(database, model, data_dir, agents=[agent], root=life.root) as life:
        if restart:
            await life.runs.answer(run_id, words, user_id=DEFAULT_USER_ID)
            await life.wait_for_event(run_id, "waiting_on_human", times=2)
        run = await answered(life, run_id, "Do not allow")
    assert waiting.question is not None
    assert (waiting.question.kind, waiting.question.tool) == ("permission", "post")
    assert waiting.question.input == {"letter": "a bill"}
    assert run.state is RunState.COMPLETED
    assert sent == (["a bill"] if words.startswith("allow") else [])


async def test_trap_50_an_allowance_is_for_the_arguments_that_were_shown(database: Database, data_dir: Path) -> None:
    sent: list[str] = []
    model, agent = TurnScript(POST, LAST), an_agent(a_post(sent), mechanisms=ASKS_FIRST)
    async with live_app(database, model, data_dir, agents=[agent]) as life:
        run_id = await life.start()
        await life.wait_for_question(run_id)
        life.runs.begin_shutdown()
        await life.runs.answer(run_id, "Allow this once", user_id=DEFAULT_USER_ID)
    await rewritten(database, run_id, "a bill", "a fortune")
    async with live_app(database, model, data_dir, agents=[agent], root=life.root) as life:
        await life.wait_for_event(run_id, "waiting_on_human", times=2)
        waiting = await life.wait_for_question(run_id)
    assert sent == []
    assert waiting.question is not None
    assert waiting.question.input == {"letter": "a fortune"}


async def rewritten(database: Database, run_id: str, old: str, new: str) -> None:
    """Replace text in the stored messages of the run."""
    checkpoints = table_of(CheckpointRow)

    def body(write: WriteTransaction) -> None:
        changed = func.replace(checkpoints.c.messages, old, new)
        write.connection.execute(update(checkpoints).where(checkpoints.c.run_id == run_id).values(messages=changed))

    await database.write_tx(body)


async def test_a_denied_call_is_answered_without_asking_anybody(database: Database, data_dir: Path) -> None:
    sent: list[str] = []
    agent = an_agent(a_post(sent), mechanisms=LoopMechanisms(permissions=(Rule(Decision.DENY, "post"),)))
    async with live_app(database, TurnScript(POST, LAST), data_dir, agents=[agent]) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        log = await life.stored_events(run_id)
    assert sent == []
    assert [one["ok"] for one in of_kind(log, "tool_result")] == [False]


@pytest.mark.parametrize(
    ("words", "result"), [(HAPPENED, None), (HAPPENED, "It arrived."), (NOT_HAPPENED, None), (STOP, None)]
)
async def test_K6_a_write_that_nobody_knows_of_is_put_before_a_person(
    database: Database, data_dir: Path, words: str, result: str | None
) -> None:
    """Trap 3: it is not sent again but on a person's word; then once."""
    sent: list[str] = []
    model = TurnScript(POST, LAST)
    async with dead_in_a_post(database, data_dir, model) as (dead, run_id):
        async with live_app(database, model, data_dir, agents=[an_agent(a_post(sent))], root=dead.root) as life:
            waiting = await life.wait_for_question(run_id)
            assert waiting.question is not None
            assert (waiting.question.kind, waiting.question.tool) == ("in_doubt", "post")
            assert waiting.question.input == {"letter": "a bill"}
            assert sent == []
            with pytest.raises(BadInput):
                await life.runs.answer(run_id, "Perhaps", user_id=DEFAULT_USER_ID)
            run = await answered(life, run_id, words, result=result)
            log = await life.stored_events(run_id)
            asked = [] if words == STOP else life.server.requests[-1].body["messages"][2]["content"]
    assert sent == (["a bill"] if words == NOT_HAPPENED else [])
    assert run.state is (RunState.CANCELLED if words == STOP else RunState.COMPLETED)
    assert kinds(log).count("tool_result") == (0 if words == STOP else 1)
    if result is not None:
        assert asked[0]["content"] == result


@pytest.mark.parametrize("words", [START_AGAIN, CONTINUE_ANYWAY, STOP])
async def test_K5_a_run_whose_agent_has_changed_asks_how_to_go_on(
    database: Database, data_dir: Path, words: str
) -> None:
    """Trap 6: both digests are named; nothing is asked of the model before the answer."""
    sent: list[str] = []
    model = TurnScript(ASK, LAST)
    hang = Blocker()
    async with live_app(database, TurnScript(POST, LAST), data_dir, agents=[still(sent, hang)]) as life:
        run_id = await life.start()
        await hang.reached.wait()
    changed = an_agent(a_post(sent, about="a letter, registered"), ask_human)
    async with live_app(database, model, data_dir, agents=[changed], root=life.root) as life:
        waiting = await life.wait_for_question(run_id)
        assert waiting.question is not None
        assert (waiting.question.kind, model.asked) == ("changed", 0)
        digests = waiting.question.input or {}
        assert digests["before"] != digests["after"]
        assert str(digests["before"])[:12] in waiting.question.why
        await life.runs.answer(run_id, words, user_id=DEFAULT_USER_ID)
        if words == CONTINUE_ANYWAY:
            await life.streamed(run_id)
        old = await life.store.run(run_id)
        newest = (await life.runs.runs(user_id=DEFAULT_USER_ID))[0]
        if words == START_AGAIN:
            await life.wait_for_question(newest.id)
    if words == CONTINUE_ANYWAY:
        assert (old.state, newest.id) == (RunState.COMPLETED, run_id)
    else:
        assert (old.state, newest.id == run_id) == (RunState.CANCELLED, words == STOP)
        assert old.reason == ("started_again" if words == START_AGAIN else "cancelled")


def still(sent: list[str], hang: Blocker) -> AgentSpec:
    """Stays in a tool that can be called off."""

    @tool(effect=Effect.WRITE, idempotent=True, description="Send a letter.")
    async def post(letter: str, code: str = "") -> str:
        await hang()
        sent.append(letter)
        return "sent"

    return an_agent(post)


@pytest.mark.parametrize("broken", [{"version": 99}, {"messages": "{"}, {"messages": '[{"role": "cat"}]'}])
@pytest.mark.parametrize("words", [START_AGAIN, STOP])
async def test_trap_11_a_run_that_cannot_be_read_asks_and_does_not_crash(
    database: Database, data_dir: Path, broken: dict[str, object], words: str
) -> None:
    hang, sent = Blocker(), list[str]()
    async with live_app(database, TurnScript(POST, LAST), data_dir, agents=[still(sent, hang)]) as life:
        run_id = await life.start()
        await hang.reached.wait()
    checkpoints = table_of(CheckpointRow)
    await database.write_tx(
        lambda write: write.connection.execute(
            update(checkpoints).where(checkpoints.c.run_id == run_id).values(**broken)
        )
    )
    async with live_app(
        database, TurnScript(ASK, LAST), data_dir, agents=[an_agent(ask_human)], root=life.root
    ) as life:
        waiting = await life.wait_for_question(run_id)
        assert waiting.question is not None
        assert (waiting.question.kind, waiting.question.choices) == ("changed", (START_AGAIN, STOP))
        assert (await life.runs.handoff(run_id, user_id=DEFAULT_USER_ID)).journal.reached
        with pytest.raises(BadInput):
            await life.runs.answer(run_id, CONTINUE_ANYWAY, user_id=DEFAULT_USER_ID)
        await life.runs.answer(run_id, words, user_id=DEFAULT_USER_ID)
        old = await life.store.run(run_id)
        newest = (await life.runs.runs(user_id=DEFAULT_USER_ID))[0]
        if words == START_AGAIN:
            await life.wait_for_question(newest.id)
        assert_whole(await life.stored_events(run_id), old)
    assert (old.state, newest.id == run_id) == (RunState.CANCELLED, words == STOP)


@pytest.mark.parametrize("words", ["Stop", "Keep going"])
async def test_D2_a_run_in_circles_asks_and_stops_or_goes_on_as_it_is_told(
    database: Database, data_dir: Path, words: str
) -> None:
    @tool()
    async def look(at: str) -> str:
        """Look at something."""
        return "nothing new"

    again = Reply([ToolOut("look", {"at": "leaves"})])
    rounds = 0

    def round_again(body: object) -> Reply:
        nonlocal rounds
        rounds += 1
        return LAST if rounds > 20 else again

    model = TurnScript(*[round_again] * 40)
    async with live_app(database, model, data_dir, agents=[an_agent(look, ask_human)]) as life:
        run_id = await life.start()
        waiting = await life.wait_for_question(run_id)
        assert waiting.question is not None
        assert (waiting.question.kind, waiting.question.call_id) == ("context", None)
        rounds = 100
        run = await answered(life, run_id, words)
        if words != "Stop":
            contents = [str(message["content"]) for message in life.server.requests[-1].body["messages"]]
            assert any("The person's answer: Keep going" in one for one in contents)
    assert run.state is (RunState.CANCELLED if words == "Stop" else RunState.COMPLETED)


def test_a_question_that_was_stored_with_an_earlier_wording_takes_its_own_choices() -> None:
    asked = RunQuestion(
        "changed",
        "How should it go on?",
        ("Start again", "Go on all the same", STOP),
        "",
        "",
        input={"after": "digest"},
    )
    effect = interpret_answer(asked, "Go on all the same", RunRecord((), (), Usage(), frozenset()))
    assert effect.entries == (Checkpoint("human_pause", digest="digest"),)
