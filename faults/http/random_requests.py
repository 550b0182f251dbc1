"""Random requests: no answer is a server error, has an undocumented shape or shows another learner's data."""

import asyncio
import json
import logging
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from faults.core.loop_faults import ProofFigure
from faults.http.described_answers import DOCUMENT, faults_of_form
from harness.requests.request_generator import ORIGIN, DrawnRequest, make_request_generator
from harness.requests.seeded_world import CRITERION_WORD, FOREIGN_USER, FOREIGN_WORD, give_away, seed_world
from harness.servers.in_process import serve_app
from harness.servers.limited_web import with_limits
from sprout.app import Sprout, open_app, web_dependencies
from sprout.config import Settings
from sprout.web.http.limits import WebLimits
from sprout.web.routes import ENDPOINTS, web_app

ROUND = 250  # requests to one world of one's own: much of it is deleted on the way
AT_ONCE = 8
CASES = 20  # good ones, and as many bad ones, of every operation; each is sent with several ids
RUN_WAIT_S = 0.5
PATIENCE_S = 60.0
OWN_WORD = "Chutney"
MAY_SAY_SECRETS = {
    ("GET", "/api/graphs/{id}"),  # with answers=true, to who makes a course
    ("GET", "/api/learner/cards.apkg"),
    ("GET", "/api/branches/{id}/qti"),
    ("GET", "/api/nodes/{id}/qti"),
    ("GET", "/api/assessments/{id}/answers"),  # once it is complete: five_principals.py asks whether it is
}
IGNORES_FOREIGN_IDS = {  # lists by a parent that is not there are empty, what is gone is deleted (contract §1.4)
    ("DELETE", "/api/nodes/{id}"),
    ("GET", "/api/nodes/{id}/children"),
    ("GET", "/api/nodes/{id}/dependency-edges"),
}
PUBLIC = {("GET", "/static/{version}/{path}")}


@dataclass(slots=True)
class RequestOutcome:
    """Outcome of the requests; `faults` gives each wrong response with its request and the violated rule.

    Args:
        by_operation: how many requests of each operation were answered with 2xx: what is never reached proves nothing.
        not_now: the texts of answers with 503, which the contract allows.
        log_errors: failures after the response had started, as logged.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    by_operation: Counter[tuple[str, str]] = field(default_factory=Counter)
    not_now: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    foreign: int = 0
    log_errors: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return self.statuses.total()

    @property
    def broken(self) -> int:
        """Number of 5xx responses other than 503."""
        return sum(count for status, count in self.statuses.items() if status >= 500 and status != 503)


async def requests(count: int = 10_000, seed: int = 1) -> list[ProofFigure]:
    """Requests drawn from the OpenAPI document, to the real server: any body, any id, also of another learner."""
    outcome = await send_random_requests(count, seed=seed)
    reached = len(outcome.by_operation)
    return [
        ProofFigure("requests", "requests", f"{outcome.requests:,}", outcome.requests == count),
        *(
            ProofFigure("requests", f"answered with {group}xx", f"{count_group(outcome.statuses, group):,}")
            for group in (2, 3, 4)
        ),
        ProofFigure("requests", "answered with 503", f"{outcome.statuses[503]:,}"),
        *(ProofFigure("requests", f"503: {text[:80]}", f"{times:,}") for text, times in outcome.not_now.most_common(5)),
        ProofFigure("requests", "operations that answered 2xx at least once", f"{reached} of {len(ENDPOINTS)}"),
        ProofFigure("requests", "requests for another learner's data", f"{outcome.foreign:,}"),
        ProofFigure("requests", "other 5xx", f"{outcome.broken}", outcome.broken == 0),
        ProofFigure("requests", "answers with a fault", f"{len(outcome.faults)}", not outcome.faults),
        *(ProofFigure("requests", "fault", fault, False) for fault in outcome.faults[:20]),
        ProofFigure("requests", "broken behind an answer", f"{len(outcome.log_errors)}", not outcome.log_errors),
        *(ProofFigure("requests", "log", line, False) for line in outcome.log_errors[:20]),
    ]


async def send_random_requests(count: int, *, seed: int, cases: int = CASES) -> RequestOutcome:
    """Ask so much, several at once, and look at every answer."""
    outcome = RequestOutcome()
    with record_errors(outcome.log_errors):
        await _run_rounds(outcome, count, seed, cases)
    return outcome


async def _run_rounds(outcome: RequestOutcome, count: int, seed: int, cases: int) -> None:
    async with _serve() as (client, sprout):
        foreign = await seed_world(client, sprout, FOREIGN_WORD)
        await give_away(sprout)
        drawn = await asyncio.to_thread(make_request_generator, DOCUMENT, cases, seed, count=count)
        while outcome.requests < count:
            own = await seed_world(client, sprout, f"{OWN_WORD} {outcome.requests}")
            await _send_requests(
                client, drawn.draw_requests(min(ROUND, count - outcome.requests), own, foreign), outcome
            )


class _ErrorLog(logging.Handler):
    """Collects logged errors: a failure after the response has started shows nowhere else."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(f"{record.getMessage()} {record.exc_info[1]!r}" if record.exc_info else record.getMessage())


