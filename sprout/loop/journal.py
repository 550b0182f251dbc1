"""Run journal: the notes by which an agent's next run knows where the work stands."""

import logging
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from sprout.errors import SproutError
from sprout.loop.model import Message, Text
from sprout.loop.model_notices import notice
from sprout.loop.tools import Effect, Profile, Tool, tool

log = logging.getLogger(__name__)

MAX_FIELD = 1_000
MAX_ENTRY = 300
MAX_ENTRIES = 20
DIGEST_CHARS = 500
MIN_SHOWN_CHARS = 20
HIDDEN = frozenset({"Cc", "Cf", "Cs"})
JOINERS = "\u200c\u200d"  # these shape letters and emoji

ListSection = Literal["verified_findings", "decisions", "artifacts", "open_questions", "blockers"]


class JournalRejected(SproutError):
    """A change that the journal does not take; the message says which field is at fault and why."""


def _one_line(value: object) -> object:
    # One line, so that no entry can pass itself off as a heading or as another entry.
    if not isinstance(value, str):
        return value
    kept = (char for char in value if char.isspace() or char in JOINERS or unicodedata.category(char) not in HIDDEN)
    return " ".join("".join(kept).split())


Line = Annotated[str, StringConstraints(max_length=MAX_FIELD), BeforeValidator(_one_line)]
Entry = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ENTRY), BeforeValidator(_one_line)]
Entries = Annotated[tuple[Entry, ...], Field(max_length=MAX_ENTRIES)]


class Journal(BaseModel):
    """Eight sections, each a line or a list of lines, all of limited length; kept as JSON (`model_dump_json`).

    What is written is data from a model: only `digest`, `as_data` and `as_messages` are fit to be read by one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    objective: Line = ""
    current_state: Line = ""
    verified_findings: Entries = ()
    decisions: Entries = ()
    artifacts: Entries = ()
    open_questions: Entries = ()
    blockers: Entries = ()
    handoff_next_action: Line = ""

    @property
    def is_empty(self) -> bool:
        return self == Journal()

    def updated(self, **changes: object) -> "Journal":
        """The journal with these fields replaced. Raises JournalRejected."""
        try:
            return Journal.model_validate({**self.model_dump(), **changes})
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
            raise JournalRejected(notice("journal_refused", faults=faults)) from None

    def appended(self, section: ListSection, entry: str) -> "Journal":
        """The journal with one more entry at a section's end; one that is there already is not added again.

        Raises JournalRejected where the entry does not fit or the section is full: nothing is dropped in silence.
        """
        entries = self.entries(section)
        if _one_line(entry) in entries:
            return self
        if len(entries) >= MAX_ENTRIES:
            raise JournalRejected(notice("journal_full", section=section, most=MAX_ENTRIES))
        return self.updated(**{section: (*entries, entry)})

    def entries(self, section: ListSection) -> tuple[str, ...]:
        """The entries of a section, oldest first."""
        entries: tuple[str, ...] = getattr(self, section)
        return entries

    def digest(self) -> str:
        """The end of a system prompt: the gist in at most 500 characters of notes, fenced; empty where there are none.

        Objective, state, first blocker, next action, then the latest findings as far as there is room.
        """
        rows = [
            _row("Objective", self.objective, 130),
            _row("State", self.current_state, 110),
            _row("Blocker", self.blockers[0] if self.blockers else "", 80),
            _row("Next", self.handoff_next_action, 80),
        ]
        text = "".join(rows)
        for finding in reversed(self.verified_findings):
            text += _row("Found", finding, DIGEST_CHARS - len(text))
        return notice("journal_digest", digest=_fenced("run_journal_digest", text)) if text else ""

    def as_markdown(self) -> str:
        """Every section that has something in it, under its heading; for people, not escaped."""
        sections = {name: getattr(self, name) for name in Journal.model_fields}
        return "\n\n".join(
            "\n".join([f"## {name.replace('_', ' ').capitalize()}", *(f"- {line}" for line in _lines(content))])
            for name, content in sections.items()
            if content
        )

    def as_messages(self) -> tuple[Message, ...]:
        """The whole journal as a user message and the assistant's reply to it; none where it is empty."""
        if self.is_empty:
            return ()
        handed_over = notice("journal_handed_over", journal=self.as_data())
        return Message("user", (Text(handed_over),)), Message("assistant", (Text(notice("journal_taken")),))

    def as_data(self) -> str:
        """The Markdown between tags that nothing in it can close; for a model."""
        return _fenced("run_journal", self.as_markdown() + "\n")


