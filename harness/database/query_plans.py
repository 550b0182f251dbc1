"""Plans of the statements that servers send to PostgreSQL, as its auto_explain reports them to their connections."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

from sprout.store.engine.urls import libpq_url
from sprout.store.schema.partitions import EVENTS, is_partition

SETTINGS = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
    "auto_explain.log_nested_statements": "on",  # of functions, and the checks of references
    "jit": "off",  # it would compile whatever reads a table that has no index, however small
}
OF_SMALL_TABLES = {"enable_seqscan": "off"}
BLOCKS = ("Shared Hit Blocks", "Shared Read Blocks", "Temp Read Blocks", "Temp Written Blocks")

_LIST = re.compile(r"\(\s*(?:\$\d+(?:::\w+)?\s*,\s*)+\$\d+(?:::\w+)?\s*\)")


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """The execution of a statement.

    Args:
        statement: with `(…)` for a list of values, whose length depends on what is asked.
        blocks: pages of 8 KiB that it has read or written, in memory or on the disk.
        scanned: tables that it has read from end to end.
        partitions: of the event log, those that it has looked into.
    """

    statement: str
    blocks: int
    scanned: frozenset[str]
    partitions: frozenset[str]


def explain_all(url: str, *, small: bool = False) -> None:
    """Have PostgreSQL report the plan of every statement to the connections that are made from now on.

    Args:
        small: whether its tables are so small that it would read them from end to end although they have an index.

    Raises psycopg.errors.InsufficientPrivilege: the user is no superuser.
    """
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        database = sql.Identifier(connection.info.dbname)
        for name, value in (SETTINGS | OF_SMALL_TABLES if small else SETTINGS).items():
            setting = sql.SQL(".").join(map(sql.Identifier, name.split(".")))
            connection.execute(sql.SQL("alter database {} set {} = {}").format(database, setting, sql.Literal(value)))


@contextmanager
def collect_plans(url: str) -> Iterator[list[StatementPlan]]:
    """The plans of what this process asks this database through SQLAlchemy, over connections that the block makes."""
    found: list[StatementPlan] = []
    name = psycopg.conninfo.conninfo_to_dict(libpq_url(url))["dbname"]

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        _, mark, plan = (notice.message_primary or "").partition("plan:\n")
        if mark:
            found.append(_read_plan(json.loads(plan)))

    def note(connection: Any, _record: object) -> None:
        connection = getattr(connection, "driver_connection", connection)
        if isinstance(connection, psycopg.AsyncConnection | psycopg.Connection) and connection.info.dbname == name:
            connection.add_notice_handler(hear)

    event.listen(Engine, "connect", note)
    try:
        yield found
    finally:
        event.remove(Engine, "connect", note)


def _read_plan(report: Mapping[str, Any]) -> StatementPlan:
    plan = report["Plan"]
    nodes = [node for node in _nodes(plan) if node["Actual Loops"]]
    return StatementPlan(
        " ".join(_LIST.sub("(…)", report["Query Text"]).split()),
        sum(plan.get(kind, 0) for kind in BLOCKS),
        frozenset(_table_of(node) for node in nodes if node["Node Type"] == "Seq Scan"),
        frozenset(node["Relation Name"] for node in nodes if is_partition(node.get("Relation Name"))),
    )


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


def _table_of(node: Mapping[str, Any]) -> str:
    name = str(node["Relation Name"])
    return EVENTS if is_partition(name) else name
