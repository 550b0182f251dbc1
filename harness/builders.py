"""Small valid objects."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

import httpx2
from sqlalchemy import update

from sprout.clock import utc_now
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import Caps, Event, NodeRow, QuestionKind, ReasoningBlock, RunDone, Usage
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID, NewDocument
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.runs.dispatcher import Advance, Transaction
from sprout.runs.questions import RunQuestion
from sprout.runs.run_store import Entry, OnBusy, RunStore, WorkerLease
from sprout.runs.state import TERMINAL_STATES, Run, RunState
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewItem, ReviewSessionRow
from sprout.store.schema.run_tables import WorkerLeaseRow

CLAIM = WorkerLease("here", 30.0)


class RecordingDispatcher:
    """A Dispatcher that records wake-ups and does nothing else."""

    def __init__(self) -> None:
        self.woken_lanes: list[str] = []
        self.woken_runs: list[str] = []

    @asynccontextmanager
    async def running(self, advance: Advance, refresh: Callable[[str], None]) -> AsyncIterator[None]:
        yield

    def wake_lane(self, lane: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self.woken_lanes.append(lane))

    def wake_run(self, run_id: str, transaction: Transaction) -> None:
        transaction.after_commit(lambda: self.woken_runs.append(run_id))

    async def advance_all(self, lanes: Sequence[str]) -> None:
        pass

    def every(self, seconds: float, job: Callable[[], Awaitable[None]]) -> None:
        pass

    def stop(self) -> None:
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


def a_reasoning_event(text: str = "Light first.") -> Event:
    return ReasoningBlock(block_id="b1", text=text)


def an_end_event(status: Any = "completed", reason: str = "end_turn") -> Event:
    return RunDone(status=status, reason=reason, usage=Usage())


async def a_topic(paths: SqlPaths, title: str = "Photosynthesis", *, user_id: str = DEFAULT_USER_ID) -> NodeRow:
    """A branch with its root; the user is created if missing."""
    await paths.ensure_user(user_id)
    branch = await paths.create_branch(title, user_id=user_id)
    return await paths.create_node(
        user_id=user_id, type="root", title=title, branch_id=branch.id, parent_id=None, desc=None
    )


async def add_notes(
    paths: SqlPaths, document_queue: SqlDocumentQueue, root: NodeRow, text: str, name: str = "notes.md"
) -> str:
    """The id of a document of the topic that has been read."""
    new = NewDocument(name, "text/markdown", text.encode())
    (added,) = await paths.add_documents(root.id, [new], user_id=root.user_id)
    unread = await document_queue.claim()
    assert unread is not None
    assert unread.id == added.id, "others wait to be read"
    assert await document_queue.complete(unread, text, split_into_passages(name, text), None)
    return added.id


def a_question(kind: QuestionKind = "question", **changes: Any) -> RunQuestion:
    """A question that a run may wait with."""
    asked = RunQuestion(kind, "Which notation?", ("Leibniz", "Newton"), "Two are in use.", "2026-11-21T00:00:00.000Z")
    return replace(asked, **changes)


async def a_concept(paths: SqlPaths, parent: NodeRow, title: str) -> NodeRow:
    """A child of the node, made by its user."""
    kind: Literal["concept", "subconcept"] = "concept" if parent.type == "root" else "subconcept"
    return await paths.create_node(
        user_id=parent.user_id, type=kind, title=title, branch_id=parent.branch_id, parent_id=parent.id, desc=None
    )


async def start_run(runs: SqlRunStore, run: Run, lease: WorkerLease = CLAIM) -> Run:
    """The run, admitted and running."""
    return (await runs.admit(run, lease=lease)).run


async def end_run(runs: SqlRunStore, run: Run, state: RunState = RunState.COMPLETED, *entries: Entry) -> Run:
    """The run, settled; a root with its closing event."""
    closing = [an_end_event(state.value)] if run.id == run.root_id and state in TERMINAL_STATES else []
    return await runs.settle(
        run, state, reason="end_turn", usage=Usage(input_tokens=7), error=None, entries=[*entries, *closing]
    )


async def queue_run(runs: SqlRunStore, run: Run) -> Run:
    """The run, admitted at the end of its lane."""
    return (await runs.admit(run, on_busy=OnBusy.ENQUEUE)).run


async def enroll_worker(runs: SqlRunStore, owner: str, **changes: Any) -> WorkerLease:
    """A live worker's lease."""
    claim = replace(CLAIM, owner=owner, **changes)
    await runs.acquire_lease(claim)
    return claim


