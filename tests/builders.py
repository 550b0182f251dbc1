"""Small valid objects."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import update

from sprout.clock import utc_now
from sprout.documents.passages import passages_of
from sprout.events import Caps, Event, NodeRow, Reasoning, RunDone, Usage
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID, NewDocument
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.runs.dispatcher import Advance, Transaction
from sprout.runs.log import Claim, Entry, OnBusy
from sprout.runs.question import QuestionKind, RunQuestion
from sprout.runs.state import ENDED, Run, RunState
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.run_tables import Carrier
from sprout.store.runs import SqlRunStore
from sprout.store.unread import SqlPile

CLAIM = Claim("here", 30.0)


class NotedWakeUps:
    """A Dispatcher that notes what it was asked for, and does nothing about it."""

    def __init__(self) -> None:
        self.lanes: list[str] = []
        self.nudged: list[str] = []

    @asynccontextmanager
    async def started(self, advance: Advance, look: Callable[[str], None]) -> AsyncIterator[None]:
        yield

    def wake(self, lane: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self.lanes.append(lane))

    def nudge(self, run_id: str) -> None:
        self.nudged.append(run_id)

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        pass

    async def drain(self) -> None:
        pass


def a_run(node: NodeRow, **changes: Any) -> Run:
    """A queued root run of the topic agent on the node."""
    run_id = new_id()
    run = Run(
        id=run_id,
        root_id=run_id,
        parent_id=None,
        user_id=node.user_id,
        agent="topic",
        label="topic",
        lane=f"topic:{node.id}",
        node_id=node.id,
        branch_id=node.branch_id,
        small=False,
        model="sprout-offline",
        offline=True,
        caps=Caps(iterations=15),
        created_at=utc_now(),
    )
    return replace(run, **changes)


def a_child(root: Run, node: NodeRow, **changes: Any) -> Run:
    """A queued run of the subconcept agent under a root run."""
    child = a_run(node, agent="subconcept", label=f"subconcept_bootstrap:{node.title}", lane=f"concept:{node.id}")
    return replace(child, **{"root_id": root.id, "parent_id": root.id, **changes})


def a_thought(text: str = "Light first.") -> Event:
    return Reasoning(block_id="b1", text=text)


def the_end(status: Any = "completed", reason: str = "end_turn") -> Event:
    return RunDone(status=status, reason=reason, usage=Usage())


async def a_topic(library: SqlLibrary, title: str = "Photosynthesis", *, user_id: str = DEFAULT_USER_ID) -> NodeRow:
    """A branch with its root, for a user who is made where there is none."""
    await library.ensure_user(user_id)
    branch = await library.create_branch(title, user_id=user_id)
    return await library.create_node(
        user_id=user_id, type="root", title=title, branch_id=branch.id, parent_id=None, desc=None
    )


async def with_notes(library: SqlLibrary, pile: SqlPile, root: NodeRow, text: str, name: str = "notes.md") -> str:
    """The id of a document of the topic that has been read."""
    new = NewDocument(name, "text/markdown", text.encode())
    (added,) = await library.add_documents(root.id, [new], user_id=root.user_id)
    unread = await pile.take()
    assert unread is not None
    assert unread.id == added.id, "others wait to be read"
    assert await pile.keep(unread, text, passages_of(name, text), None)
    return added.id


def a_question(kind: QuestionKind = "question", **changes: Any) -> RunQuestion:
    """A question that a run may wait with."""
    asked = RunQuestion(kind, "Which notation?", ("Leibniz", "Newton"), "Two are in use.", "2026-11-21T00:00:00.000Z")
    return replace(asked, **changes)


async def a_concept(library: SqlLibrary, parent: NodeRow, title: str) -> NodeRow:
    """A child of the node, made by its user."""
    kind: Literal["concept", "subconcept"] = "concept" if parent.type == "root" else "subconcept"
    return await library.create_node(
        user_id=parent.user_id, type=kind, title=title, branch_id=parent.branch_id, parent_id=parent.id, desc=None
    )


async def started(runs: SqlRunStore, run: Run, claim: Claim = CLAIM) -> Run:
    """The run, admitted and running."""
    return (await runs.admit(run, claim=claim)).run


async def ended(runs: SqlRunStore, run: Run, state: RunState = RunState.COMPLETED, *entries: Entry) -> Run:
    """The run, settled; a root with its closing event."""
    closing = [the_end(state.value)] if run.id == run.root_id and state in ENDED else []
    return await runs.settle(
        run, state, reason="end_turn", usage=Usage(input_tokens=7), error=None, entries=[*entries, *closing]
    )


async def queued(runs: SqlRunStore, run: Run) -> Run:
    """The run, admitted at the end of its lane."""
    return (await runs.admit(run, on_busy=OnBusy.ENQUEUE)).run


async def enrolled(runs: SqlRunStore, owner: str, **changes: Any) -> Claim:
    """A carrier that is alive."""
    claim = replace(CLAIM, owner=owner, **changes)
    await runs.enrol(claim)
    return claim


async def died(database: Database, claim: Claim, *, days_ago: float = 1.0) -> None:
    """The carrier says no more that it is alive; or the clock has jumped by so many days."""
    carriers = table_of(Carrier)
    lapsed = update(carriers).where(carriers.c.id == claim.owner).values(lease_until=utc_now() - timedelta(days_ago))
    await database.write(lambda write: write.connection.execute(lapsed))


async def cut_off(runs: SqlRunStore, database: Database, run: Run, owner: str = "dead") -> Run:
    """The run, begun by a carrier that is dead now."""
    dead = await enrolled(runs, owner)
    begun = await started(runs, run, dead)
    await died(database, dead)
    return begun


async def kinds(runs: SqlRunStore, run: Run) -> list[str]:
    """The kinds of the events that this run wrote, in their order."""
    logged = await runs.events(run.root_id, limit=10_000)
    return [one.kind for one in logged if json.loads(one.data)["runId"] == run.id]


async def positions(runs: SqlRunStore, run: Run) -> list[int]:
    """The places in its lane that the run was told of, in their order."""
    logged = await runs.events(run.root_id, limit=10_000)
    told = [json.loads(one.data) for one in logged if one.kind == "run_queued"]
    return [one["position"] for one in told if one["runId"] == run.id]


def a_draft(prompt: str = "Why do leaves look green?") -> QuestionDraft:
    """A sound question for a diagnostic."""
    criteria = (
        Criterion("colour", "names the colour that is reflected", 0.5),
        Criterion("light", "names light", 0.5),
    )
    return QuestionDraft(prompt, "open_ended", "They reflect it.", 1, ("Light",), criteria=criteria)
