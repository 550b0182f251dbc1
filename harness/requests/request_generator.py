"""Requests drawn from the OpenAPI document: good and bad, with the learner's own, foreign and unknown ids."""

import json
import math
import random
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import schemathesis
import schemathesis.specs.openapi.schemas  # now, not while greenlets run: Python 3.11 cannot always parse a module then
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import NonInteractiveExampleWarning
from schemathesis import Case as AnyCase
from schemathesis import GenerationMode
from schemathesis.core.result import Err

from harness.requests.seeded_world import FOREIGN_USER, SeededWorld, kind_of
from sprout.learning.paths.repository import DEFAULT_USER_ID

ORIGIN = "http://localhost:3000"
Case = AnyCase[Any]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
UNKNOWN_IDS = (
    "no-such-thing",
    "0",
    "a" * 101,
    "00000000-0000-0000-0000-000000000001",
    "\u202e",
    "../..",
    "%",
    "' OR 1=1--",
)
ODD_BODIES: tuple[bytes, ...] = (
    b"",
    b"null",
    b"[]",
    b'{"userId": ',
    b'{"userId": NaN}',
    b'{"userId": "\\ud800"}',
    b'{"userId": "\\u0000"}',
    b'{"userId": 1e999}',
    b"\xff\xfe{",
    b'{"a":' * 300 + b"1" + b"}" * 300,
)
ODD_HEADERS: tuple[Mapping[str, str], ...] = (
    {"Accept": "text/event-stream"},
    {"Accept": "x/y;q=;;,"},
    {"Idempotency-Key": "once"},
    {"Idempotency-Key": "k" * 2_000},
    {"Last-Event-ID": "-1"},
    {"Last-Event-ID": "9" * 40},
    {"Last-Event-ID": "a=1,b"},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/json; charset=utf-16"},
    {"Content-Type": "multipart/form-data"},
    {"Content-Encoding": "gzip"},
    {"Range": "bytes=9-1,5-"},
    {"If-None-Match": '"'},
)
FILE_PATHS = ("app.js", "i18n/en.js", "fonts", "..%2Fsprout%2Fapp.py", "%2Fetc%2Fpasswd", "app.js%00", ".", "a" * 400)
ID_FIELDS = {
    "branchId": "branches",
    "nodeId": "nodes",
    "parentId": "nodes",
    "targetNodeId": "nodes",
    "questionId": "questions",
    "sessionId": "sessions",
    "requestMessageId": "messages",
    "responseMessageId": "messages",
    "before": "runs",
    "itemId": "reviewItems",
    "classId": "classes",
    "givenId": "given_paths",
    "code": "codes",
}
IN_PLACEMENTS = {**ID_FIELDS, "nodeId": "parts", "itemId": "placementItems"}


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """A request; `operation` is its method and path in the document, `foreign` whether an id in its path is."""

    operation: tuple[str, str]
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    files: Sequence[tuple[str, bytes]] = ()
    foreign: bool = False

    @property
    def method(self) -> str:
        return self.operation[0]

    def __str__(self) -> str:
        content = f" {self.content[:300]!r}" if self.content else ""
        return f"{self.method} {self.url[:300]} {dict(self.headers)}{content}"


