"""Random requests by two learners, the teacher of each and an owner at once, none of whom may get another's.

What a class lets its teacher see, and what an owner sees of accounts, is excepted by name: `five_sights.py`.
"""

import asyncio
import io
import re
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from sqlalchemy import Executable, select
from sqlalchemy import text as sql

from faults.core.loop_faults import ProofFigure
from faults.http.described_answers import DOCUMENT, faults_of_form
from faults.http.five_sights import PUPIL_OF, sights
from faults.http.random_requests import CASES, IGNORES_FOREIGN_IDS, PATIENCE_S, RUN_WAIT_S, count_group, record_errors
from harness.requests.five_people import (
    TEACHER_OF,
    WORDS,
    Canary,
    CanaryKind,
    FivePeople,
    Person,
    canaries_in,
    seed_five,
    without_memory,
)
from harness.requests.request_generator import DrawnRequest, RequestGenerator, make_request_generator
from harness.requests.seeded_world import CRITERION_WORD
from harness.servers.chosen_settings import ChosenSettings
from harness.servers.in_process import serve_app
from harness.servers.limited_web import with_limits
from harness.servers.signed_in import PASSWORD, SignInServer
from sprout.accounts.access import ADMIN
from sprout.accounts.passwords import hash_password
from sprout.app import Sprout, open_app, web_dependencies
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.schema.columns import TableModel
from sprout.web.http.limits import WebLimits
from sprout.web.routes import ENDPOINTS, web_app

ROUND = 1_000  # requests to five people of one's own: much of what they have is deleted on the way
AT_ONCE = 2  # of each of the five
STREAM_S = 0.3  # how long a stream is read
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
OPERATIONS = {(one.method, one.path): one for one in ENDPOINTS}
TELLS_USERS = {("GET", "/api/learner/archive"), ("POST", "/api/sign-in/class")}
"""Fields with the id of the account that acted, such as an owner's, or of one that was just created."""
ERASURE = ("DELETE", "/api/learner")
"""Operations sent last in a round, since they delete the account that sends them."""
OF_OWNERS = {operation for operation, one in OPERATIONS.items() if one.access == ADMIN} | {
    (method, "/api/classes/{id}/budget") for method in ("GET", "PUT")
}
"""With the ids of all people and classes."""
ANSWERS = ("GET", "/api/assessments/{id}/answers")
CARDS = ("GET", "/api/learner/cards.apkg")
GIVING = ("POST", "/api/classes/{id}/paths")
KEYS = {
    ("GET", "/api/graphs/{id}"),
    CARDS,
    ("GET", "/api/branches/{id}/qti"),
    ("GET", "/api/nodes/{id}/qti"),
    ("GET", "/api/classes/{id}/desk"),
}
"""Operations with which teachers read the keys of their own questions."""


KEEPS_MEMBERSHIPS = (
    "create table proof_memberships (id text primary key, user_id text, teacher_id text, began_s real, ended_s real)",
    """create trigger proof_joined after insert on class_members begin
      insert into proof_memberships
      select new.id, new.user_id, classes.user_id, (julianday('now') - 2440587.5) * 86400, null
      from classes where classes.id = new.class_id; end""",
    """create trigger proof_left after delete on class_members begin
      update proof_memberships set ended_s = (julianday('now') - 2440587.5) * 86400 where id = old.id; end""",
)


@dataclass(frozen=True, slots=True)
class SeenIds:
    """Ids in an answer, and the time from its request to its end, in seconds of the clock."""

    person: Person
    request: DrawnRequest
    ids: frozenset[str]
    began_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class Stay:
    """A membership of a class of this teacher, from its beginning to its end; None while it lasts."""

    teacher_id: str
    began_s: float
    ended_s: float | None

    def touches(self, began_s: float, ended_s: float) -> bool:
        """Whether it held at some moment between these two."""
        return self.began_s <= ended_s and (self.ended_s is None or self.ended_s >= began_s)


