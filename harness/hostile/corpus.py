"""Hostile texts, by family, and how they get into what a server says."""

import json
import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sprout.learning.paths.next_lesson import WhyNext

RUN, EVIL = "ran.push({number})", "EVIL"
FILE = Path(__file__).parent / "payloads.json"
# What a model, a document, a file name or a learner fills, in every answer that the page asks for.
TEXTS = frozenset(
    {"title", "desc", "reason", "prompt", "content", "message", "feedback", "label", "span", "nextStep", "body", "text"}
    | {"answerText", "selectedOption", "says", "error", "name", "filename", "question", "why", "objective", "reached"}
    | {"next", "summary", "branchTitle", "nodeTitle", "path", "quote", "excerpt", "note", "statement", "misconception"}
)
WHY_NEXT = frozenset(WhyNext)  # words of the program under the name of a text
LISTS = frozenset({"options", "plan", "choices", "suggestions"})


@cache
def families() -> dict[str, list[str]]:
    return dict(json.loads(FILE.read_text()))


def payloads(evil: str) -> list[str]:
    """Every text of the corpus: the n-th pushes n to `ran` where it runs, and asks `evil` where it asks anyone."""
    texts = [text for family in families().values() for text in family]
    return [text.replace("RUN", RUN.format(number=n)).replace(EVIL, evil) for n, text in enumerate(texts)]


@dataclass
class HostileTexts:
    """Puts hostile texts behind every text of an answer: `share` of them each time, until a field has had all."""

    texts: list[str]
    share: int
    seen: dict[str, set[int]] = field(default_factory=dict)
    _left: dict[str, list[int]] = field(default_factory=dict)

    def next_text(self, name: str) -> str:
        """The next of a field, in an order of its own."""
        left = self._left.get(name) or random.Random(f"{name} {len(self.seen)}").sample(
            range(len(self.texts)), len(self.texts)
        )
        mine, self._left[name] = left[: self.share], left[self.share :]
        self.seen.setdefault(name, set()).update(mine)
        return "\n\n".join(self.texts[n] for n in mine)

    def poison_value(self, value: Any) -> Any:
        """Copy of a server's value with its texts replaced by hostile ones."""
        match value:
            case list() if value and isinstance(value[0], dict) and {"role", "content"} <= value[0].keys():
                return self._poison_messages(value)
            case list():
                return [self.poison_value(each) for each in value]
            case dict():
                return {name: self._poison_field(name, each) for name, each in value.items()}
        return value

    def _poison_field(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and name in TEXTS and value not in WHY_NEXT:
            return f"{value}\n\n{self.next_text(name)}"
        if name in LISTS and value:  # a list, or one as a string of JSON
            return (
                json.dumps(self._poison_list(name, json.loads(value)))
                if isinstance(value, str)
                else self._poison_list(name, value)
            )
        return self.poison_value(value)

    def _poison_list(self, name: str, values: list[Any]) -> list[Any]:
        return [
            f"{value} {self.next_text(name)}" if isinstance(value, str) else self.poison_value(value)
            for value in values
        ]

    def _poison_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """A conversation in which the tutor has said every text of the corpus, each in a message of its own."""
        tutor = next((message for message in messages if message["role"] == "assistant"), None)
        texts = (
            []
            if tutor is None
            else [tutor | {"id": f"hostile-{n}", "content": text} for n, text in enumerate(self.texts)]
        )
        self.seen.setdefault("content", set()).update(range(len(texts)))
        return [
            *texts,
            *({**message, "content": self._before_the_question(message["content"])} for message in messages),
        ]

    def _before_the_question(self, text: str) -> str:
        """Behind the text, and in a tutor's message before its question as well."""
        head, mark, tail = text.partition("\n\nQuestion Type:")
        return f"{head}\n\n{self.next_text('said')}{mark}{tail}" + (f"\n\n{self.next_text('asked')}" if mark else "")
