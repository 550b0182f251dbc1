"""Rows of release 0.1: its tables are set aside while those of later versions are made, then copied into them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, MetaData, Table, func, insert, inspect, select, text, update

from sprout.store.schema.partitions import is_partition

ASIDE = "release_0_1"
_ONLY_IN_0_1 = "carriers"
_FULL_TEXT = ("drop trigger passage_words_added", "drop trigger passage_words_gone", "drop table passage_words")
_TABLES = {"budget_days": "spending_days", "budget_reservations": "spending_tickets", "worker_leases": "carriers"}
_COLUMNS = {
    "budget_days": {"reserved_nano_usd": "held_nano_usd", "reserved_tokens": "held_tokens"},
    "budget_reservations": {"attempt_id": "taker", "reserved_at": "taken_at"},
    "graph_operations": {"removed_rows": "lost"},
    "runs": {"crash_marker": "crashed_at", "idle": "resting"},
    "tool_calls": {"text_before": "said", "repeatable": "safe"},
    "topic_documents": {"claimed_by": "reader", "claimed_until": "reader_until"},
}
_NEW = {"question_tests"}  # in 0.1 a column of the questions
_STEPS = frozenset({"wait", "give_help", "work_through", "solved"})  # of the help for a question, that are still there
_HELP_LEVELS = 4


def set_aside(connection: Connection) -> bool:
    """Move the tables of 0.1 out of the way of those to be made; whether there were any."""
    if not inspect(connection).has_table(_ONLY_IN_0_1):
        return False
    on_server = connection.dialect.name == "postgresql"
    for statement in (f"create schema {ASIDE}",) if on_server else _FULL_TEXT:
        connection.execute(text(statement))
    for name in inspect(connection).get_table_names():
        if name == "alembic_version":
            continue
        if on_server:
            connection.execute(text(f'alter table "{name}" set schema {ASIDE}'))
            continue
        for index in inspect(connection).get_indexes(name):  # in a file their names are those of all tables
            connection.execute(text(f'drop index "{index["name"]}"'))
        connection.execute(text(f'alter table "{name}" rename to "{ASIDE}_{name}"'))
    return True


def copy_rows(connection: Connection) -> None:
    """Copy every row that was set aside into the tables of today's names, and drop what was set aside."""
    made = MetaData()
    made.reflect(connection)
    for table in made.sorted_tables:
        if table.name == "alembic_version" or is_partition(table.name) or table.name.startswith(ASIDE):
            continue
        if "passage_words" not in table.name and table.name not in _NEW:
            _copy(connection, table)
    _split_tests(connection, made)
    _complete_events(connection, made.tables["run_events"])
    _rewrite_ladders(connection, made.tables["questions"])
    _drop(connection)


def _copy(connection: Connection, table: Table) -> None:
    old, renamed = _set_aside_table(connection, _TABLES.get(table.name, table.name)), _COLUMNS.get(table.name, {})
    pairs = [(one.name, renamed.get(one.name, one.name)) for one in table.columns]
    known = [(new, old.c[name]) for new, name in pairs if name in old.c]
    rows = select(*(column for _, column in known)).order_by(*old.primary_key)
    connection.execute(insert(table).from_select([new for new, _ in known], rows))
    if connection.dialect.name == "postgresql" and "creation" in table.c:
        last = select(func.max(table.c.creation)).scalar_subquery()
        connection.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "creation"), last)))


def _split_tests(connection: Connection, made: MetaData) -> None:
    """The tests of each question: a list in its row before, a row each now, and with the change for a removed node."""
    questions = _set_aside_table(connection, "questions")
    nodes = set(connection.execute(select(made.tables["nodes"].c.id)).scalars())
    rows = [
        {"question_id": question_id, "position": position, "title": test["title"], "node_id": test["nodeId"]}
        for question_id, tests in connection.execute(select(questions.c.id, questions.c.tests))
        for position, test in enumerate(tests or ())
    ]
    if rows:
        there = [row if row["node_id"] in nodes else {**row, "node_id": None} for row in rows]
        connection.execute(insert(made.tables["question_tests"]), there)
    gone = [row for row in rows if row["node_id"] not in nodes]
    _complete_removed_rows(connection, made.tables["graph_operations"], gone)


def _complete_removed_rows(connection: Connection, changes: Table, tests: Sequence[Mapping[str, Any]]) -> None:
    """An undo restores which questions test the nodes, and whole rows of progress, which have one column more."""
    for creation, removed in connection.execute(select(changes.c.creation, changes.c.removed_rows)).all():
        if nodes := {node["id"] for node in removed.get("nodes", ())}:
            more = {
                "progress": [{**row, "mastered_at": None} for row in removed["progress"]],
                "tests": [row for row in tests if row["node_id"] in nodes],
            }
            this = update(changes).where(changes.c.creation == creation)
            connection.execute(this.values(removed_rows={**removed, **more}))


def _complete_events(connection: Connection, events: Table) -> None:
    """In 0.1 a change of mastery does not say `mastered`, which needs a later day than `completed`."""
    found = select(events.c.root_id, events.c.seq, events.c.data).where(events.c.kind == "mastery_changed")
    for root_id, seq, data in connection.execute(found).all():
        complete = json.dumps({**json.loads(data), "mastered": False}, ensure_ascii=False, separators=(",", ":"))
        this = update(events).where(events.c.root_id == root_id, events.c.seq == seq)
        connection.execute(this.values(data=complete))


def _rewrite_ladders(connection: Connection, questions: Table) -> None:
    """The help for a question of a lesson: its smaller question is gone, and so are the steps that want a try first."""
    found = select(questions.c.creation, questions.c.ladder, questions.c.help).where(questions.c.ladder.is_not(None))
    for creation, ladder, help_ in connection.execute(found).all():
        if ladder:
            step = ladder["step"] if ladder["step"] in _STEPS else "wait"
            kept = {name: ladder[name] for name in ("level", "attempts", "counted")}
            values = {"ladder": {**kept, "unmarked": 0, "step": step}, "help": help_ and help_[:_HELP_LEVELS]}
            connection.execute(update(questions).where(questions.c.creation == creation).values(values))


def _set_aside_table(connection: Connection, name: str) -> Table:
    if connection.dialect.name == "postgresql":
        return Table(name, MetaData(schema=ASIDE), autoload_with=connection)
    return Table(f"{ASIDE}_{name}", MetaData(), autoload_with=connection)


def _drop(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"drop schema {ASIDE} cascade"))
        return
    for name in inspect(connection).get_table_names():
        if name.startswith(ASIDE):
            connection.execute(text(f'drop table "{name}"'))
