"""One path, and runs that do what a test says, told as a server tells them: for what is hard to bring about."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

MOMENT = "2026-11-20T10:0{}:00.000Z"
USAGE = {"inputTokens": 41_000, "outputTokens": 7_900, "cacheWriteTokens": 0, "cacheReadTokens": 0, "costUsd": 0.36}
CAPS = {"iterations": 15, "tokens": None, "costUsd": 1.5}
BRANCH = {"id": "path", "title": "Photosynthesis", "userId": "u", "createdAt": MOMENT.format(0), "updatedAt": ""}
NODE = {"userId": "u", "branchId": "path", "desc": None, "accuracyScore": 0, "createdAt": "", "updatedAt": ""}
SNAPSHOT = {
    "objective": "A path on photosynthesis from two documents",
    "reached": "4 of about 7 concepts, all of them saved",
    "next": "Save concept Calvin cycle, then connect it to Light reactions",
    "codes": {},
    "params": {},
}
NODES = [
    {**NODE, "id": "root", "type": "root", "parentId": None, "title": "Photosynthesis"},
    {**NODE, "id": "light", "type": "concept", "parentId": "root", "title": "Light reactions"},
]
Row = dict[str, Any]


def a_row(run_id: str, state: str = "running", **more: Any) -> Row:
    """A root run of the path's agent."""
    started_at = None if state == "queued" else MOMENT.format(2)
    over = MOMENT.format(4) if state in ("completed", "failed", "cancelled", "timed_out") else None
    row: Row = {"id": run_id, "rootId": run_id, "agent": "topic", "label": "topic", "state": state, "reason": None}
    row |= {"lane": "topic:root", "nodeId": "root", "branchId": "path", "parentId": None, "small": False}
    row |= {"model": "claude-opus-5-5", "offline": False, "usage": USAGE, "caps": CAPS, "error": None}
    row |= {"createdAt": MOMENT.format(1), "startedAt": started_at, "endedAt": over, "lastEventId": 0, "position": 0}
    row |= {"reachedLimit": None, "question": None, "offers": [], "resumes": 0, "cutOff": False, "discarded": False}
    return row | more


def a_question(kind: str, question: str, choices: list[str] | None, **more: Any) -> Row:
    asked: Row = {"kind": kind, "question": question, "choices": choices, "why": "Three concepts build on this."}
    return asked | {"tool": None, "input": None, "since": MOMENT.format(3)} | more


@dataclass(frozen=True, slots=True)
class FakeEvent:
    root_id: str
    seq: int | None
    kind: str
    data: Row


@dataclass
class FakeServerState:
    """A running stand-in: its runs by id, newest last, and everything that the page has asked of them."""

    url: str = ""
    rows: dict[str, Row] = field(default_factory=dict)
    logs: dict[str, list[FakeEvent]] = field(default_factory=dict)
    requests: list[tuple[str, str, Row]] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)
    _readers: set[asyncio.Queue[FakeEvent | None]] = field(default_factory=set)

    def add_run(self, row: Row) -> None:
        """A run of which the log tells no more than that it began."""
        self.rows[row["id"]], self.logs[row["id"]] = row, []
        self.publish(row["id"], "run_queued", agent="topic", position=row["position"])
        if row["startedAt"]:
            self.start_run(row["id"])

    def start_run(self, run_id: str) -> None:
        row = self.rows[run_id]
        facts = {"model": row["model"], "caps": CAPS, "offline": False}
        self.publish(run_id, "run_started", agent="topic", lane=row["lane"], **facts)

    def ask_learner(self, run_id: str, question: Row) -> None:
        """The run waits for the learner from now on."""
        self.rows[run_id] |= {"state": "waiting_on_human", "question": question, "offers": ["answer", "discard"]}
        words = {"of": question["kind"]} | {name: question.get(name) for name in ("question", "choices", "why", "tool")}
        self.publish(run_id, "waiting_on_human", agent="topic", **words)

    def resume_run(self, run_id: str, cause: str) -> None:
        attempt = self.rows[run_id]["resumes"] + 1
        change = {"state": "running", "question": None, "offers": ["cancel"], "resumes": attempt, "cutOff": False}
        self.rows[run_id] |= change
        self.publish(run_id, "run_resumed", agent="topic", attempt=attempt, cause=cause)

    def end_run(self, run_id: str, state: str = "completed", **more: Any) -> None:
        self.rows[run_id] |= {"state": state, "endedAt": MOMENT.format(5), "offers": [], "question": None} | more
        self.publish(run_id, "run_done", status=state, reason=state, usage=USAGE)

    def publish(self, root_id: str, kind: str, **data: Any) -> None:
        """One event of a run, kept in its log."""
        log = self.logs[root_id]
        event = FakeEvent(root_id, len(log) + 1, kind, {"runId": root_id, "at": MOMENT.format(4)} | data)
        log.append(event)
        self.rows[root_id]["lastEventId"] = event.seq
        self._send(event)

    def publish_ephemeral(self, root_id: str, kind: str, **data: Any) -> None:
        """One event that no log has: it reaches only those who listen now."""
        self._send(FakeEvent(root_id, None, kind, {"runId": root_id} | data))

    def _send(self, event: FakeEvent | None) -> None:
        for reader in self._readers:
            reader.put_nowait(event)

    def cut_streams(self) -> None:
        """Every stream breaks off; the page comes back by itself."""
        self._send(None)

    async def events(self, after: dict[str, int]) -> AsyncIterator[bytes]:
        """The learner's stream: unfinished roots and those that the cursor names, then what happens."""
        queue: asyncio.Queue[FakeEvent | None] = asyncio.Queue()
        self._readers.add(queue)
        places = {root: after.get(root, 0) for root in self.logs if root in after or not self.rows[root]["endedAt"]}
        try:
            yield b"retry: 2000\n\n"
            for root, seen in list(places.items()):
                for event in self.logs[root][seen:]:
                    yield self._frame(event, places)
            while (fresh := await queue.get()) is not None:
                if fresh.seq is None or fresh.seq > places.get(fresh.root_id, 0):
                    yield self._frame(fresh, places)
        finally:
            self._readers.discard(queue)

    def _frame(self, event: FakeEvent, places: dict[str, int]) -> bytes:
        head = ""
        if event.seq is not None:
            places[event.root_id] = event.seq
            head = f"id: {','.join(f'{root}:{seq}' for root, seq in places.items())}\n"
        return f"{head}event: {event.kind}\ndata: {json.dumps({'rootId': event.root_id} | event.data)}\n\n".encode()

    async def replay(self, run_id: str) -> AsyncIterator[bytes]:
        for event in self.logs[run_id]:
            yield f"id: {event.seq}\nevent: {event.kind}\ndata: {json.dumps(event.data)}\n\n".encode()

    def handle_post(self, run_id: str, action: str, body: Row) -> Row | int:
        """Response to a POST on a run: a row, or the status of a refusal."""
        self.requests.append((run_id, action, body))
        if action in self.refusals:
            return self.refusals.pop(action)
        row = self.rows[run_id]
        if action not in row["offers"]:
            return 409
        if action == "answer":
            self.resume_run(run_id, "answered")
        elif action == "resume":
            self.resume_run(run_id, "asked")
        elif action == "cancel":
            self.end_run(run_id, "cancelled")
        elif action == "discard":
            row |= {"discarded": True, "offers": []}
            if not row["endedAt"]:
                self.end_run(run_id, "cancelled")
        else:
            self.add_run(a_row(f"{run_id}-again", offers=["cancel"]))
            return self.rows[f"{run_id}-again"]
        return row
