"""Fencing by epoch: each claim of a run raises its epoch, and an author with an older one writes nothing more."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from sprout.errors import NotFound
from sprout.runs.state import Fenced, RunAlreadyEnded, RunState
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import Run

_runs = table_of(Run)
_STATE = select(_runs.c.state, _runs.c.ended_at, _runs.c.epoch).where(_runs.c.id == bindparam("run"))


@dataclass(frozen=True, slots=True)
class Author:
    """The run that events come from, its epoch, and the root run whose log holds them."""

    run_id: str
    root_id: str
    label: str
    epoch: int


def check_fencing(connection: Connection, author: Author) -> None:
    """Raises NotFound, RunAlreadyEnded, Fenced; under the root's lock the check holds until the commit."""
    check_open(connection, author.run_id, author.epoch)


def check_open(connection: Connection, run_id: str, epoch: int | None = None) -> None:
    """Raises NotFound, RunAlreadyEnded, and, where an epoch is given, Fenced."""
    found = connection.execute(_STATE, {"run": run_id}).one_or_none()
    if found is None:
        raise NotFound("run", run_id)
    if found.ended_at is not None:
        raise RunAlreadyEnded(run_id, RunState(found.state))
    if epoch is not None and found.epoch != epoch:
        raise Fenced(run_id)
