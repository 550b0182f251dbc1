"""Details of facts: what their nodes are called and are copies of, and who did it, looked up for many at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from sprout.learning.xapi.facts import Fact, Kind, Place, Verb
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import GivenPath, PathCopy
from sprout.store.schema.columns import table_of

_nodes, _branches, _accounts = table_of(tables.Node), table_of(tables.Branch), table_of(AccountTable)
_given, _copies = table_of(GivenPath), table_of(PathCopy)
_KINDS: Mapping[str, Kind] = {"concept": "concept", "subconcept": "part"}
IDS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class _Details:
    """What the rows need.

    Args:
        nodes: by their ids: those of the paths, and those that they are copies of.
        origins: copy → the teacher's node, by given path and learner.
        names: display names of the learners.
        titles: of the paths.
        sources: given path → the teacher's path.
    """

    nodes: Mapping[str, Any]
    origins: Mapping[tuple[str, str], Mapping[str, str]]
    names: Mapping[str, str]
    titles: Mapping[str, str]
    sources: Mapping[str, str]


def facts_of(connection: Connection, rows: Sequence[Row[Any]], of_class: Place | None) -> list[Fact]:
    """The facts of the rows, in their order."""
    found = _details(connection, rows)
    return [_fact(row, found, of_class) for row in rows]


def _details(connection: Connection, rows: Sequence[Row[Any]]) -> _Details:
    given_ids, users = {row.given_id for row in rows} - {None}, {row.user_id for row in rows}
    sources = dict(_find(connection, given_ids, _given.c.id, _given.c.branch_id))
    origins = _origins(connection, given_ids, users) if given_ids else {}
    return _Details(
        nodes=_nodes_of(connection, rows, origins),
        origins=origins,
        names=dict(_find(connection, users, _accounts.c.user_id, _accounts.c.display_name)),
        titles=dict(
            _find(
                connection,
                {sources.get(row.given_id, row.branch_id) for row in rows},
                _branches.c.id,
                _branches.c.title,
            )
        ),
        sources=sources,
    )


def _nodes_of(
    connection: Connection, rows: Sequence[Row[Any]], origins: Mapping[tuple[str, str], Mapping[str, str]]
) -> Mapping[str, Any]:
    """The nodes of the rows, the concepts around them, and what these are copies of."""
    columns = (_nodes.c.id, _nodes.c.type, _nodes.c.parent_id, _nodes.c.title)
    found = {one.id: one for one in _find(connection, {row.node_id for row in rows} - {None}, *columns)}
    around = {one.parent_id for one in found.values()} - found.keys() - {None}
    found |= {one.id: one for one in _find(connection, around, *columns)}
    taught = {origin for of_copy in origins.values() for copy, origin in of_copy.items() if copy in found}
    return found | {one.id: one for one in _find(connection, taught, *columns)}


def _find(connection: Connection, ids: Iterable[str], key: Any, *columns: Any) -> list[Any]:
    """The columns of the rows with these ids, the key first."""
    wanted, found = sorted(ids), list[Any]()
    for start in range(0, len(wanted), IDS_AT_ONCE):
        found += connection.execute(select(key, *columns).where(key.in_(wanted[start : start + IDS_AT_ONCE])))
    return found


def _origins(
    connection: Connection, given_ids: Iterable[str], users: Iterable[str]
) -> Mapping[tuple[str, str], Mapping[str, str]]:
    wanted = select(_copies.c.given_id, _copies.c.user_id, _copies.c.origins).where(
        _copies.c.given_id.in_(sorted(given_ids)), _copies.c.user_id.in_(sorted(users))
    )
    return {
        (given_id, user_id): {copy[0]: origin for origin, copy in origins.items()}
        for given_id, user_id, origins in connection.execute(wanted)
    }


def _fact(row: Row[Any], found: _Details, of_class: Place | None) -> Fact:
    path_id = found.sources.get(row.given_id, row.branch_id)
    path = Place(path_id, found.titles.get(path_id, ""))
    kind, object_, concept = _object(row, found, path)
    return Fact(
        verb=Verb(row.verb),
        source_id=row.source_id,
        at=row.at,
        user_id=row.user_id,
        display_name=found.names.get(row.user_id),
        kind=kind,
        object_id=object_.id,
        title=object_.title,
        path=path,
        concept=concept,
        of_class=of_class,
        score=row.score,
        success=True if row.success is None and row.verb == Verb.MASTERED else row.success,
        seconds=row.seconds,
        marking=row.marking,
    )


def _object(row: Row[Any], found: _Details, path: Place) -> tuple[Kind, Place, Place | None]:
    """What the fact is about, and the concept around it."""
    if row.question_id is not None:
        return "question", Place(row.question_id, ""), _concept(row, found)
    if row.node_id is None:
        return "path", path, None
    kind = _KINDS[found.nodes[row.node_id].type]
    return kind, _place(row.node_id, row, found), _concept(row, found) if kind == "part" else None


def _concept(row: Row[Any], found: _Details) -> Place | None:
    """The concept that a question or a part belongs to; None where it is gone."""
    node = found.nodes.get(row.node_id or "")
    if node is None or node.type == "root":
        return None
    return _place(node.id if node.type == "concept" else node.parent_id, row, found)


def _place(node_id: str, row: Row[Any], found: _Details) -> Place:
    """A node as a class knows it: the teacher's. What a learner's copy alone has is not named to a class."""
    if row.given_id is None:
        return Place(node_id, found.nodes[node_id].title)
    origin = found.nodes.get(found.origins.get((row.given_id, row.user_id), {}).get(node_id, ""))
    return Place(node_id, "") if origin is None else Place(origin.id, origin.title)
