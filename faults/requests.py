"""Whatever is asked: no answer is the server's fault, none has another shape, none says what is somebody else's."""

import asyncio
import json
import logging
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from faults.figures import Figure
from faults.harness.drawing import ORIGIN, Asked, drawing
from faults.harness.world import CRITERION_WORD, FOREIGN_USER, FOREIGN_WORD, given_away, planted
from sprout import __version__
from sprout.app import Sprout, open_app, web_parts
from sprout.config import Settings
from sprout.web.openapi import openapi_document
from sprout.web.parts import Limits
from sprout.web.routes import ENDPOINTS, web_app
from tests.serving import serving

ROUND = 250  # requests to one world of one's own: much of it is deleted on the way
AT_ONCE = 8
CASES = 40  # good ones, and as many bad ones, of every operation; each is sent with several ids
RUN_WAIT_S = 0.5
PATIENCE_S = 60.0
OWN_WORD = "Chutney"
INSIDE = re.compile(
    r"Traceback|File \"|site-packages|\.py\b|SELECT |INSERT |sqlalchemy|pydantic|starlette", re.IGNORECASE
)
BESIDES = {"error", "activeRunId", "undoFirst"}
MAY_SAY_SECRETS = {("GET", "/api/graphs/{id}")}  # with answers=true, to who makes a course
LIST_NOTHING = {  # lists by a parent that is not there are empty, what is gone is deleted (contract §1.4)
    ("DELETE", "/api/nodes/{id}"),
    ("GET", "/api/nodes/{id}/children"),
    ("GET", "/api/nodes/{id}/dependency-edges"),
}
PUBLIC = {("GET", "/static/{version}/{path}")}
DOCUMENT = openapi_document(ENDPOINTS, __version__)


@dataclass(slots=True)
class Outcome:
    """What came of it; `faults` says of each answer that should not have been what was asked and what was wrong.

    Args:
        by_operation: how many requests of each operation were answered with 2xx: what is never reached proves nothing.
        not_now: the texts of answers with 503, which the contract allows.
        logged: what broke behind an answer that had begun, as the log has it.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    by_operation: Counter[tuple[str, str]] = field(default_factory=Counter)
    not_now: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    foreign: int = 0
    logged: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return self.statuses.total()

    @property
    def broken(self) -> int:
        """How many answers blamed the server, 503 left out."""
        return sum(count for status, count in self.statuses.items() if status >= 500 and status != 503)


async def requests(count: int = 10_000, seed: int = 1) -> list[Figure]:
    """Requests drawn from the OpenAPI document, to the real server: any body, any id, somebody else's too."""
    outcome = await asked_anything(count, seed=seed)
    reached = len(outcome.by_operation)
    return [
        Figure("requests", "requests", f"{outcome.requests:,}", outcome.requests == count),
        *(
            Figure("requests", f"answered with {group}xx", f"{_in_hundreds(outcome.statuses, group):,}")
            for group in (2, 3, 4)
        ),
        Figure("requests", "answered with 503", f"{outcome.statuses[503]:,}"),
        *(Figure("requests", f"503: {text[:80]}", f"{times:,}") for text, times in outcome.not_now.most_common(5)),
        Figure("requests", "operations that answered 2xx at least once", f"{reached} of {len(ENDPOINTS)}"),
        Figure("requests", "requests for what is somebody else's", f"{outcome.foreign:,}"),
        Figure("requests", "other 5xx", f"{outcome.broken}", outcome.broken == 0),
        Figure("requests", "answers with a fault", f"{len(outcome.faults)}", not outcome.faults),
        *(Figure("requests", "fault", fault, False) for fault in outcome.faults[:20]),
        Figure("requests", "broken behind an answer", f"{len(outcome.logged)}", not outcome.logged),
        *(Figure("requests", "log", line, False) for line in outcome.logged[:20]),
    ]


async def asked_anything(count: int, *, seed: int, cases: int = CASES) -> Outcome:
    """Ask so much, several at once, and look at every answer."""
    outcome = Outcome()
    with _listening(outcome.logged):
        await _ask_everything(outcome, count, seed, cases)
    return outcome


async def _ask_everything(outcome: Outcome, count: int, seed: int, cases: int) -> None:
    async with _served() as (client, sprout):
        foreign = await planted(client, sprout, FOREIGN_WORD)
        await given_away(sprout)
        drawn = await asyncio.to_thread(drawing, DOCUMENT, cases, seed)
        while outcome.requests < count:
            own = await planted(client, sprout, f"{OWN_WORD} {outcome.requests}")
            await _ask(client, drawn.requests(min(ROUND, count - outcome.requests), own, foreign), outcome)