async def expire_worker(database: Database, lease: WorkerLease, *, days_ago: float = 1.0) -> None:
    """Let the lease lapse, as if the worker had stopped renewing it that many days ago."""
    leases = table_of(WorkerLeaseRow)
    lapsed = update(leases).where(leases.c.id == lease.owner).values(lease_until=utc_now() - timedelta(days_ago))
    await database.write_tx(lambda write: write.connection.execute(lapsed))


async def cut_off_run(runs: SqlRunStore, database: Database, run: Run, owner: str = "dead") -> Run:
    """The run, started by a worker that is dead now."""
    dead = await enroll_worker(runs, owner)
    started = await start_run(runs, run, dead)
    await expire_worker(database, dead)
    return started


async def event_kinds(runs: SqlRunStore, run: Run) -> list[str]:
    """The kinds of the events that this run wrote, in their order."""
    stored = await runs.events(run.root_id, limit=10_000)
    return [one.kind for one in stored if json.loads(one.data)["runId"] == run.id]


async def queue_positions(runs: SqlRunStore, run: Run) -> list[int]:
    """The lane positions of the run's `run_queued` events, in order."""
    stored = await runs.events(run.root_id, limit=10_000)
    queued = [json.loads(one.data) for one in stored if one.kind == "run_queued"]
    return [one["position"] for one in queued if one["runId"] == run.id]


def a_draft(prompt: str = "Why do leaves look green?") -> QuestionDraft:
    """A sound question for a diagnostic."""
    criteria = (
        Criterion("colour", "names the colour that is reflected", 0.5),
        Criterion("light", "names light", 0.5),
    )
    return QuestionDraft(prompt, "open_ended", "They reflect it.", 1, ("Light",), criteria=criteria)


async def unfinished_runs(runs: RunStore, user_id: str = DEFAULT_USER_ID) -> list[Run]:
    """The learner's runs that have not ended, children too, oldest first."""
    states = [state for state in RunState if state not in TERMINAL_STATES]
    return (await runs.runs(user_id=user_id, states=states, roots_only=False, limit=1_000))[::-1]


async def a_past_review_session(database: Database, node_ids: Sequence[str], user_id: str = DEFAULT_USER_ID) -> str:
    """The id of a review session that is over; the questions about these parts were skipped."""
    row = ReviewSessionRow(id=new_id(), user_id=user_id, ended_at=utc_now())
    items = [
        ReviewItem(id=new_id(), session_id=row.id, position=position, node_id=node_id, state="skipped")
        for position, node_id in enumerate(node_ids, start=1)
    ]

    def body(tx: WriteTransaction) -> str:
        tx.session.add(row)
        tx.session.flush()
        tx.session.add_all(items)
        return row.id

    return await database.write_tx(body)


async def a_past_placement(client: httpx2.AsyncClient, branch_id: str) -> tuple[str, str]:
    """The ids of a placement of a path that was ended before its first answer, and of that question's item."""
    started = await client.post("/api/placements", json={"branchId": branch_id})
    session = started.raise_for_status().json()
    placement, item = str(session["id"]), str(session["question"]["itemId"])
    (await client.post(f"/api/placements/{placement}/finish", json={})).raise_for_status()
    return placement, item
