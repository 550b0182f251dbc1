"""Five people on one server: two learners, the teacher of each, and an owner, with a canary in all that is theirs.

A canary says whose it is, of what kind and of which round: `ChutneyAnswerR3`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx2
from sqlmodel import select

from harness.requests.seeded_world import SeededWorld, seed_world
from harness.servers.signed_in import SignInServer
from sprout.accounts.accounts import NewAccount
from sprout.accounts.principal import AccountRole
from sprout.accounts.secret_values import digest_of, new_secret
from sprout.accounts.security_log import TERMINAL
from sprout.ids import new_id
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables

OWNER_WORD = "Honey"
WORDS = {  # of a learner and of their teacher
    "learner": "Chutney",
    "teacher": "Marmalade",
    "other learner": "Pickle",
    "other teacher": "Quince",
    "owner": OWNER_WORD,
}
ROLES = {
    "teacher": AccountRole.TEACHER,
    "other teacher": AccountRole.TEACHER,
    "learner": AccountRole.LEARNER,
    "other learner": AccountRole.LEARNER,
    "owner": AccountRole.OWNER,
}
TEACHER_OF = {"learner": "teacher", "other learner": "other teacher"}


class CanaryKind(StrEnum):
    """Kinds of text that hold a canary; `OWN` is all that nobody else sees."""

    OWN = ""
    NAME = "Name"
    CLASS = "Class"
    GIVEN = "Given"
    ANSWER = "Answer"
    SHARED = "Shared"


CANARY = re.compile(f"({'|'.join(WORDS.values())})({'|'.join(CanaryKind)})R(\\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Canary:
    """Whose a word is, of what kind and of which round."""

    word: str
    kind: CanaryKind
    round: int


def canaries_in(text: str) -> set[Canary]:
    """The canaries of a text."""
    return {Canary(word.title(), CanaryKind(kind.title()), int(number)) for word, kind, number in CANARY.findall(text)}


@dataclass(slots=True)
class Person:
    """One of the five, and the session with which they send requests."""

    name: str
    round: int
    user_id: str
    server: SignInServer
    world: SeededWorld
    secret: str = ""

    def word(self, kind: CanaryKind = CanaryKind.OWN) -> str:
        return f"{WORDS[self.name]}{kind}R{self.round}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": f"sprout={self.secret}", "Origin": self.server.origin}

    async def begin_session(self) -> None:
        """Sign in, without the half second that a password takes. Raises NotFound: the account is gone."""
        secret = new_secret()
        sessions = self.server.accounts.sessions
        await sessions.begin(digest_of(secret), self.user_id, user_agent="Five", replaces=None, origin=TERMINAL)
        self.secret = secret

    async def come_back(self) -> None:
        """Sign in again with the account as it was: an owner may have disabled it, their own too if there are more."""
        accounts = self.server.accounts.accounts
        await accounts.change(self.user_id, role=ROLES[self.name], disabled=False, origin=TERMINAL)
        await self.begin_session()


@dataclass(frozen=True, slots=True)
class FivePeople:
    """The five of a round, and one account more, which the owner changes."""

    people: Mapping[str, Person]
    spare_user_id: str

    def foreign_to(self, person: Person) -> SeededWorld:
        """The ids of the other four that are not this person's too.

        No codes, which are there to let others in, and for the owner no people, whom they may disable.
        """
        others = [one.world for one in self.people.values() if one is not person]
        by_right = {"codes", "people"} if person.name == "owner" else {"codes"}
        kinds = {kind for world in others for kind in world.ids} - by_right
        return SeededWorld({kind: _without(person.world.ids_of(kind), others, kind) for kind in kinds})


def _without(own: Sequence[str], worlds: Iterable[SeededWorld], kind: str) -> tuple[str, ...]:
    return tuple(one for world in worlds for one in world.ids_of(kind) if one not in own)


def without_memory() -> CookieJar:
    """A jar that keeps no cookie, so that no answer changes who sends the next request."""
    return CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))


async def seed_five(server: SignInServer, number: int) -> FivePeople:
    """The five of one round, each with one of everything, and a class of either teacher with its learner."""
    people = {name: await _add(server, name, number) for name in ROLES}
    spare = await server.add_person(f"spare-{number}")
    for name, person in people.items():
        async with _client(person) as client:
            own = await seed_world(client, server.sprout, person.word(), person.user_id)
            person.world = SeededWorld({**own.ids, **await _account_ids(client, person)})
            if name in TEACHER_OF:
                await _seed_class(client, person, people[TEACHER_OF[name]])
    people["owner"].world.ids["people"] = (spare,)
    return FivePeople(people, spare)


async def _add(server: SignInServer, name: str, number: int) -> Person:
    person = Person(name, number, "", server, SeededWorld({}))
    sign_in_name = f"{name.replace(' ', '-')}-{number}"
    new = NewAccount(sign_in_name, person.word(CanaryKind.NAME), ROLES[name], server.password_hash)
    person.user_id = (await server.accounts.accounts.create(new, origin=TERMINAL)).user_id
    await person.begin_session()
    return person


def _client(person: Person) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url=person.server.origin, timeout=60, headers=person.headers, cookies=without_memory()
    )


async def _account_ids(client: httpx2.AsyncClient, person: Person) -> dict[str, tuple[str, ...]]:
    made = await _post(client, "/api/account/tokens", {"name": person.word(), "scopes": ["read"]})
    sessions = (await client.get("/api/account/sessions")).raise_for_status().json()
    return {
        "users": (person.user_id,),
        "people": (person.user_id,),
        "learners": (person.user_id,),
        "tokens": (str(made["id"]),),
        "account_sessions": tuple(one["id"] for one in sessions),
    }


async def _seed_class(client: httpx2.AsyncClient, learner: Person, teacher: Person) -> None:
    """A class with a given path, in which the learner has an answer that waits, a lesson shared and one that is not."""
    async with _client(teacher) as at_teacher:
        made = await _post(at_teacher, "/api/classes", {"name": teacher.word(CanaryKind.CLASS)})
        code = (await _post(at_teacher, f"/api/classes/{made['id']}/code", {}))["code"]["code"]
        file = _given_file(teacher.word(CanaryKind.GIVEN))
        branch = (await _post(at_teacher, "/api/graphs", file))["branch"]["id"]
        await _post(client, "/api/account/classes", {"code": code})
        given = await _post(at_teacher, f"/api/classes/{made['id']}/paths", {"branchId": branch})
        nodes = (await at_teacher.get(f"/api/nodes?branchId={branch}")).raise_for_status().json()
    copy = (await client.get("/api/account/paths")).raise_for_status().json()[0]["branchId"]
    shared = await _talk(client, learner, copy, made["id"])
    item = await _answer(client, learner, copy)
    concern = new_id()
    await _add_concern(learner, shared, concern)
    both = {"classes": (str(made["id"]),), "given_paths": (str(given["id"]),), "codes": (code,)}
    learner.world.ids.update(both | {"branches": (*learner.world.ids["branches"], copy)})
    concepts = tuple(one["id"] for one in nodes if one["type"] == "concept")
    teacher.world.ids.update(
        both
        | {"branches": (*teacher.world.ids["branches"], branch), "learners": (learner.user_id,)}
        | {"concepts": (*teacher.world.ids["concepts"], *concepts), "desk": (item,)}
        | {"shared": (shared,), "concerns": (concern,)}
    )


async def _talk(client: httpx2.AsyncClient, learner: Person, copy: str, class_id: str) -> str:
    """The conversation that is shared; another one about the same concept is not."""
    nodes = (await client.get(f"/api/nodes?branchId={copy}")).raise_for_status().json()
    concept = next(one["id"] for one in nodes if one["type"] == "concept")
    for kind in (CanaryKind.OWN, CanaryKind.SHARED):
        chat = str((await _post(client, "/api/chat/sessions", {"nodeId": concept}))["id"])
        said = {"role": "user", "content": f"Is this {learner.word(kind)}?"}
        await _post(client, f"/api/chat/sessions/{chat}/messages", said)
    await _post(client, f"/api/chat/sessions/{chat}/share", {"classId": class_id})
    return chat


async def _answer(client: httpx2.AsyncClient, learner: Person, copy: str) -> str:
    """An answer whose question the learner disputes, so that it waits for the teacher; the id of the question."""
    nodes = (await client.get(f"/api/nodes?branchId={copy}")).raise_for_status().json()
    concept = next(one["id"] for one in nodes if one["type"] == "concept")
    assessment = (await client.get(f"/api/agents/concepts/{concept}/diagnostic")).raise_for_status().json()
    address = f"/api/assessments/{assessment['assessment']['id']}"
    (question,) = (await client.get(f"{address}/questions")).raise_for_status().json()
    words = learner.word(CanaryKind.ANSWER)
    await _post(client, f"{address}/answers", {"questionId": question["id"], "answerText": words})

    def contest(tx: WriteTransaction) -> None:
        row = tx.session.exec(select(tables.Question).where(tables.Question.id == question["id"])).one()
        row.contest = {"reason": words, "at": "2026-03-01T12:00:00+00:00", "outcome": "held", "looks": {}}
        tx.session.add(row)

    await learner.server.sprout.database.write_tx(contest)
    return str(question["id"])


async def _add_concern(learner: Person, session_id: str, concern_id: str) -> None:
    row = tables.Concern(id=concern_id, user_id=learner.user_id, session_id=session_id)
    await learner.server.sprout.database.write_tx(lambda tx: tx.session.add(row))


def _given_file(word: str) -> dict[str, Any]:
    question = {
        "prompt": f"Why is {word} cooked?",
        "format": "open_ended",
        "correct_answer": "So that it keeps.",
        "difficulty": 2,
        "tests": [f"{word}, part 1"],
        "criteria": [
            {"label": "keeps", "statement": "Says that it keeps.", "weight": 0.5},
            {"label": "how long", "statement": "Says for how long.", "weight": 0.5},
        ],
    }
    parts = [{"title": f"{word}, part {part}", "desc": f"A part of {word}."} for part in (1, 2)]
    edges = [{"from": f"{word}, part 1", "to": f"{word}, part 2"}]
    concept = {"title": f"What {word} is", "subconcepts": parts, "edges": edges, "questions": [question]}
    return {"sprout_path": 1, "title": word, "topic": {"title": word, "desc": f"On {word}."}, "concepts": [concept]}


async def _post(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    answer = await client.post(path, json=body)
    if not answer.is_success:
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")
    return answer.json()
