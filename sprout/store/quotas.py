"""How much one learner may keep: a row for each thing that is counted, and the one refusal of what is too much."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, select

from sprout.errors import TooLarge, TooMany
from sprout.store import run_tables, tables
from sprout.store.columns import table_of
from sprout.store.run_tables import UNFINISHED
from sprout.store.write import Write

OPTION = "sprout_quotas"  # of the engine that writes
SOON_S = 10.0

_branches, _nodes, _documents = table_of(tables.Branch), table_of(tables.Node), table_of(tables.Document)
_sessions, _drawings, _runs = table_of(tables.ChatSession), table_of(tables.Drawing), table_of(run_tables.Run)


@dataclass(frozen=True, slots=True)
class Quotas:
    """How much there may be; None is without limit. Bytes are those of files and drawings, in all of a learner."""

    paths: int | None = None
    nodes_per_path: int | None = None
    documents_per_topic: int | None = None
    stored_bytes: int | None = None
    runs_at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """One thing that is counted.

    Args:
        counted: how much of it there is of one branch, node or learner.
        says: what to do, with the limit as `{most}`.
        passes: whether it is less again by itself after a while.
        exactly: whether what is added at the same moment elsewhere is waited for, so that it counts too.
    """

    counted: Select[Any]
    says: str
    passes: bool = False
    exactly: bool = True


_OF: BindParameter[Any] = bindparam("of")
_bytes_of_files = (
    select(func.coalesce(func.sum(_documents.c.file_size_bytes), 0))
    .join(_nodes, _nodes.c.id == _documents.c.node_id)
    .where(_nodes.c.user_id == _OF)
    .scalar_subquery()
)
_bytes_of_drawings = (
    select(func.coalesce(func.sum(func.length(_drawings.c.data)), 0))
    .join(_sessions, _sessions.c.id == _drawings.c.session_id)
    .where(_sessions.c.user_id == _OF)
    .scalar_subquery()
)
QUOTAS = {
    "paths": Quota(
        select(func.count()).select_from(_branches).where(_branches.c.user_id == _OF),
        "You have {most} paths, and more are not kept. Delete one that you do not need any more.",
    ),
    "nodes_per_path": Quota(
        select(func.count()).select_from(_nodes).where(_nodes.c.branch_id == _OF),
        "A path may have {most} nodes. Remove some, or begin another path.",
        exactly=False,  # its transactions hold rows of nodes by then: to wait would be to wait for each other
    ),
    "documents_per_topic": Quota(
        select(func.count()).select_from(_documents).where(_documents.c.node_id == _OF),
        "A topic may have {most} documents. Delete one first, or put several into one file.",
    ),
    "stored_bytes": Quota(
        select(_bytes_of_files + _bytes_of_drawings),
        "Your documents and drawings may have {most} bytes in all. Delete documents or paths first.",
    ),
    "runs_at_once": Quota(
        select(func.count())
        .select_from(_runs)
        .where(_runs.c.user_id == _OF, _runs.c.state.in_(UNFINISHED), _runs.c.parent_id.is_(None)),
        "{most} runs are going or waiting already. Stop some, or try again once some have ended.",
        passes=True,
    ),
}


def quotas_of(connection: Connection) -> Quotas:
    """Those that the database was opened with."""
    quotas: Quotas = connection.get_execution_options().get(OPTION, _WITHOUT)
    return quotas


_WITHOUT = Quotas()


def refuse_over(write: Write, name: str, of: str | None, *, adding: int = 1) -> None:
    """Raises TooLarge, or TooMany where there is room again by itself: this much more is not kept.

    Args:
        name: one of `QUOTAS`.
        of: the id of the branch, node or learner that it is counted of; nothing is refused where there is none.
    """
    most: int | None = getattr(quotas_of(write.connection), name)
    if most is None or of is None or not adding:
        return
    quota = QUOTAS[name]
    if quota.exactly:
        write.lock(f"quota:{name}:{of}")
    if write.connection.execute(quota.counted, {"of": of}).scalar_one() + adding > most:
        text = quota.says.format(most=f"{most:,}")
        raise TooMany(text, retry_after_s=SOON_S) if quota.passes else TooLarge(text)
