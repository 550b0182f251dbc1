"""What the web needs from the rest of Sprout, handed in once by `app.py`."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue
from starlette.applications import Starlette

from sprout.events import NodeRow
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.talk import Talk
from sprout.learning.lessons.tutoring import Tutoring
from sprout.learning.marking.keys import Keys
from sprout.learning.mastery.reports import Reports
from sprout.learning.paths.account import Account
from sprout.learning.paths.contents import Contents
from sprout.learning.paths.exchange import Exchange
from sprout.learning.paths.library import DEFAULT_USER_ID, Library
from sprout.learning.paths.progressing import Progress
from sprout.learning.paths.sources import Sources
from sprout.learning.questions.assessing import Assessments
from sprout.runs.bus import News
from sprout.runs.handoff import Handoff
from sprout.runs.log import Admission, Key, OnBusy
from sprout.runs.multiplex import Told
from sprout.runs.state import Run, RunState
from sprout.web.open_streams import OpenStreams
from sprout.web.pace import Allowance, Paces
from sprout.web.requests import JSON_MAX_DEPTH

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
LOCAL_ORIGINS = tuple(f"{scheme}://{host}:*" for scheme in ("http", "https") for host in LOCAL_HOSTS)


class Runs(Protocol):
    """The life of runs as the web sees it; `LiveRuns` fits, and so does a list in a test."""

    async def start(
        self,
        agent: str,
        *,
        node: NodeRow,
        user_id: str,
        small: bool = False,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: Key | None = None,
        lane: str | None = None,
        task: str | None = None,
    ) -> Admission:
        """A run of this agent on this node, or the one that serves in its place."""
        ...

    def follow(self, root_id: str, *, after: int = 0) -> AsyncIterator[list[News]]:
        """All news after a number, in batches: replay, then live; ends after `run_done`."""
        ...

    def follow_learner(
        self, user_id: str, cursors: Mapping[str, int] | None, *, on: bool = True
    ) -> AsyncIterator[list[Told]]:
        """The learner's root runs as one stream, after the cursors; None for cursors that could not be read."""
        ...

    async def cancel(self, run_id: str, *, user_id: str) -> Run: ...

    async def run(self, run_id: str, *, user_id: str) -> Run: ...

    async def latest(self, *, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that are going, newest first."""
        ...

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        with_talk: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        limit: int = 50,
    ) -> list[Run]:
        """Root runs, newest first, with turns of talk or without."""
        ...

    async def handoff(self, run_id: str, *, user_id: str) -> Handoff:
        """The run with what somebody needs who takes over from it."""
        ...

    async def stop_all(self, *, user_id: str) -> None:
        """Stop every run of a learner, and wait for their ends."""
        ...

    async def answer(self, run_id: str, words: str, *, user_id: str, result: str | None = None) -> Run: ...

    async def resume(self, run_id: str, *, user_id: str) -> Run: ...

    async def retry(self, run_id: str, *, user_id: str) -> Admission: ...

    async def discard(self, run_id: str, *, user_id: str) -> Run: ...


class Figures(Protocol):
    """What is counted of the server."""

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """All figures in the format that an Accept header asks for, and its content type."""
        ...

    def stream(self) -> AbstractContextManager[None]:
        """Count an event stream as open for as long as this is."""
        ...


async def nothing_missing() -> str | None:
    """Of parts that are always there."""
    return None


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request may bring, how long each wait may take, how many streams one may have open.

    Args:
        run_wait_s: how long a request waits for a run before it is answered with the run itself.
        requests: of an address; `runs` that are begun and `uploads` are of a learner; None is without limit.
    """

    json_max_bytes: int = 1_000_000
    json_max_depth: int = JSON_MAX_DEPTH
    turn_max_bytes: int = 16 * 1024 * 1024
    graph_max_bytes: int = 4_000_000
    upload_max_bytes: int = 10 * 1024 * 1024
    upload_max_files: int = 5
    body_idle_s: float = 30.0
    send_timeout_s: float = 30.0
    ping_s: float = 15.0
    shutdown_grace_s: float = 3.0
    run_wait_s: float = 25.0
    streams_per_learner: int = 200
    streams_per_address: int = 400
    requests: Allowance | None = None
    runs: Allowance | None = None
    uploads: Allowance | None = None


@dataclass(frozen=True, slots=True)
class WebParts:
    """Everything that the web is made of.

    Args:
        recognised: file name, declared media type and bytes in; the name to show and the media type that the bytes
            have out; called in a thread. Raises BadInput.
        status: what GET /api/status answers, as JSON values.
        database_ok: whether the database answers.
        missing: why no requests should be sent here now, in words that say what to do; None where they may be.
        lifespan: entered before the first request, left after the last.
        cors_origins: origins that may call from a browser: exact, with `:*` for any port, or `*` for all.
        streams: the event streams that are open.
        paces: what is left to each of what has a pace, by the limits.
        allowed_hosts: names without port that the Host header may carry; `*` for all.
        extra_agents: names of the agents that were added to Sprout's own.
    """

    library: Library
    assessments: Assessments
    contents: Contents
    exchange: Exchange
    sources: Sources
    keys: Keys
    progress: Progress
    talk: Talk
    tutoring: Tutoring
    memories: Memories
    reports: Reports
    account: Account
    runs: Runs
    metrics: Figures
    recognised: Callable[[str, str, bytes], tuple[str, str]]
    status: Callable[[], Awaitable[Mapping[str, JsonValue]]]
    database_ok: Callable[[], Awaitable[bool]]
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]]
    static_dir: Path
    version: str
    cors_origins: tuple[str, ...] = LOCAL_ORIGINS
    allowed_hosts: tuple[str, ...] = LOCAL_HOSTS
    extra_agents: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    user_id: str = DEFAULT_USER_ID
    missing: Callable[[], Awaitable[str | None]] = nothing_missing
    streams: OpenStreams = field(default_factory=OpenStreams)
    paces: Paces = field(init=False)

    def __post_init__(self) -> None:
        limits = self.limits
        object.__setattr__(self, "paces", Paces(requests=limits.requests, runs=limits.runs, uploads=limits.uploads))
