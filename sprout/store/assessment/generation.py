"""Generation of a concept's questions: the run that is still making them."""

from sqlalchemy import Connection, bindparam, select

from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import UNFINISHED, Run

MAKERS = ("subconcept", "refinement")  # agents that make a concept's questions, themselves or through a child run

_runs, _progress = table_of(Run), table_of(tables.Progress)
_IS_GENERATED = (
    select(_progress.c.id)
    .where(_progress.c.user_id == _runs.c.user_id, _progress.c.node_id == _runs.c.node_id)
    .where(_progress.c.has_generated_subnodes)
    .exists()
)
_MAKING = (
    select(_runs.c.id)
    .where(_runs.c.user_id == bindparam("user"), _runs.c.node_id == bindparam("concept"))
    .where(_runs.c.agent.in_(MAKERS), _runs.c.state.in_(UNFINISHED), ~_IS_GENERATED)
    .order_by(_runs.c.creation.desc())
    .limit(1)
)


_INTERRUPTED = (
    select(_runs.c.id)
    .where(_runs.c.user_id == bindparam("user"), _runs.c.node_id == bindparam("concept"))
    .where(_runs.c.agent == "subconcept", ~_IS_GENERATED)
    .limit(1)
)


def was_interrupted(connection: Connection, concept_id: str, user_id: str) -> bool:
    """Whether a run has begun to make the concept's questions, and none has made them all."""
    return connection.scalar(_INTERRUPTED, {"concept": concept_id, "user": user_id}) is not None


def generating_run(connection: Connection, concept_id: str, user_id: str) -> str | None:
    """The newest run that is making the questions of a concept; None while none does, and once they are complete."""
    return connection.scalar(_MAKING, {"concept": concept_id, "user": user_id})
