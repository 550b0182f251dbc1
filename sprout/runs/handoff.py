"""What somebody needs who takes over from a run: its journal, and its last events (F1)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sprout.loop.kept import KeptUnreadable, journal_from_json, messages_from_json
from sprout.loop.model import Text
from sprout.runs.log import Logged, Record
from sprout.runs.state import Run, RunState

LAST_WORDS_CHARS = 300


@dataclass(frozen=True, slots=True)
class RunJournal:
    """What a run is after, how far it got, and what would come next."""

    objective: str
    reached: str
    next: str


@dataclass(frozen=True, slots=True)
class Handoff:
    run: Run
    journal: RunJournal
    last_events: Sequence[Logged]


def journal_of(run: Run, record: Record, *, private: bool = False) -> RunJournal:
    """What the agent noted down; where it noted nothing, what its checkpoints and calls tell.

    Args:
        private: whether its words are for nobody, so that only its calls are told.
    """
    noted = next((one.state for one in reversed(record.checkpoints) if one.kind == "journal_update"), None)
    objective = next((one.state for one in record.checkpoints if one.kind == "input" and one.state), None)
    told = RunJournal(objective or run.task or run.label, _reached(record, private=private), _next(run))
    if noted is None or private:
        return told
    try:
        journal = journal_from_json(noted)
    except KeptUnreadable:
        return told
    return RunJournal(
        journal.objective or told.objective,
        journal.current_state or told.reached,
        journal.handoff_next_action or told.next,
    )


def _reached(record: Record, *, private: bool) -> str:
    done = Counter(one.begun.tool for one in record.calls if one.ended is not None and not one.ended.is_error)
    calls = ", ".join(f"{tool} × {count}" for tool, count in done.items())
    words = "" if private else last_words(record)
    words = words if len(words) <= LAST_WORDS_CHARS else words[: LAST_WORDS_CHARS - 1] + "…"
    return " ".join(part for part in (f"Done: {calls}." if calls else "Nothing was done yet.", words) if part)


def last_words(record: Record) -> str:
    """What the model said last, on one line; nothing where that cannot be read."""
    for one in reversed(record.checkpoints):
        if one.kind == "llm_response":
            try:
                messages = messages_from_json(one.messages)
            except KeptUnreadable:
                return ""
            said = " ".join(block.text for message in messages for block in message.content if isinstance(block, Text))
            if said.strip():
                return " ".join(said.split())
    return ""


def _next(run: Run) -> str:
    if run.state is RunState.WAITING_ON_HUMAN and not run.answered:
        return "Answer the question; then it goes on from here."
    if run.cut_off:
        return "Resume it: it goes on from here."
    if not run.ended:
        return "It goes on by itself."
    if run.state is RunState.COMPLETED:
        return "Nothing: it has come to its end."
    return "Start it again: what was saved stays, and it goes on from there."
