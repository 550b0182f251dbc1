"""Places of nodes on the map: a column of their branch."""

from collections.abc import Collection, Mapping

from pydantic import TypeAdapter
from sqlmodel import select

from sprout.learning.paths.repository import Place
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import tables

_PLACES = TypeAdapter(dict[str, Place])


def places_of(branch: tables.Branch, nodes: Collection[str]) -> dict[str, Place]:
    """The places of those nodes that were given one."""
    return {node: place for node, place in _PLACES.validate_python(branch.places or {}).items() if node in nodes}


def keep_places(tx: WriteTransaction, branch_id: str, places: Mapping[str, Place], user_id: str) -> None:
    """Add the places to the branch; those of nodes that are gone are dropped."""
    branch = owned_branch(tx.session, branch_id, user_id, lock=True)
    nodes = set(tx.session.exec(select(tables.Node.id).where(tables.Node.branch_id == branch_id)))
    given = {node: place for node, place in places.items() if node in nodes}
    branch.places = _PLACES.dump_python(places_of(branch, nodes) | given, mode="json")
