"""The corpus of replies that leak and replies that do not: per question, each leak with its family."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sprout.learning.leaks.secret import Secret, build_secret
from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.yaml_loader import load_yaml

FOLDER = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True)
class Said:
    """A reply of a tutor; `family` is empty for one that gives nothing away, `reveals` what must not be shown of it."""

    question: str
    family: str
    reply: str
    secret: Secret
    reveals: tuple[str, ...]
    before: str = ""
    level: HelpLevel = HelpLevel.NONE

    @property
    def name(self) -> str:
        """Name of the corpus entry in a failing test."""
        return f"{self.question}: {self.family or self.reply[:40]}"


def corpus() -> list[Said]:
    """Every reply of every file."""
    return [
        one for file in sorted(FOLDER.glob("*.yaml")) for entry in load_yaml(file.read_text()) for one in _of(entry)
    ]


def _of(entry: dict[str, Any]) -> list[Said]:
    secret = build_secret(
        _question(entry["question"]),
        anchors=entry.get("anchors", ()),
        steps=entry.get("steps", ()),
        learner_texts=entry.get("said", ()),
        label=entry.get("label"),
    )
    leaks = [one | {"level": one.get("level", 0)} for one in entry["leaks"]]
    benign = [{"reply": one} if isinstance(one, str) else one for one in entry["benign"]]
    return [
        Said(
            question=entry["name"],
            family=one.get("family", ""),
            reply=one["reply"],
            secret=secret,
            reveals=tuple(entry["reveals"]),
            before=one.get("before", ""),
            level=HelpLevel(one.get("level", 0)),
        )
        for one in [*leaks, *benign]
    ]


def _question(entry: dict[str, Any]) -> QuestionDraft:
    criteria = tuple(Criterion(**one) for one in entry.pop("criteria", ()))
    options = tuple(entry.pop("options", ()))
    return QuestionDraft(difficulty=3, tests=("The topic",), criteria=criteria, options=options, **entry)