@dataclass(slots=True)
class FiveOutcome:
    """Answers to the five.

    Args:
        ids: how many ids in answers were those of rows that have an owner.
        excepted: how often each of the five saw something of another by right.
        seen: the ids of each answer of the round, of which the database says whose they are.
        told_keys: the lists of attempts that said what would have been right.
        told_cards: learners whose flashcards did.
        gave: teachers who have given their class another path in the round.
        taught: words of a teacher's own that their learner saw: right only if that teacher gave another path.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    by_person: Counter[str] = field(default_factory=Counter)
    reached: set[tuple[str, str]] = field(default_factory=set)
    foreign: int = 0
    ids: int = 0
    excepted: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    log_errors: list[str] = field(default_factory=list)
    seen: list[SeenIds] = field(default_factory=list)
    told_keys: list[tuple[Person, str]] = field(default_factory=list)
    told_cards: list[Person] = field(default_factory=list)
    gave: set[str] = field(default_factory=set)
    taught: list[tuple[str, str]] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return self.statuses.total()


async def five(count: int = 20_000, seed: int = 1) -> list[ProofFigure]:
    """Requests drawn from the OpenAPI document, by two learners, the teacher of each and an owner at once."""
    outcome = await send_as_five(count, seed=seed)
    broken = sum(times for status, times in outcome.statuses.items() if status >= 500 and status != 503)
    return [
        ProofFigure("five", "requests", f"{outcome.requests:,}", outcome.requests == count),
        *(
            ProofFigure("five", f"answered with {group}xx", f"{count_group(outcome.statuses, group):,}")
            for group in (2, 3, 4)
        ),
        ProofFigure("five", "answered with 503", f"{outcome.statuses[503]:,}"),
        ProofFigure(
            "five", "operations that answered 2xx at least once", f"{len(outcome.reached)} of {len(ENDPOINTS)}"
        ),
        ProofFigure("five", "requests with an id of another", f"{outcome.foreign:,}"),
        ProofFigure("five", "ids in answers, compared with their rows' owners", f"{outcome.ids:,}"),
        *(
            ProofFigure("five", f"seen by right: {name}", f"{times:,}")
            for name, times in sorted(outcome.excepted.items())
        ),
        ProofFigure("five", "other 5xx", f"{broken}", broken == 0),
        ProofFigure("five", "answers with a fault", f"{len(outcome.faults)}", not outcome.faults),
        *(ProofFigure("five", "fault", fault, False) for fault in outcome.faults[:20]),
        ProofFigure("five", "broken behind an answer", f"{len(outcome.log_errors)}", not outcome.log_errors),
        *(ProofFigure("five", "log", line, False) for line in outcome.log_errors[:20]),
    ]


async def send_as_five(count: int, *, seed: int, cases: int = CASES) -> FiveOutcome:
    """Send so many requests, of each of the five as many, and look at every answer."""
    outcome = FiveOutcome()
    with record_errors(outcome.log_errors):
        async with _serve() as (server, client):
            drawn = await asyncio.to_thread(make_request_generator, DOCUMENT, cases, seed, count=count)
            number = 0
            while outcome.requests < count:
                await _play_round(server, client, drawn, outcome, number, min(ROUND, count - outcome.requests))
                number += 1
    return outcome


@asynccontextmanager
async def _serve() -> AsyncIterator[tuple[SignInServer, httpx2.AsyncClient]]:
    """The whole application with accounts, behind a proxy that tells from where each request comes."""
    with tempfile.TemporaryDirectory(prefix="sprout-five-") as folder:
        settings = ChosenSettings.model_validate(
            {"data_dir": Path(folder), "offline_tokens_per_s": 100_000, "auth": "password"}
        )
        async with AsyncExitStack() as stack:
            sprout: Sprout = await stack.enter_async_context(open_app(settings))
            parts = with_limits(web_dependencies(sprout), WebLimits(run_wait_s=RUN_WAIT_S))
            served = await stack.enter_async_context(serve_app(web_app(parts), behind_proxy=True))
            unshared = httpx2.Limits(keepalive_expiry=0)  # an idle connection may be closed as a request is sent on it
            client = httpx2.AsyncClient(
                base_url=served.url, timeout=PATIENCE_S, cookies=without_memory(), limits=unshared
            )
            await stack.enter_async_context(client)
            password_hash = hash_password(PASSWORD)
            server = SignInServer(served, sprout, parts.account_repositories, stack, password_hash, served.url)
            await _keep_memberships(server)
            yield server, client


async def _play_round(
    server: SignInServer,
    client: httpx2.AsyncClient,
    drawn: RequestGenerator,
    outcome: FiveOutcome,
    number: int,
    count: int,
) -> None:
    five_people = await seed_five(server, number)
    owners = await _owners(server)
    last: list[tuple[Person, DrawnRequest]] = []
    async with asyncio.TaskGroup() as tasks:
        for index, (person, share) in enumerate(zip(five_people.people.values(), _shares(count), strict=True)):
            requests = list(drawn.draw_requests(share, person.world, five_people.foreign_to(person)))
            last += [(person, one) for one in requests if one.operation == ERASURE]
            queue = iter([one for one in requests if one.operation != ERASURE])
            for _ in range(AT_ONCE):
                tasks.create_task(_work(client, person, queue, outcome, f"10.{number % 250}.0.{index}"))
    owners |= await _owners(server)
    stays = await _stays(server)
    for person, one in last:
        began_s = time.time()
        _check(person, one, *await _send(client, person, one, "10.0.0.1"), outcome, began_s)
    _check_taught(outcome)
    _check_ids(five_people, owners, stays, outcome)


def _shares(count: int) -> Iterator[int]:
    people = len(WORDS)
    return ((count + index) // people for index in range(people))


async def _work(
    client: httpx2.AsyncClient, person: Person, queue: Iterator[DrawnRequest], outcome: FiveOutcome, address: str
) -> None:
    for one in queue:
        secret = person.secret
        began_s = time.time()
        answer, text = await _send(client, person, one, address)
        _check(person, one, answer, text, outcome, began_s)
        await _check_told_keys(client, outcome)
        if answer.status_code == 401 and OPERATIONS[one.operation].access.scope and person.secret == secret:
            await person.come_back()


async def _send(
    client: httpx2.AsyncClient, person: Person, one: DrawnRequest, address: str
) -> tuple[httpx2.Response, str]:
    """The answer and its text; of a stream that goes on what comes at once."""
    headers = {**one.headers, **person.headers, "X-Forwarded-For": address}
    files = [("files", file) for file in one.files] or None
    async with client.stream(one.method, one.url, headers=headers, content=one.content, files=files) as answer:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            return answer, await _first_text(answer)
        return answer, _text(answer, await answer.aread())


async def _first_text(answer: httpx2.Response) -> str:
    found: list[str] = []
    try:
        async with asyncio.timeout(STREAM_S):
            async for text in answer.aiter_text():
                found.append(text)  # noqa: PERF401 - what has come by the end of the time is kept
    except TimeoutError:
        pass  # it goes on; what has come is looked at
    return "".join(found)


def _text(answer: httpx2.Response, body: bytes) -> str:
    """All that an answer says, also in the files of an archive."""
    if answer.headers.get("content-type") != "application/zip":
        return body.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return "\n".join(archive.read(name).decode(errors="replace") for name in archive.namelist())


def _check(
    person: Person, one: DrawnRequest, answer: httpx2.Response, text: str, outcome: FiveOutcome, began_s: float
) -> None:
    """Note what is wrong with an answer, but for its ids, of which it is noted that they were seen."""
    outcome.statuses[answer.status_code] += 1
    outcome.by_person[person.name] += 1
    outcome.foreign += one.foreign
    if answer.is_success:
        outcome.reached.add(one.operation)
        if one.operation == GIVING:
            outcome.gave.add(person.name)
    problems = faults_of_form(one, answer, text) + _foreign_faults(person, one, answer)
    for found in canaries_in(text):
        if _may_see(person, one, found, outcome):
            continue
        problem = f"the words of another: {found}"
        if _is_their_teachers(person, found):
            outcome.taught.append((TEACHER_OF[person.name], _told(problem, person, one, answer, text)))
        else:
            problems.append(problem)
    if CRITERION_WORD in text and one.operation == ANSWERS:
        outcome.told_keys.append((person, str(answer.url.path)))
    elif CRITERION_WORD in text and one.operation == CARDS and not _may_read_keys(person, one):
        outcome.told_cards.append(person)
    elif CRITERION_WORD in text and not _may_read_keys(person, one):
        at = text.index(CRITERION_WORD)
        problems.append(f"a secret, {text[max(0, at - 200) : at + 50]!r}")
    outcome.faults += [_told(problem, person, one, answer, text) for problem in problems]
    outcome.seen.append(SeenIds(person, one, frozenset(UUID.findall(text)), began_s, time.time()))


def _told(problem: str, person: Person, one: DrawnRequest, answer: httpx2.Response, text: str) -> str:
    return f"{problem}: {person.name}: {one} → {answer.status_code} {text[:300]!r}"


def _foreign_faults(person: Person, one: DrawnRequest, answer: httpx2.Response) -> list[str]:
    by_right = one.operation in IGNORES_FOREIGN_IDS or (person.name == "owner" and one.operation in OF_OWNERS)
    found = one.foreign and answer.status_code < 400 and not by_right
    return ["somebody else's was found"] if found else []


def _may_see(person: Person, one: DrawnRequest, found: Canary, outcome: FiveOutcome) -> bool:
    """Whether a canary is their own, or is seen by right."""
    other = next(name for name, word in WORDS.items() if word == found.word)
    if other == person.name and found.round == person.round:
        return True
    if person.name != "owner" and found.round != person.round:
        return False
    if not any(sight.covers(one.operation, found.kind) for sight in sights(person.name, other)):
        return False
    outcome.excepted[f"{person.name}, {found.kind.lower()} of {other}"] += 1
    return True


def _is_their_teachers(person: Person, found: Canary) -> bool:
    """Whether a word is of the own things of the learner's teacher, who may give them to the class as another path."""
    teacher = TEACHER_OF.get(person.name)
    is_same_round = found.round == person.round and found.kind is CanaryKind.OWN
    return teacher is not None and is_same_round and found.word == WORDS[teacher]


