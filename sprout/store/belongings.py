"""What of each table belongs to a learner and is theirs to take along; what stays, and why."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, select

from sprout.events import wire_time
from sprout.store import run_tables, tables
from sprout.store.columns import Row, table_of
from sprout.store.spending_table import SpendingDay, SpendingTicket

# Columns that hold what is right, or how Sprout works on it: a question may be asked again.
WITHHELD: Mapping[type[Row], tuple[str, ...]] = {
    tables.Node: ("title_key",),
    tables.Document: ("storage_name", "attempts", "reader", "reader_until"),
    tables.Question: (
        "prompt_key", "correct_option_id", "correct_answer", "criteria", "tolerance", "misconceptions", "anchors",
        "solution", "help", "ladder", "contest",
    ),
    tables.Answer: ("grade",),
    tables.ChatSession: ("plan", "pending_question_id"),
    tables.Drawing: ("data",),
    run_tables.Run: (
        "caps", "owner", "epoch", "approvals", "crashes", "crashed_at", "resting", "cause", "last_seq", "answered",
    ),
    run_tables.GraphOperation: ("lost", "call_id"),
}  # fmt: skip
LEFT_OUT: Mapping[type[Row], str] = {
    tables.Passage: "the text of documents in pieces",
    tables.Citation: "which node teaches from which piece",
    tables.MessageCitation: "which words teach from which piece",
    run_tables.Carrier: "the processes that carry runs",
    run_tables.IdempotencyKey: "repeated requests",
    run_tables.ToolCall: "the working memory of runs, which holds what is right",
    run_tables.Checkpoint: "the working memory of runs, which holds what is right",
    SpendingDay: "what a day has cost, kept for two days",
    SpendingTicket: "what is held for calls that are going",
}

_users, _branches, _nodes = table_of(tables.User), table_of(tables.Branch), table_of(tables.Node)
_assessments, _sessions, _runs = (
    table_of(tables.Assessment),
    table_of(tables.ChatSession),
    table_of(run_tables.Run),
)
_WHOSE: Mapping[type[Row], tuple[str, Table]] = {  # by the column that says to what else of the learner's it belongs
    tables.Edge: ("source_node_id", _nodes),
    tables.Document: ("node_id", _nodes),
    tables.NodeContent: ("node_id", _nodes),
    tables.NodeGeneration: ("node_id", _nodes),
    tables.Question: ("assessment_id", _assessments),
    tables.Drawing: ("session_id", _sessions),
    run_tables.RunEvent: ("root_id", _runs),
}
GIVEN_OUT: tuple[type[Row], ...] = (
    tables.User,
    tables.Branch,
    tables.Node,
    tables.Edge,
    tables.Document,
    tables.NodeContent,
    tables.NodeGeneration,
    tables.Assessment,
    tables.Question,
    tables.Answer,
    tables.Progress,
    tables.ChatSession,
    tables.ChatMessage,
    tables.HintEvent,
    tables.Drawing,
    tables.Memory,
    tables.Concern,
    run_tables.Run,
    run_tables.RunEvent,
    run_tables.GraphOperation,
)


def belongings(connection: Connection, user_id: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each table by its name, with the learner's rows in the order of creation."""
    for model in GIVEN_OUT:
        table = table_of(model)
        columns = [one for one in table.c if one.name not in ("creation", *WITHHELD.get(model, ()))]
        order = [table.c.creation] if "creation" in table.c else list(table.primary_key)
        wanted = select(*columns).where(_is_of(model, table, user_id)).order_by(*order)
        yield table.name, [_legible(row) for row in connection.execute(wanted).mappings()]


def _is_of(model: type[Row], table: Table, user_id: str) -> ColumnElement[bool]:
    if model is tables.User:
        return table.c.id == user_id
    if "user_id" in table.c:
        return table.c.user_id == user_id
    column, owned = _WHOSE[model]
    return table.c[column].in_(select(owned.c.id).where(owned.c.user_id == user_id))


def _legible(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: wire_time(value) if isinstance(value, datetime) else value for name, value in row.items()}
