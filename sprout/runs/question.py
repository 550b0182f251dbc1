"""What a person is asked while a run waits, and which answers the prepared choices are."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal, get_args

from pydantic import JsonValue

from sprout.events import WaitingOnHuman, wire_time

QuestionKind = Literal["question", "permission", "in_doubt", "changed", "context"]

HAPPENED = "It happened"
DO_IT = "It did not happen: do it"
STOP = "Stop the run"
AFRESH = "Start again"
ALL_THE_SAME = "Go on all the same"


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """A question to a person.

    Args:
        kind: question (the model asks), permission (may this call run), in_doubt (did this call happen), changed (the
            agent's instructions are not those that the run began with), context (the loop itself asks how to go on).
        choices: prepared answers; None where there are none. Other words are fine for `question` and `context` only.
        why: one sentence: what made the run stop and ask.
        call_id: the call that waits for the answer, with its tool and its input as people may see it.
        since: when it began to wait, as on the wire.
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
        return WaitingOnHuman(question=self.question, choices=choices, why=self.why)

    def as_json(self) -> dict[str, JsonValue]:
        """What `question_from` reads."""
        return asdict(self)


def question_from(kept: dict[str, JsonValue]) -> RunQuestion:
    """The question that `as_json` has written. Raises ValueError, KeyError, TypeError: it has not written this."""
    fields = dict(kept)
    if fields["kind"] not in get_args(QuestionKind):
        raise ValueError(f"no question is of the kind {fields['kind']!r}")
    choices = fields.pop("choices")
    return RunQuestion(**fields, choices=None if choices is None else tuple(choices))  # type: ignore[arg-type]


def in_doubt(tool: str, call_id: str, shown: dict[str, JsonValue], now: datetime) -> RunQuestion:
    """Asks whether a call that had begun before a crash has had its effect (K6)."""
    return RunQuestion(
        "in_doubt",
        f"Did “{tool}” happen?",
        (HAPPENED, DO_IT, STOP),
        "Sprout was stopped while this was being done, and doing it twice could do harm.",
        wire_time(now),
        call_id,
        tool,
        shown,
    )


def changed(now: datetime, *, before: str, after: str) -> RunQuestion:
    """Asks what to do with a run whose agent is not what it was (K5); the digests of both are named."""
    return RunQuestion(
        "changed",
        "This agent's instructions or tools have changed since the run began. How should it go on?",
        (AFRESH, ALL_THE_SAME, STOP),
        f"The run began with instructions {before[:12]}, and Sprout has {after[:12]} now.",
        wire_time(now),
        input={"before": before, "after": after},
    )


def is_choice(answer: str, choice: str) -> bool:
    """Whether an answer is this prepared one, however it is spaced and capitalised."""
    return " ".join(answer.split()).casefold() == choice.casefold()