def _check_taught(outcome: FiveOutcome) -> None:
    """Of the round's words of teachers those are faults whose teacher has given nothing more."""
    outcome.faults += [told for teacher, told in outcome.taught if teacher not in outcome.gave]
    outcome.excepted["words of further given paths"] += sum(teacher in outcome.gave for teacher, _ in outcome.taught)
    outcome.taught.clear()
    outcome.gave.clear()


def _may_read_keys(person: Person, one: DrawnRequest) -> bool:
    return person.name in {"teacher", "other teacher", "owner"} and one.operation in KEYS


async def _check_told_keys(client: httpx2.AsyncClient, outcome: FiveOutcome) -> None:
    """Keys are allowed in an answer while its assessment is complete, and in cards once any is.

    Called at once: an assessment is opened again by a further question, and by its learner.
    """
    told_keys, outcome.told_keys = outcome.told_keys, []
    told_cards, outcome.told_cards = outcome.told_cards, []
    for person, path in told_keys:
        found = await client.get(path.removesuffix("/answers"), headers=person.headers)
        if found.status_code == 200 and found.json()["completedAt"] is None:
            outcome.faults.append(f"a key before its time: {person.name}: {path}")
    for person in told_cards:
        found = await client.get("/api/assessments", headers=person.headers)
        if found.status_code == 200 and not any(one["completedAt"] for one in found.json()):
            outcome.faults.append(f"a key before its time: {person.name}: the cards of none that is complete")