def _lines(content: str | Sequence[str]) -> Sequence[str]:
    return [content] if isinstance(content, str) else content


def _row(label: str, text: str, room: int) -> str:
    """`label: text` as a line of at most `room` characters, cut with a mark; empty where too little of it would fit."""
    space = room - len(label) - len(": \n")
    if not text or space < min(len(text), MIN_SHOWN_CHARS):
        return ""
    return f"{label}: {text if len(text) <= space else text[: space - 1] + '…'}\n"


def _fenced(tag: str, text: str) -> str:
    # Escaped, so that nothing in it closes the fence. No chance in it: a system prompt must come out the same again.
    return f"<{tag}>\n{escape(text, quote=False)}</{tag}>"


class OpenJournal:
    """The journal of a run while its agent writes it.

    Args:
        content: the journal so far.
        store: stores each new state of it, before anything depends on it.
    """

    def __init__(self, content: Journal, store: Callable[[Journal], Awaitable[None]]) -> None:
        self.content = content
        self._store = store

    async def replace(self, content: Journal) -> None:
        await self._store(content)
        self.content = content


class _Changes(BaseModel):
    model_config = ConfigDict(extra="forbid")

    objective: Line | None = Field(None, description="the task, in your own words")
    current_state: Line | None = Field(None, description="where the work is right now")
    verified_findings: Entries | None = Field(None, description="what you have made sure of; replaces the whole list")
    decisions: Entries | None = Field(None, description="choices and their reasons; replaces the whole list")
    artifacts: Entries | None = Field(None, description="ids or names of what was made; replaces the whole list")
    open_questions: Entries | None = Field(None, description="what is not settled yet; replaces the whole list")
    blockers: Entries | None = Field(None, description="what stands in the way; replaces the whole list")
    handoff_next_action: Line | None = Field(None, description="what is to be done next if you stop here")


def journal_tools(journal: OpenJournal) -> tuple[Tool, ...]:
    """The three tools by which an agent reads and writes its journal.

    Writing the same once more changes nothing, so the two that write may be repeated after a failure.
    """

    @tool(profile=Profile.CONVERSATIONAL)
    async def get_run_journal() -> str:
        """Read your journal of this work: what you noted down in this run and in earlier ones."""
        return notice("journal_empty") if journal.content.is_empty else journal.content.as_data()

    async def update(**changes: object) -> str:
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            raise JournalRejected(notice("journal_unchanged"))
        await journal.replace(journal.content.updated(**given))
        return notice("journal_kept")

    @tool(effect=Effect.WRITE, idempotent=True, repeatable=True, profile=Profile.CONVERSATIONAL)
    async def append_run_journal_entry(section: ListSection, entry: Entry) -> str:
        """Add one entry to a list of your journal: a finding, a decision, an artifact, a question or a blocker."""
        await journal.replace(journal.content.appended(section, entry))
        return notice("journal_kept")

    update_run_journal = Tool(
        name="update_run_journal",
        description="Replace fields of your journal. Keep objective, current_state and handoff_next_action up to date.",
        input_model=_Changes,
        schema=_Changes.model_json_schema(),
        function=update,
        effect=Effect.WRITE,
        idempotent=True,
        profile=Profile.CONVERSATIONAL,
    )
    return get_run_journal, update_run_journal, append_run_journal_entry


def readable_journal(stored: str | None) -> Journal:
    """The journal of this JSON; an empty one if there is none, or if it cannot be read: notes are no condition."""
    if stored is None:
        return Journal()
    try:
        return Journal.model_validate_json(stored)
    except ValueError:
        log.exception("agent_run.journal_unreadable")
        return Journal()