@contextmanager
def record_errors(heard: list[str]) -> Iterator[None]:
    """Record every error that the server and the web layer log; failures of runs are events, not errors."""
    listener = _ErrorLog(heard)
    loggers = [logging.getLogger(name) for name in ("uvicorn", "asyncio", "sprout.web", "sprout.store")]
    for logger in loggers:
        logger.addHandler(listener)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(listener)


@asynccontextmanager
async def _serve() -> AsyncIterator[tuple[httpx2.AsyncClient, Sprout]]:
    """The whole application with the built-in model, over HTTP."""
    with tempfile.TemporaryDirectory(prefix="sprout-requests-") as folder:
        settings = Settings.model_validate({"data_dir": Path(folder), "offline_tokens_per_s": 100_000})
        async with open_app(settings) as sprout:
            parts = with_limits(web_dependencies(sprout), WebLimits(run_wait_s=RUN_WAIT_S))
            async with (
                serve_app(web_app(parts)) as served,
                httpx2.AsyncClient(base_url=served.url, timeout=PATIENCE_S) as client,
            ):
                yield client, sprout


async def _send_requests(client: httpx2.AsyncClient, waiting: Iterable[DrawnRequest], outcome: RequestOutcome) -> None:
    queue = iter(waiting)

    async def worker() -> None:
        for one in queue:
            check_response(one, *await _send(client, one), outcome)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_ONCE):
            tasks.create_task(worker())


async def _send(client: httpx2.AsyncClient, one: DrawnRequest) -> tuple[httpx2.Response, bytes]:
    """The answer and its body; of a stream that goes on and on only its first bytes."""
    files = [("files", file) for file in one.files] or None
    asked = client.stream(one.method, one.url, headers=dict(one.headers), content=one.content, files=files)
    async with asked as answer:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            return answer, b""
        return answer, await answer.aread()


def check_response(one: DrawnRequest, answer: httpx2.Response, body: bytes, outcome: RequestOutcome) -> None:
    """Note what is wrong with an answer."""
    status = answer.status_code
    outcome.statuses[status] += 1
    outcome.foreign += one.foreign
    if 200 <= status < 300:
        outcome.by_operation[one.operation] += 1
    if status == 503:
        outcome.not_now[json.loads(body)["error"]] += 1
    outcome.faults += [f"{problem}: {one} → {status} {body[:300]!r}" for problem in _problems(one, answer, body)]


def _problems(one: DrawnRequest, answer: httpx2.Response, body: bytes) -> list[str]:
    status, text = answer.status_code, body.decode(errors="replace")
    found = faults_of_form(one, answer, text)
    if answer.headers.get("access-control-allow-origin") != ORIGIN:
        found.append("no CORS header")
    if FOREIGN_WORD in text or (FOREIGN_USER in text and FOREIGN_USER not in one.url + str(one.content)):
        found.append("somebody else's")
    if one.foreign and status < 400 and one.operation not in IGNORES_FOREIGN_IDS:
        found.append("somebody else's was found")
    if CRITERION_WORD in text and one.operation not in MAY_SAY_SECRETS:
        found.append("a secret")
    return found


def count_group(statuses: Counter[int], group: int) -> int:
    return sum(count for status, count in statuses.items() if status // 100 == group)


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"requests": requests}
