"""Questions of a run to a person, and their prepared answers."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import get_args

from pydantic import JsonValue

from sprout.events import QuestionKind, WaitingOnHuman, wire_time

HAPPENED = "It happened"
NOT_HAPPENED = "It did not happen: do it"
STOP = "Stop the run"
START_AGAIN = "Start again"
CONTINUE_ANYWAY = "Continue anyway"


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """A question to a person.

    Args:
        kind: question (the model asks), permission (may this call run), in_doubt (did this call happen), changed (the
            agent's instructions are not those that the run began with), context (the loop itself asks how to go on).
        choices: prepared answers, if any. Only `question` and `context` accept other text.
        why: one sentence: the reason why the run asks.
        call_id: the call that waits for the answer, with its tool and its visible input.
        since: start of the wait, as on the wire.
    """

    kind: QuestionKind
    question: str
    choices: tuple[str, ...] | None
    why: str
    since: str
    call_id: str | None = None
    tool: str | None = None
    input: dict[str, JsonValue] | None = None

    def as_event(self) -> WaitingOnHuman:
        choices = None if self.choices is None else list(self.choices)
        return WaitingOnHuman(of=self.kind, question=self.question, choices=choices, why=self.why, tool=self.tool)

    def as_json(self) -> dict[str, JsonValue]:
        """The form that `question_from_json` reads."""
        return asdict(self)


def question_from_json(stored: dict[str, JsonValue]) -> RunQuestion:
    """The question from its JSON form. Raises ValueError, KeyError, TypeError."""
    fields = dict(stored)
    if fields["kind"] not in get_args(QuestionKind):
        raise ValueError(f"no question is of the kind {fields['kind']!r}")
    choices = fields.pop("choices")
    return RunQuestion(**fields, choices=None if choices is None else tuple(choices))  # type: ignore[arg-type]


def in_doubt_question(tool: str, call_id: str, shown: dict[str, JsonValue], now: datetime) -> RunQuestion:
    """Asks whether a call that was cut off by a crash had its effect."""
    return RunQuestion(
        "in_doubt",
        f"Did “{tool}” happen?",
        (HAPPENED, NOT_HAPPENED, STOP),
        "Sprout was stopped while this was being done, and doing it twice could do harm.",
        wire_time(now),
        call_id,
        tool,
        shown,
    )


def changed_question(now: datetime, *, before: str, after: str) -> RunQuestion:
    """Asks what to do with a run whose agent has changed; names both digests."""
    return RunQuestion(
        "changed",
        "This agent's instructions or tools have changed since the run began. How should it continue?",
        (START_AGAIN, CONTINUE_ANYWAY, STOP),
        f"The run began with instructions {before[:12]}, and Sprout has {after[:12]} now.",
        wire_time(now),
        input={"before": before, "after": after},
    )


def is_choice(answer: str, choice: str) -> bool:
    """Whether an answer is this choice, ignoring case and spacing."""
    return " ".join(answer.split()).casefold() == choice.casefold()
