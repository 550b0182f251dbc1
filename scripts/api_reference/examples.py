"""The story of the API reference: a curl for every endpoint, in the order in which they are run."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.api_reference.paths import ANSWERS, EXAMPLES, ROOT
from sprout.yaml_loader import load_yaml

PREAMBLE = """\
server=${SPROUT:-http://127.0.0.1:8000} api=$server/api
user=00000000-0000-0000-0000-000000000000 json='content-type: application/json'
get() {
  python3 -c 'import functools, json, sys
step = lambda value, key: value[int(key) if key.isdigit() else key]
print(functools.reduce(step, sys.argv[1].split("."), json.load(sys.stdin)))' "$1"
}
"""


class InvalidExample(Exception):
    """The story cannot be played; the message names the file and the fix."""


@dataclass(frozen=True, slots=True)
class Example:
    """One curl: of which operation, the how-manieth of it, what is said before it, and what it answers with."""

    operation: str
    number: int
    status: int
    introduction: str
    curl: str

    @property
    def key(self) -> str:
        """The name of its answer among the recorded ones."""
        return f"{self.operation}.{self.number}"


@dataclass(frozen=True, slots=True)
class Restart:
    """A server begins with these settings; the one before it, if any, is killed."""

    settings: dict[str, str]


def load_story(path: Path = EXAMPLES) -> list[Example | Restart]:
    """All steps, in order. Raises InvalidExample."""
    steps: list[Example | Restart] = []
    seen: Counter[str] = Counter()
    for item in load_yaml(path.read_text(encoding="utf-8")):
        if "server" in item:
            steps.append(Restart(item["server"]))
            continue
        if unknown := item.keys() - {"do", "says", "status", "curl"}:
            raise InvalidExample(f"{path.relative_to(ROOT)}: {item.get('do')} has the unknown field {min(unknown)!r}.")
        seen[item["do"]] += 1
        steps.append(
            Example(item["do"], seen[item["do"]], item["status"], item.get("says", ""), item["curl"].rstrip("\n"))
        )
    return steps


def examples_by_operation(steps: list[Example | Restart]) -> dict[str, list[Example]]:
    """The examples alone, in order, by the operation that they show."""
    found: dict[str, list[Example]] = {}
    for step in steps:
        if isinstance(step, Example):
            found.setdefault(step.operation, []).append(step)
    return found


def load_answers(path: Path = ANSWERS) -> dict[str, dict[str, str]]:
    """Recorded, shortened responses of the examples: media type and text."""
    found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def check_complete(document: dict[str, Any], steps: list[Example | Restart]) -> None:
    """Raises InvalidExample where an endpoint has no curl, a curl no endpoint, or a status that is not described."""
    known = {
        operation["operationId"]: operation for methods in document["paths"].values() for operation in methods.values()
    }
    shown = examples_by_operation(steps)
    where = EXAMPLES.relative_to(ROOT)
    problems = [f"{where}: add an example for {name}." for name in known if name not in shown]
    problems += [f"{where}: there is no operation {name}." for name in shown if name not in known]
    for name, examples in shown.items():
        described = known.get(name, {}).get("responses", {})
        problems += [
            f"{where}: {name} is not described to answer with {one.status}."
            for one in examples
            if described and str(one.status) not in described
        ]
    if problems:
        raise InvalidExample("\n".join(problems))


def matches_path(path: str, url: str) -> bool:
    """Return True if a URL matches a path template."""
    pattern = re.sub(r"\\{path\\}", r".+", re.escape(path))
    return re.fullmatch(r"https?://[^/]+" + re.sub(r"\\{\w+\\}", r"[^/?]+", pattern) + r"(\?.*)?", url) is not None
