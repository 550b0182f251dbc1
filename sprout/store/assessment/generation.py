"""Generation of a concept's questions: the run that makes them, or broke off."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, or_, select

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
_goes_on = _runs.c.state.in_(UNFINISHED)
_MAKING = (
    select(_runs.c.id, _goes_on.label("goes_on"))
    .where(_runs.c.user_id == bindparam("user"), _runs.c.node_id == bindparam("concept"))
    .where(~_IS_GENERATED, or_(_goes_on & _runs.c.agent.in_(MAKERS), _runs.c.agent == "subconcept"))
    .order_by(_goes_on.desc(), _runs.c.creation.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class QuestionMaking:
    """The newest run that makes the questions of a concept which are not complete; `goes_on` unless it broke off."""

    run_id: str
    goes_on: bool


def question_making(connection: Connection, concept_id: str, user_id: str) -> QuestionMaking | None:
    """The making of a concept's questions; None where none was begun, and once they are complete."""
    row = connection.execute(_MAKING, {"concept": concept_id, "user": user_id}).first()
    return None if row is None else QuestionMaking(row.id, bool(row.goes_on))
