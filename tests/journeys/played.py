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
JOURNAL = {
    "objective": "A path on photosynthesis from two documents",
    "reached": "4 of about 7 concepts, all of them saved",
    "next": "Save concept Calvin cycle, then connect it to Light reactions",
}
NODES = [
    {**NODE, "id": "root", "type": "root", "parentId": None, "title": "Photosynthesis"},
    {**NODE, "id": "light", "type": "concept", "parentId": "root", "title": "Light reactions"},
]
Row = dict[str, Any]


def a_row(run_id: str, state: str = "running", **more: Any) -> Row:
    """A root run of the path's agent."""
    begun = None if state == "queued" else MOMENT.format(2)
    over = MOMENT.format(4) if state in ("completed", "failed", "cancelled", "timed_out") else None
    row: Row = {"id": run_id, "rootId": run_id, "agent": "topic", "label": "topic", "state": state, "reason": None}
    row |= {"lane": "topic:root", "nodeId": "root", "branchId": "path", "parentId": None, "small": False}
    row |= {"model": "claude-opus-5-5", "offline": False, "usage": USAGE, "caps": CAPS, "error": None}
    row |= {"createdAt": MOMENT.format(1), "startedAt": begun, "endedAt": over, "lastEventId": 0, "position": 0}
    row |= {"question": None, "offers": [], "resumes": 0, "cutOff": False, "discarded": False}
    return row | more


def a_question(kind: str, question: str, choices: list[str] | None, **more: Any) -> Row:
    asked: Row = {"kind": kind, "question": question, "choices": choices, "why": "Three concepts build on this."}
    return asked | {"tool": None, "input": None, "since": MOMENT.format(3)} | more


@dataclass(frozen=True, slots=True)
class Told:
    root_id: str
    seq: int | None
    kind: str
    data: Row


@dataclass
class Played:
    """A running stand-in: its runs by id, newest last, and everything that the page has asked of them."""

    url: str = ""
    rows: dict[str, Row] = field(default_factory=dict)
    logs: dict[str, list[Told]] = field(default_factory=dict)
    asked: list[tuple[str, str, Row]] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    _readers: set[asyncio.Queue[Told | None]] = field(default_factory=set)

    def begin(self, row: Row) -> None:
        """A run of which the log tells no more than that it began."""
        self.rows[row["id"]], self.logs[row["id"]] = row, []
        self.say(row["id"], "run_queued", agent="topic", position=row["position"])
        if row["startedAt"]:
            self.start(row["id"])

    def start(self, run_id: str) -> None:
        row = self.rows[run_id]
        facts = {"model": row["model"], "caps": CAPS, "offline": False}
        self.say(run_id, "run_started", agent="topic", lane=row["lane"], **facts)

    def ask(self, run_id: str, question: Row) -> None:
        """The run waits for the learner from now on."""
        self.rows[run_id] |= {"state": "waiting_on_human", "question": question, "offers": ["answer", "discard"]}
        words = {name: question[name] for name in ("question", "choices", "why")}
        self.say(run_id, "waiting_on_human", agent="topic", **words)

    def go_on(self, run_id: str, cause: str) -> None:
        attempt = self.rows[run_id]["resumes"] + 1
        news = {"state": "running", "question": None, "offers": ["cancel"], "resumes": attempt, "cutOff": False}
        self.rows[run_id] |= news
        self.say(run_id, "run_resumed", agent="topic", attempt=attempt, cause=cause)

    def end(self, run_id: str, state: str = "completed", **more: Any) -> None:
        self.rows[run_id] |= {"state": state, "endedAt": MOMENT.format(5), "offers": [], "question": None} | more
        self.say(run_id, "run_done", status=state, reason=state, usage=USAGE)

    def say(self, root_id: str, kind: str, **data: Any) -> None:
        """One event of a run, kept in its log."""
        log = self.logs[root_id]
        told = Told(root_id, len(log) + 1, kind, {"runId": root_id, "at": MOMENT.format(4)} | data)
        log.append(told)
        self.rows[root_id]["lastEventId"] = told.seq
        self._tell(told)

    def say_in_passing(self, root_id: str, kind: str, **data: Any) -> None:
        """One event that no log has: it reaches only those who listen now."""
        self._tell(Told(root_id, None, kind, {"runId": root_id} | data))

    def _tell(self, told: Told | None) -> None:
        for reader in self._readers:
            reader.put_nowait(told)

    def cut(self) -> None:
        """Every stream breaks off; the page comes back by itself."""
        self._tell(None)

    async def events(self, after: dict[str, int]) -> AsyncIterator[bytes]:
        """The learner's stream: unfinished roots and those that the cursor names, then what happens."""
        news: asyncio.Queue[Told | None] = asyncio.Queue()
        self._readers.add(news)
        places = {root: after.get(root, 0) for root in self.logs if root in after or not self.rows[root]["endedAt"]}
        try:
            yield b"retry: 2000\n\n"
            for root, seen in list(places.items()):
                for told in self.logs[root][seen:]:
                    yield self._frame(told, places)
            while (fresh := await news.get()) is not None:
                if fresh.seq is None or fresh.seq > places.get(fresh.root_id, 0):
                    yield self._frame(fresh, places)
        finally:
            self._readers.discard(news)

    def _frame(self, told: Told, places: dict[str, int]) -> bytes:
        head = ""
        if told.seq is not None:
            places[told.root_id] = told.seq
            head = f"id: {','.join(f'{root}:{seq}' for root, seq in places.items())}\n"
        return f"{head}event: {told.kind}\ndata: {json.dumps({'rootId': told.root_id} | told.data)}\n\n".encode()

    async def replay(self, run_id: str) -> AsyncIterator[bytes]:
        for told in self.logs[run_id]:
            yield f"id: {told.seq}\nevent: {told.kind}\ndata: {json.dumps(told.data)}\n\n".encode()

    def done(self, run_id: str, what: str, body: Row) -> Row | int:
        """What a POST on a run gives: a row, or the status of a refusal."""
        self.asked.append((run_id, what, body))
        if what in self.refused:
            return self.refused.pop(what)
        row = self.rows[run_id]
        if what not in row["offers"]:
            return 409
        if what == "answer":
            self.go_on(run_id, "answered")
        elif what == "resume":
            self.go_on(run_id, "asked")
        elif what == "cancel":
            self.end(run_id, "cancelled")
        elif what == "discard":
            row |= {"discarded": True, "offers": []}
            if not row["endedAt"]:
                self.end(run_id, "cancelled")
        else:
            self.begin(a_row(f"{run_id}-again", offers=["cancel"]))
            return self.rows[f"{run_id}-again"]
        return row
