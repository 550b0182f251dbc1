"""Handoff: the journal and the last events of a run, for a person or program that takes over."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprout.loop.encoding.message_codec import DecodingError, messages_from_json
from sprout.loop.journal import Journal, readable_journal
from sprout.loop.model import Text
from sprout.runs.ending import early_ending
from sprout.runs.run_store import RunRecord, StoredEvent
from sprout.runs.state import Run, RunState

LAST_TEXT_CHARS = 300
NEXT_STEPS = {
    "next_answer": "Answer the question; the run then continues from here.",
    "next_resume": "Resume it: it continues from here.",
    "next_by_itself": "It continues by itself.",
    "next_nothing": "Nothing: it is complete.",
    "next_start_again": "Start it again: it builds on what was saved.",
    "next_start_over": "Start it again from the beginning.",
}


@dataclass(frozen=True, slots=True)
class RunJournal:
    """The objective of a run, its progress, and the next step.

    Args:
        codes: by the name of a part that the agent has not written itself: the name of its sentence.
        params: the values in those sentences, by name.
    """

    objective: str
    reached: str
    next: str
    codes: Mapping[str, str]
    params: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Handoff:
    """A run as it is handed over; `transitions` are the codes of its iterations (L15)."""

    run: Run
    journal: RunJournal
    transitions: Sequence[str]
    last_events: Sequence[StoredEvent]


def run_journal(run: Run, record: RunRecord, *, private: bool = False) -> RunJournal:
    """The journal that the agent wrote, completed from its checkpoints and calls.

    Args:
        private: whether the text of the agent is hidden, so that only its calls are shown.
    """
    objective = next((one.state for one in record.checkpoints if one.kind == "input" and one.state), None)
    succeeded = [one.begun for one in record.calls if one.ended is not None and not one.ended.is_error]
    done = Counter(call.tool for call in succeeded)
    calls = ", ".join(f"{tool} × {count}" for tool, count in done.items())
    words = "" if private else last_text(record)
    words = words if len(words) <= LAST_TEXT_CHARS else words[: LAST_TEXT_CHARS - 1] + "…"
    reached = f"Done: {calls}. {words}" if calls else f"Nothing has been done yet. {words}"
    following = _next_step(run, has_saved=any(call.effect == "write" for call in succeeded))
    codes = {
        "objective": f"objective_{run.agent}" if objective else "",
        "reached": "reached" if calls else "reached_nothing",
        "next": following,
    }
    journal = Journal() if private else readable_journal(record.journal)
    written = {
        "objective": journal.objective,
        "reached": journal.current_state,
        "next": journal.handoff_next_action,
    }
    return RunJournal(
        journal.objective or objective or run.task or run.label,
        journal.current_state or reached.strip(),
        journal.handoff_next_action or NEXT_STEPS[following],
        {part: code for part, code in codes.items() if code and not written[part]},
        {"calls": calls, "words": words},
    )


def last_text(record: RunRecord) -> str:
    """The last text of the model on one line; empty if it cannot be decoded."""
    for one in reversed(record.checkpoints):
        if one.kind == "llm_response":
            try:
                messages = messages_from_json(one.messages)
            except DecodingError:
                return ""
            text = " ".join(block.text for message in messages for block in message.content if isinstance(block, Text))
            if text.strip():
                return " ".join(text.split())
    return ""


def _next_step(run: Run, *, has_saved: bool) -> str:
    if run.state is RunState.WAITING_ON_HUMAN and not run.answered:
        return "next_answer"
    if run.cut_off:
        return "next_resume"
    if not run.ended:
        return "next_by_itself"
    if run.state is RunState.COMPLETED and early_ending(run.reason or "", run.reached_limit) is None:
        return "next_nothing"
    return "next_start_again" if has_saved else "next_start_over"