@dataclass(frozen=True, slots=True)
class RequestGenerator:
    """Draws requests for one own and one foreign world; the same seed draws the same.

    Args:
        cases: of every operation those that were generated, to be sent again and again, with other ids each time.
    """

    cases: Sequence[Sequence[Case]]
    chance: random.Random

    def draw_requests(self, count: int, own: SeededWorld, foreign: SeededWorld) -> Iterator[DrawnRequest]:
        """So many requests, of every operation about as many, mixed."""
        asked: list[Sequence[Case]] = []
        for _ in range(count):
            if not asked:
                asked = self.chance.sample(self.cases, k=len(self.cases))
            yield self._fill_in(self.chance.choice(asked.pop()), own, foreign)

    def _fill_in(self, case: Case, own: SeededWorld, foreign: SeededWorld) -> DrawnRequest:
        path, kinds, is_foreign = case.path, re.findall(r"([\w-]+)/{(\w+)}", case.path), False
        for kind, name in kinds:
            value, from_abroad = self._id(kind_of(case.path, kind), case.path_parameters[name], own, foreign)
            path, is_foreign = path.replace(f"{{{name}}}", value), is_foreign or from_abroad
        for name, value in case.path_parameters.items():
            drawn = self.chance.choice(FILE_PATHS) if name == "path" and self.chance.random() < 0.8 else str(value)
            path = path.replace(f"{{{name}}}", drawn)
        query = self._with_ids(case.path, dict(case.query or {}), own, foreign)
        flat = [(name, _query_text(one)) for name, value in query.items() for one in _as_list(value)]
        url = path + ("?" + urlencode(flat, errors="replace") if flat else "")
        headers = {"Origin": ORIGIN} | (dict(self.chance.choice(ODD_HEADERS)) if self.chance.random() < 0.1 else {})
        operation = (case.method.upper(), case.path)
        if case.media_type == "multipart/form-data":
            return DrawnRequest(operation, url, headers, files=self._files(case.body), foreign=is_foreign)
        content = self._content(case, own, foreign)
        if content is not None:
            headers = {"Content-Type": "application/json"} | headers
        return DrawnRequest(operation, url, headers, content, foreign=is_foreign)

    def _id(self, kind: str, drawn: object, own: SeededWorld, foreign: SeededWorld) -> tuple[str, bool]:
        """A quoted value for the path, and whether it belongs to another learner."""
        luck = self.chance.random()
        if luck < 0.6 and own.ids_of(kind):
            return self.chance.choice(own.ids_of(kind)), False
        if luck < 0.8 and foreign.ids_of(kind):
            return self.chance.choice(foreign.ids_of(kind)), True
        if luck < 0.9:
            return quote(self.chance.choice((*UNKNOWN_IDS, *self._of_any_kind(own))), safe=""), False
        return str(drawn), False

    def _of_any_kind(self, own: SeededWorld) -> Sequence[str]:
        return [ids[0] for ids in own.ids.values() if ids]

    def _content(self, case: Case, own: SeededWorld, foreign: SeededWorld) -> bytes | None:
        if isinstance(case.body, bytes):
            return case.body
        if case.media_type is None:
            return None
        if self.chance.random() < 0.05:
            return self.chance.choice(ODD_BODIES)
        body = self._with_ids(case.path, dict(case.body), own, foreign) if isinstance(case.body, dict) else case.body
        return json.dumps(body, default=str).encode("utf-8", errors="replace")

    def _with_ids(self, path: str, values: dict[str, Any], own: SeededWorld, foreign: SeededWorld) -> dict[str, Any]:
        """The values with, mostly, ids that there are: what is refused for its user alone proves little."""
        luck = self.chance.random()
        if "userId" in values and luck < 0.9:
            is_own = luck < 0.85
            users = own.ids_of("users") if is_own else foreign.ids_of("users")
            values["userId"] = self.chance.choice(users or ((DEFAULT_USER_ID,) if is_own else (FOREIGN_USER,)))
        for name, kind in (IN_PLACEMENTS if "/placements" in path else ID_FIELDS).items():
            if name in values and self.chance.random() < 0.8:
                abroad = self.chance.random() < 0.2
                values[name] = self.chance.choice((foreign if abroad else own).ids_of(kind) or UNKNOWN_IDS)
        return values

    def _files(self, body: object) -> Sequence[tuple[str, bytes]]:
        drawn = body.get("files") if isinstance(body, dict) else None
        files = drawn if isinstance(drawn, list) else [drawn]
        names = ("a.md", "b.txt", "c.pdf", "..", "é\u202e.md", "d.exe")
        return [(self.chance.choice(names), one if isinstance(one, bytes) else str(one).encode()) for one in files]


def make_request_generator(
    document: dict[str, Any], per_operation: int, number: int, *, count: int
) -> RequestGenerator:
    """A drawing with so many good and so many bad cases of every operation; `number` is its seed.

    Where an operation takes nothing that could be bad (no query, no body), all its cases are good ones.

    Args:
        count: of requests that are drawn in all: no more cases are generated than are sent.
    """
    cases: list[Sequence[Case]] = []
    operations = sum(len(methods) for methods in document["paths"].values())
    per_operation = min(per_operation, math.ceil(count / operations / len(MODES)))
    for found in schemathesis.openapi.from_dict(document).get_all_operations():
        if isinstance(found, Err):
            raise found.err()
        operation = found.ok()
        described = document["paths"][operation.path][operation.method]
        takes_more = "requestBody" in described or any(one["in"] == "query" for one in described.get("parameters", ()))
        modes = MODES if takes_more else MODES[:1]
        drawn = [_generate_cases(operation.as_strategy(generation_mode=mode), per_operation, number) for mode in modes]
        cases.append([case for of_mode in drawn for case in of_mode])
    return RequestGenerator(cases, random.Random(number))


def _generate_cases(strategy: Any, count: int, number: int) -> list[Case]:
    generated: list[Case] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(case: Case) -> None:
        generated.append(case)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonInteractiveExampleWarning)
        collect()
    return generated[:count]


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _query_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
