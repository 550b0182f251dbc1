"""User data: which tables and columns belong to a learner and are exported, and which are not, and why."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, select

from sprout.events import wire_time
from sprout.store.assessment.question_tests import gather_tests, with_tests
from sprout.store.schema import (
    account_tables,
    class_tables,
    desk_tables,
    placement_tables,
    record_tables,
    review_tables,
    run_tables,
    sign_in_tables,
    tables,
)
from sprout.store.schema.budget_tables import BudgetDay, BudgetReservation
from sprout.store.schema.columns import TableModel, table_of
from sprout.store.schema.model_tables import ModelProbeTable

# Columns with keys of questions, which may be asked again, with what proves who signs in, or with internal state.
WITHHELD_COLUMNS: Mapping[type[TableModel], tuple[str, ...]] = {
    tables.Node: ("title_key",),
    tables.Document: ("storage_name", "attempts", "claimed_by", "claimed_until"),
    tables.Question: (
        "prompt_key", "correct_option_id", "correct_answer", "criteria", "tolerance", "misconceptions", "anchors",
        "marked_by", "solution", "help", "ladder", "contest",
    ),
    tables.Answer: ("grade",),
    tables.ChatSession: ("plan", "pending_question_id"),
    tables.Drawing: ("data",),
    run_tables.Run: (
        "caps", "owner", "epoch", "approvals", "crashes", "crash_marker", "idle", "cause", "last_seq", "answered",
    ),
    run_tables.GraphOperation: ("removed_rows", "call_id"),
    class_tables.PathCopy: ("origins",),
    record_tables.RecordStore: ("secret", "claimed_by", "claimed_until"),
    desk_tables.DeskDecision: ("before", "decided_by", "cause_id"),
    account_tables.AccountTable: ("name_key", "password_hash", "card_digest"),
    account_tables.AccountSession: ("secret_digest",),
    account_tables.AccessToken: ("secret_digest",),
    account_tables.OneTimeCode: ("secret_digest",),
    sign_in_tables.PasskeyTable: ("credential_id", "public_key", "sign_count", "transports"),
}  # fmt: skip
EXCLUDED_TABLES: Mapping[type[TableModel], str] = {
    tables.Passage: "the text of documents in pieces",
    tables.Citation: "which node teaches from which piece",
    tables.MessageCitation: "which messages teach from which piece",
    tables.Reading: "which questions are about the cited pieces, with sentences that settle them, which hold keys",
    tables.TopicMisconception: "what wrong answers stand for, of questions not asked yet too; yours are in `mix_ups`",
    tables.QuestionTest: "which nodes a question tests: `tests` of the questions",
    run_tables.WorkerLeaseRow: "the processes that execute runs",
    run_tables.IdempotencyKey: "repeated requests",
    run_tables.ToolCall: "the working memory of runs, which holds keys",
    run_tables.CheckpointRow: "the working memory of runs, which holds keys",
    class_tables.Contrast: "what a teacher sent a question about; that it came to you is in `contrast_recipients`",
    sign_in_tables.SignInAttempt: "attempts to sign in, for ten minutes",
    BudgetDay: "the cost of a day, kept for its month and the next",
    BudgetReservation: "reservations of active calls",
    ModelProbeTable: "what the models of this server can do",
}

_users, _branches, _nodes = table_of(tables.User), table_of(tables.Branch), table_of(tables.Node)
_assessments, _sessions, _runs = (
    table_of(tables.Assessment),
    table_of(tables.ChatSession),
    table_of(run_tables.Run),
)
_review_sessions = table_of(review_tables.ReviewSessionRow)
_classes = table_of(class_tables.ClassTable)
_placements = table_of(placement_tables.PlacementRow)
_OWNERS: Mapping[type[TableModel], tuple[str, Table]] = {  # by the column that refers to a table with an owner
    tables.Edge: ("source_node_id", _nodes),
    tables.Document: ("node_id", _nodes),
    tables.NodeContent: ("node_id", _nodes),
    tables.NodeGeneration: ("node_id", _nodes),
    tables.Question: ("assessment_id", _assessments),
    tables.Drawing: ("session_id", _sessions),
    run_tables.RunEvent: ("root_id", _runs),
    review_tables.ReviewItem: ("session_id", _review_sessions),
    class_tables.GivenPath: ("class_id", _classes),
    record_tables.RecordStore: ("class_id", _classes),
    placement_tables.PlacementItem: ("placement_id", _placements),
    placement_tables.PlacementFinding: ("placement_id", _placements),
}
EXPORTED_TABLES: tuple[type[TableModel], ...] = (
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
    review_tables.ReviewCard,
    review_tables.ReviewEntry,
    review_tables.ReviewSessionRow,
    review_tables.ReviewItem,
    review_tables.ReviewSettingsRow,
    placement_tables.PlacementRow,
    placement_tables.PlacementItem,
    placement_tables.PlacementFinding,
    run_tables.Run,
    run_tables.RunEvent,
    run_tables.GraphOperation,
    account_tables.AccountTable,
    class_tables.ClassTable,
    class_tables.ClassMember,
    class_tables.GivenPath,
    class_tables.PathCopy,
    desk_tables.DeskDecision,
    desk_tables.SharedLesson,
    class_tables.ContrastRecipient,
    record_tables.RecordStore,
    record_tables.SentStatement,
    account_tables.AccountSession,
    account_tables.AccessToken,
    account_tables.OneTimeCode,
    sign_in_tables.PasskeyTable,
    sign_in_tables.LinkedIdentityTable,
    account_tables.SecurityEvent,
)


def user_rows(connection: Connection, user_id: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each table by its name, with the learner's rows in the order of creation."""
    for model in EXPORTED_TABLES:
        table = table_of(model)
        columns = [one for one in table.c if one.name not in ("creation", *WITHHELD_COLUMNS.get(model, ()))]
        order = [table.c.creation] if "creation" in table.c else list(table.primary_key)
        wanted = select(*columns).where(_belongs_to(model, table, user_id)).order_by(*order)
        if model is tables.Question:
            yield table.name, _questions(connection, wanted)
        else:
            yield table.name, [_jsonable(row) for row in connection.execute(wanted).mappings()]


def _belongs_to(model: type[TableModel], table: Table, user_id: str) -> ColumnElement[bool]:
    if model is tables.User:
        return table.c.id == user_id
    if "user_id" in table.c:
        return table.c.user_id == user_id
    column, owned = _OWNERS[model]
    return table.c[column].in_(select(owned.c.id).where(owned.c.user_id == user_id))


def _questions(connection: Connection, wanted: Select[Any]) -> list[dict[str, Any]]:
    """The questions, with the nodes that each tests before its difficulty."""
    names = list(wanted.selected_columns.keys())
    place = names.index("difficulty")
    found = []
    for row, tests in gather_tests(connection.execute(with_tests(wanted))):
        values = _jsonable(row._mapping)
        values["tests"] = [{"title": test.title, "nodeId": test.node_id} for test in tests]
        found.append({name: values[name] for name in (*names[:place], "tests", *names[place:])})
    return found


def _jsonable(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: wire_time(value) if isinstance(value, datetime) else value for name, value in row.items()}
