"""Next lesson of a path: the part that comes next, why it does, and what it opens."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sprout.events import NodeRow
from sprout.learning.graph.node_states import NodeState, node_states
from sprout.learning.paths.repository import PathGraph, ProgressRow

MAX_NAMED = 3
_TO_LEARN = frozenset({NodeState.READY, NodeState.IN_PROGRESS})
_DONE = frozenset({NodeState.LEARNED, NodeState.MASTERED})


class WhyNext(StrEnum):
    """Why a lesson comes next; `because` of the lesson has the titles that the reason speaks of."""

    STARTED = "started"
    BUILDS_ON = "builds_on"
    FOLLOWS = "follows"
    FIRST = "first"
    IN_ORDER = "in_order"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class NextLesson:
    """The lesson that comes next.

    Args:
        because: titles of what is through, or learned, and leads here; empty where the reason names nothing.
        opens: titles of the next parts, or of the next concepts if this is the last part of its own.
        learned, parts: how many parts of the concept are learned, of how many.
    """

    part: NodeRow
    concept: NodeRow
    why: WhyNext
    because: tuple[str, ...]
    opens: tuple[str, ...]
    learned: int
    parts: int


def next_lesson(
    graph: PathGraph,
    started: Mapping[str, datetime],
    taken: Collection[str] = (),
    *,
    concept_id: str | None = None,
) -> NextLesson | None:
    """The lesson that comes next in a path, or in one of its concepts; None where everything open is learned.

    First the lesson that was left last, then the concept that was worked on last, then the order of the path. A part
    whose lesson came to its end and that is not learned comes again once the others are through.

    Args:
        started: part → when its unfinished lesson was left.
        taken: parts whose lesson came to its end.
    """
    found = _first_lesson(_Levels(graph, started, taken), started, concept_id)
    if found is not None or not taken:
        return found
    again = _first_lesson(_Levels(graph, started), started, concept_id)
    return None if again is None else replace(again, why=WhyNext.AGAIN, because=())


def _first_lesson(levels: "_Levels", started: Mapping[str, datetime], concept_id: str | None) -> NextLesson | None:
    concepts = [one for one in levels.of_type("concept") if concept_id in (None, one.id)]
    candidates = [
        part
        for concept in concepts
        if levels.states[concept.id] is not NodeState.LOCKED
        for part in levels.parts_of(concept.id)
        if levels.states[part.id] in _TO_LEARN
    ]
    if not candidates:
        return None
    left = [part for part in candidates if part.id in started]
    if left:
        part = max(left, key=lambda one: started[one.id])
    else:
        newest = max((levels.worked_on(one.id) for one in concepts), default="")
        part = next(
            (one for one in candidates if newest and levels.worked_on(one.parent_id or "") == newest), candidates[0]
        )
    return levels.lesson_on(part, is_left=bool(left))


class _Levels:
    """The nodes of a path by level, each in learning order, with their states for its learner.

    Args:
        left: parts whose lesson was begun and left: it may be continued, whatever has been put before it since.
        taken: parts that are through as if they were learned; a concept is, once all of its parts are.
    """

    def __init__(self, graph: PathGraph, left: Collection[str], taken: Collection[str] = ()) -> None:
        self._nodes = {node.id: node for node in graph.nodes}
        self._progress = {row.node_id: row for row in graph.progress}
        pairs = [(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
        self._needs, self._opens = _neighbours((end, start) for start, end in pairs), _neighbours(pairs)
        self._order = learning_order([node.id for node in graph.nodes], self._needs)
        self._learned = {row.node_id for row in graph.progress if row.completed_at}
        through = self._learned | {*taken}
        parents = {node.parent_id for node in graph.nodes if node.type == "subconcept"}
        unfinished = {node.parent_id for node in graph.nodes if node.id not in through}
        self.states = node_states(
            self._nodes,
            pairs,
            learned=through | {one for one in parents - unfinished if one is not None},
            mastered=[row.node_id for row in graph.progress if row.mastered_at],
            started={row.node_id for row in graph.progress if _is_started(row)} | self._with_concepts(left),
        )

    def _with_concepts(self, part_ids: Collection[str]) -> set[str]:
        parts = [self._nodes[one] for one in part_ids if one in self._nodes]
        return {part.id for part in parts} | {part.parent_id for part in parts if part.parent_id is not None}

    def of_type(self, kind: str) -> list[NodeRow]:
        return [self._nodes[node_id] for node_id in self._order if self._nodes[node_id].type == kind]

    def parts_of(self, concept_id: str) -> list[NodeRow]:
        return [part for part in self.of_type("subconcept") if part.parent_id == concept_id]

    def worked_on(self, concept_id: str) -> str:
        """The last answer to a part of the concept, as a moment in wire form; empty if none ever was."""
        rows = (self._progress.get(part.id) for part in self.parts_of(concept_id))
        return max((row.updated_at for row in rows if row is not None and row.attempts_count), default="")

    def lesson_on(self, part: NodeRow, *, is_left: bool) -> NextLesson:
        concept = self._nodes[part.parent_id or ""]
        parts = self.parts_of(concept.id)
        done = [one for one in parts if self.states[one.id] in _DONE]
        why, because = self._reason(part, concept, done, is_left=is_left)
        is_last = len(done) == len(parts) - 1
        opens = [one for one in self._opens[concept.id if is_last else part.id] if self.states[one] not in _DONE]
        learned = sum(one.id in self._learned for one in parts)
        return NextLesson(part, concept, why, because, self._titles(opens), learned, len(parts))

    def _reason(
        self, part: NodeRow, concept: NodeRow, done: Sequence[NodeRow], *, is_left: bool
    ) -> tuple[WhyNext, tuple[str, ...]]:
        if is_left:
            return WhyNext.STARTED, ()
        if needs := self._done(self._needs[part.id]):
            return self._reason_of(needs)
        if done:
            return WhyNext.FOLLOWS, (done[-1].title,)
        if needs := self._done(self._needs[concept.id]):
            return self._reason_of(needs)
        is_first = not any(state in _DONE for state in self.states.values())
        return (WhyNext.FIRST if is_first else WhyNext.IN_ORDER), ()

    def _reason_of(self, needs: Collection[str]) -> tuple[WhyNext, tuple[str, ...]]:
        """Reason that names what is through; only what is learned is said to be."""
        return (WhyNext.BUILDS_ON if self._learned.issuperset(needs) else WhyNext.FOLLOWS), self._titles(needs)

    def _done(self, node_ids: Iterable[str]) -> list[str]:
        return [one for one in node_ids if self.states[one] in _DONE]

    def _titles(self, node_ids: Collection[str]) -> tuple[str, ...]:
        return tuple(self._nodes[one].title for one in [*node_ids][:MAX_NAMED])


def _is_started(row: ProgressRow) -> bool:
    return row.attempts_count > 0 or row.mastery_score > 0


def _neighbours(pairs: Iterable[tuple[str, str]]) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for start, end in pairs:
        found[start].append(end)
    return found


def learning_order(node_ids: Sequence[str], needs: Mapping[str, Sequence[str]]) -> list[str]:
    """The order given, but each node behind what it needs: what was put before a node later comes right before it."""
    given, order = {*node_ids}, dict[str, None]()
    for node_id in node_ids:
        above = [node_id]
        while above and node_id not in order:
            open_needs = (one for one in needs.get(above[-1], ()) if one in given and one not in order)
            need = next((one for one in open_needs if one not in above), None)  # else it is of a cycle
            if need is None:
                order[above.pop()] = None
            else:
                above.append(need)
    return list(order)