async def _owners(server: SignInServer) -> dict[str, str]:
    """Owners of rows by the rows' ids; a user is their own."""
    found: dict[str, str] = {}
    for kind in TableModel.metadata.sorted_tables:
        if kind.name == "users":
            found |= await _pairs(server, select(kind.c.id, kind.c.id))
        elif {"id", "user_id"} <= set(kind.c.keys()):
            found |= await _pairs(server, select(kind.c.id, kind.c.user_id))
    found.pop(DEFAULT_USER_ID, None)  # that of the one learner of a server without sign-in: a constant
    return found


async def _pairs(server: SignInServer, wanted: Executable) -> dict[str, str]:
    rows = await server.sprout.database.read_tx(lambda read: read.execute(wanted).all())
    return {str(row_id): str(user_id) for row_id, user_id in rows if user_id}


async def _keep_memberships(server: SignInServer) -> None:
    """Have the database keep every membership from now on, those that have ended too."""
    await server.sprout.database.write_tx(
        lambda tx: [tx.connection.exec_driver_sql(statement) for statement in KEEPS_MEMBERSHIPS]
    )


async def _stays(server: SignInServer) -> dict[str, list[Stay]]:
    """Memberships by the member, those that have ended too."""
    wanted = sql("select user_id, teacher_id, began_s, ended_s from proof_memberships")
    found: defaultdict[str, list[Stay]] = defaultdict(list)
    for user_id, *stay in await server.sprout.database.read_tx(lambda read: read.execute(wanted).all()):
        found[user_id].append(Stay(*stay))
    return found


def _check_ids(
    five_people: FivePeople, owners: Mapping[str, str], stays: Mapping[str, Sequence[Stay]], outcome: FiveOutcome
) -> None:
    names = {person.user_id: name for name, person in five_people.people.items()}
    for seen in outcome.seen:
        person, one = seen.person, seen.request
        sent = one.url + (one.content or b"").decode(errors="replace")
        for found in seen.ids:
            owner = owners.get(found)
            outcome.ids += owner is not None
            if owner is None or owner == person.user_id or found in sent:
                continue
            is_pupil = any(
                stay.teacher_id == person.user_id and stay.touches(seen.began_s, seen.ended_s)
                for stay in stays.get(owner, ())
            )
            other = names.get(owner) or (f"{PUPIL_OF}{person.name}" if is_pupil else "a person without a right")
            told_who = one.operation in TELLS_USERS and found == owner
            if not told_who and not any(sight.at(one.operation) for sight in sights(person.name, other)):
                outcome.faults.append(f"the id of a row of {other}: {found}: {person.name}: {one}")
    outcome.seen.clear()


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"five": five}