class _Listener(logging.Handler):
    """Notes what is logged as broken: of an answer that has begun nobody else hears it."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(f"{record.getMessage()} {record.exc_info[1]!r}" if record.exc_info else record.getMessage())


@contextmanager
def _listening(heard: list[str]) -> Iterator[None]:
    """Have every error of the server and of the web noted; runs that fail are told to their readers."""
    listener = _Listener(heard)
    loggers = [logging.getLogger(name) for name in ("uvicorn", "asyncio", "sprout.web", "sprout.store")]
    for logger in loggers:
        logger.addHandler(listener)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(listener)


@asynccontextmanager
async def _served() -> AsyncIterator[tuple[httpx2.AsyncClient, Sprout]]:
    """The whole application with the built-in model, over HTTP."""
    with tempfile.TemporaryDirectory(prefix="sprout-requests-") as folder:
        settings = Settings.model_validate({"data_dir": Path(folder), "offline_tokens_per_s": 100_000})
        async with open_app(settings) as sprout:
            parts = replace(web_parts(sprout), limits=Limits(run_wait_s=RUN_WAIT_S))
            async with (
                serving(web_app(parts)) as served,
                httpx2.AsyncClient(base_url=served.url, timeout=PATIENCE_S) as client,
            ):
                yield client, sprout


async def _ask(client: httpx2.AsyncClient, waiting: Iterable[Asked], outcome: Outcome) -> None:
    queue = iter(waiting)

    async def worker() -> None:
        for one in queue:
            look(one, *await _answer(client, one), outcome)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_ONCE):
            tasks.create_task(worker())


async def _answer(client: httpx2.AsyncClient, one: Asked) -> tuple[httpx2.Response, bytes]:
    """The answer and its body; of a stream that goes on and on only its first bytes."""
    files = [("files", file) for file in one.files] or None
    asked = client.stream(one.method, one.url, headers=dict(one.headers), content=one.content, files=files)
    async with asked as answer:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            return answer, b""
        return answer, await answer.aread()


def look(one: Asked, answer: httpx2.Response, body: bytes, outcome: Outcome) -> None:
    """Note what is wrong with an answer."""
    status = answer.status_code
    outcome.statuses[status] += 1
    outcome.foreign += one.foreign
    if 200 <= status < 300:
        outcome.by_operation[one.operation] += 1
    if status == 503:
        outcome.not_now[json.loads(body)["error"]] += 1
    outcome.faults += [f"{problem}: {one} → {status} {body[:300]!r}" for problem in _problems(one, answer, body)]


def _problems(one: Asked, answer: httpx2.Response, body: bytes) -> list[str]:
    status, text = answer.status_code, body.decode(errors="replace")
    found = []
    if status >= 500 and status != 503:
        found.append("the server's fault")
    if answer.headers.get("access-control-allow-origin") != ORIGIN:
        found.append("no CORS header")
    if str(status) not in _described(one):
        found.append("a status that the document does not have")
    if FOREIGN_WORD in text or (FOREIGN_USER in text and FOREIGN_USER not in one.url + str(one.content)):
        found.append("somebody else's")
    if one.foreign and status < 400 and one.operation not in LIST_NOTHING:
        found.append("somebody else's was found")
    if CRITERION_WORD in text and one.operation not in MAY_SAY_SECRETS:
        found.append("a secret")
    if status >= 400:
        found += _problems_of_an_error(answer, text)
    elif status == 200 and not _of_a_described_type(one, answer):
        found.append("a content type that the document does not have")
    elif (schema := _schema(one, answer)) is not None and not _fits(schema, text):
        found.append("not of the shape that the document describes")
    return found


def _problems_of_an_error(answer: httpx2.Response, text: str) -> list[str]:
    if answer.request.method == "HEAD":
        return []
    try:
        said = json.loads(text)
    except ValueError:
        return ["an error that is no JSON"]
    if not isinstance(said, dict) or not said.keys() <= BESIDES or not isinstance(said.get("error"), str):
        return ["an error of another shape"]
    return ["something from inside"] if INSIDE.search(said["error"]) or not said["error"] else []


def _described(one: Asked) -> dict[str, Any]:
    method, path = one.operation
    responses: dict[str, Any] = DOCUMENT["paths"][path][method.lower()]["responses"]
    return responses


def _of_a_described_type(one: Asked, answer: httpx2.Response) -> bool:
    described = _described(one).get(str(answer.status_code), {}).get("content", {})
    return "*/*" in described or _media_type(answer) in described


def _schema(one: Asked, answer: httpx2.Response) -> str | None:
    """Where the document has the schema of a JSON answer."""
    status = answer.status_code
    if _media_type(answer) != "application/json" or str(status) not in _described(one):
        return None
    method, path = one.operation
    return f"#/paths/{path.replace('/', '~1')}/{method.lower()}/responses/{status}/content/application~1json/schema"


def _media_type(answer: httpx2.Response) -> str:
    return str(answer.headers.get("content-type", "")).partition(";")[0]


def _fits(pointer: str, text: str) -> bool:
    try:
        said = json.loads(text)
    except ValueError:
        return False
    return Draft202012Validator({"$ref": f"urn:sprout{pointer}"}, registry=_REGISTRY).is_valid(said)


_REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:sprout", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
)


def _in_hundreds(statuses: Counter[int], group: int) -> int:
    return sum(count for status, count in statuses.items() if status // 100 == group)


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"requests": requests}
