"""Adaptation rules: evidence for a change of the path, limits of change, faults of the result."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from sprout.errors import InvalidGraphEdit, NoChangeNeeded
from sprout.events import EdgeCreated, EdgeEnds, EdgeRemoved, GraphEvent, NodeRow
from sprout.learning.graph.changes import Change, UndoRefused, undo_edit
from sprout.learning.graph.graph import ConceptGraph, Edit, apply, title_key
from sprout.learning.graph.traversal import reachable
from sprout.learning.mastery.adaptation import AnsweredQuestion, NodeProgress

MAX_CHANGES = 3
MAX_ADDED = 2
MAX_OPEN = 12
MAX_REPAIRS = 6
MIN_EVIDENCE = 2
MIN_GRADED = 3
MIN_HARD_DIFFICULTY = 3
MIN_CHOICES = 3  # right ones alone, for a removal: a guesser has two of two once in sixteen times
MAX_REASON_WORDS = 30

Fault = tuple[str, ...]


def check_reason(reason: str) -> str:
    """The reason on one line. Raises InvalidGraphEdit: it is too long to be read in passing, or empty."""
    words = reason.split()
    if not words:
        raise InvalidGraphEdit('Say why in the learner\'s terms, as in "Added because in two answers …".')
    if len(words) > MAX_REASON_WORDS:
        raise InvalidGraphEdit(
            f"The reason has {len(words)} words: say it to the learner in at most {MAX_REASON_WORDS}, evidence first."
        )
    return " ".join(words)


def cite(
    items: Sequence[AnsweredQuestion], answer_ids: Sequence[str], changes: Iterable[Change]
) -> list[AnsweredQuestion]:
    """The answers that a change goes by. Raises InvalidGraphEdit: too few, unknown, no evidence, or used for another.

    Args:
        items: the learner's answers about the concept.
        changes: what was changed before.
    """
    found = _resolve(items, answer_ids, changes)
    for item in found:
        if item.unusable_reason is not None:
            raise InvalidGraphEdit(
                f"The answer {item.answer_id} is no evidence: {item.unusable_reason}. Leave the map as it is."
            )
    return found


def require_gap(cited_items: Sequence[AnsweredQuestion], items: Sequence[AnsweredQuestion] = ()) -> None:
    """Raises InvalidGraphEdit unless these misses show a gap: in two subconcepts, or by one misconception in all.

    Args:
        items: everything that was answered: options that were clicked by one who writes nothing may be guesses.
    """
    if any(item.right for item in cited_items):
        raise InvalidGraphEdit("An answer that was right shows no gap: cite the ones that were missed, or add nothing.")
    tested = {node_id for item in cited_items for node_id in item.tests}
    shared = frozenset.intersection(*(frozenset(item.misconceptions) for item in cited_items))
    written = [item for item in items if not item.choice]
    if written and all(item.blank for item in written):
        raise InvalidGraphEdit("Options were picked and nothing was written, which may be guessing: add nothing.")
    if len(tested) < 2 and not shared:
        raise InvalidGraphEdit(
            "These answers miss one subconcept and what it rests on is firm: the tutor will teach it, add nothing."
        )


def require_all_right(cited_items: Sequence[AnsweredQuestion]) -> None:
    """Raises InvalidGraphEdit unless all of these were right."""
    if not all(item.right for item in cited_items):
        raise InvalidGraphEdit("What leads on needs answers that were right without help: cite those, or add nothing.")


def blank_evidence(
    items: Sequence[AnsweredQuestion], answer_ids: Sequence[str], changes: Iterable[Change], *, is_entry: bool
) -> list[AnsweredQuestion] | None:
    """The blank answers that an easier entry goes by; None unless all answers are blank, and an entry is added.

    Raises InvalidGraphEdit as `cite` does.
    """
    if not is_entry or len(items) < MIN_GRADED or not all(item.blank and not item.contested for item in items):
        return None
    return _resolve(items, answer_ids, changes)


def check_removal(
    graph: ConceptGraph,
    node: NodeRow,
    cited_items: Sequence[AnsweredQuestion],
    known: Mapping[str, NodeProgress],
    changes: list[Change],
) -> None:
    """Raises InvalidGraphEdit unless the answers show that the learner does not need the node, and it may go."""
    title, state = f"'{node.title}'", known.get(node.id, NodeProgress())
    if state.started:
        raise InvalidGraphEdit(f"The learner has begun {title} already: leave that in place.")
    if node.id in closing_nodes(graph):
        raise InvalidGraphEdit(f"{title} brings the others together at the end: leave it in place.")
    for item in cited_items:
        if node.id not in item.tests:
            raise InvalidGraphEdit(
                f"The answer {item.answer_id} is not about {title}: cite answers to questions about it."
            )
        if not item.right or item.difficulty < MIN_HARD_DIFFICULTY:
            raise InvalidGraphEdit(
                f"Only right answers to questions of difficulty {MIN_HARD_DIFFICULTY} or more show that {title} is "
                "not needed."
            )
    if not state.learned:
        raise InvalidGraphEdit(f"The answers do not show that {title} is learned: leave it in place.")
    if all(item.choice for item in cited_items) and len(cited_items) < MIN_CHOICES:
        raise InvalidGraphEdit(
            f"Two lucky choices would look the same: cite {MIN_CHOICES} of them, or an answer in the learner's own "
            f"words, or leave {title} in place."
        )
    if any(node.id in change.removed for change in undone_by_learner(changes)):
        raise InvalidGraphEdit(f"The learner has brought {title} back before: leave it in place.")


def check_addition(graph: ConceptGraph, title: str, before: Collection[str], changes: Sequence[Change]) -> None:
    """Raises NoChangeNeeded: it is there already. InvalidGraphEdit: the learner has rejected this title before, or an
    addition at this place."""
    if graph.has_title(title):
        raise NoChangeNeeded(f"There already is '{title}' here: nothing has to be added.")
    unwanted = undone_by_learner(changes)
    mine = {node.id for change in changes if change.run_id is not None for node in change.after.nodes}
    deleted = [
        node
        for change in changes
        if change.run_id is None and change.undoes is None
        for node in change.before.nodes
        if node.id in change.removed and node.id in mine
    ]
    titles = {title_key(node.title) for change in unwanted for node in change.after.nodes if node.id in change.added}
    if title_key(title) in titles | {title_key(node.title) for node in deleted}:
        raise InvalidGraphEdit(f"The learner has taken '{title}' out before: do not add it again.")
    places = {edge.target_node_id for change in unwanted if change.added for edge in change.after.edges}
    if again := places & set(before):
        blocked = graph.node(next(iter(again))).title
        raise InvalidGraphEdit(f"The learner has taken out what was added before '{blocked}': add nothing there.")


def check_limits(
    changes: Sequence[Change],
    run_id: str,
    *,
    adds: bool,
    open_count: int,
    max_changes: int = MAX_CHANGES,
    max_added: int | None = MAX_ADDED,
) -> None:
    """Raises NoChangeNeeded where the run has changed enough, or the learner would face too much.

    Args:
        changes: of everything that the run may change.
        open_count: how many siblings the learner has not learned.
        max_added: additions by all runs that have not been undone; None for no limit beside the run's.
    """
    stand = [change for change in changes if change.undone_at is None and change.undoes is None]
    if sum(bool(change.added or change.removed) for change in stand if change.run_id == run_id) >= max_changes:
        raise NoChangeNeeded(f"This run has made {max_changes} changes, which is all it may: close now.")
    if not adds:
        return
    added = sum(bool(change.added and change.evidence) for change in stand if change.run_id is not None)
    if max_added is not None and added >= max_added:
        raise NoChangeNeeded(f"{max_added} additions are all that there may be here: add nothing more.")
    if open_count >= MAX_OPEN:
        raise NoChangeNeeded(f"{open_count} are still open, and {MAX_OPEN} are enough: add nothing.")


def check_repair_limit(changes: Sequence[Change], run_id: str) -> None:
    """Raises NoChangeNeeded where the run has moved enough edges by hand."""
    moved = [one for one in changes if one.run_id == run_id and not one.added | one.removed and one.undoes is None]
    if len(moved) >= MAX_REPAIRS:
        raise NoChangeNeeded(f"{MAX_REPAIRS} edges were changed by hand, which is all a run may: close now.")


def undone_by_learner(changes: Sequence[Change]) -> list[Change]:
    """The agents' changes that the learner has undone."""
    by_learner = {change.undoes for change in changes if change.run_id is None and change.undone_at is None}
    return [change for change in changes if change.run_id is not None and change.id in by_learner]


def closing_nodes(graph: ConceptGraph) -> frozenset[str]:
    """Of the nodes on which nothing builds those that rest on the most; where nothing rests on anything, none."""
    back = [(edge.target_node_id, edge.source_node_id) for edge in graph.edges]
    resting = {node.id: len(reachable(back, [node.id])) - 1 for node in graph.nodes if not graph.dependents(node.id)}
    most = max(resting.values(), default=0)
    return frozenset(node_id for node_id, count in resting.items() if count == most > 0)


def bridge_edit(
    graph: ConceptGraph,
    title: str,
    desc: str,
    depends_on: Sequence[str],
    unlocks: Sequence[str],
    now: datetime,
    *,
    reason: str,
) -> Edit:
    """A new child between those that it depends on and those that it unlocks, by their titles.

    Edges that it makes needless give way. Raises InvalidGraphEdit: a title is not there, or a cycle would close.
    """
    before = [graph.node_by_title(one).id for one in depends_on]
    after = [graph.node_by_title(one).id for one in unlocks]
    if not before and not after and graph.nodes:
        raise InvalidGraphEdit("Name in depends_on or in unlocks what is there already: alone it cannot be reached.")
    added = graph.add(title, desc, now, reason=reason)
    assert added.node is not None
    whole = added.graph
    for source in before:
        whole = whole.connect(source, added.node.id).graph
    for target in after:
        whole = whole.connect(added.node.id, target).graph
    needless = set(whole.validate().redundant) - set(graph.validate().redundant)
    events: list[GraphEvent] = [*added.events]
    events += [EdgeCreated(edge=edge, reason=reason) for edge in whole.edges if edge not in {*graph.edges, *needless}]
    events += [_edge_removed(edge, reason) for edge in graph.edges if edge in needless]
    return Edit(apply(graph, events), tuple(events), added.node, created=True)


def faults(graph: ConceptGraph) -> dict[Fault, str]:
    """A sentence for everything that is wrong with a graph that a learner should follow."""
    report = graph.validate()
    titles = {node.id: f"'{node.title}'" for node in graph.nodes}

    def joined(edge: EdgeEnds) -> str:
        ends = (edge.source_node_id, edge.target_node_id)
        return " → ".join(titles.get(end, "something that is gone") for end in ends)

    def ends(edge: EdgeEnds) -> Fault:
        return (edge.source_node_id, edge.target_node_id)

    found: dict[Fault, str] = {}
    for circle in report.cycles:
        found["cycle", *sorted(circle)] = f"A circle runs through {', '.join(titles[one] for one in circle)}."
    for node_id in report.orphans:
        found["orphan", node_id] = f"{titles[node_id]} has no edge."
    for node_id in report.unreachable:
        found["unreachable", node_id] = f"Nothing leads to {titles[node_id]}."
    for node_id in report.duplicate_titles:
        found["repeated", node_id] = f"{titles[node_id]} stands there twice."
    for edge in report.dangling:
        found["dangling", *ends(edge)] = f"The edge {joined(edge)} leads out of the map."
    for edge in report.duplicate:
        found["duplicate", *ends(edge)] = f"The edge {joined(edge)} stands twice."
    for edge in report.redundant:
        found["redundant", *ends(edge)] = f"The edge {joined(edge)} is needless: a longer way joins them."
    return found


def new_faults(graph: ConceptGraph, changes: Sequence[Change]) -> list[str]:
    """Faults that the graph did not have before these changes, which are the last ones made, oldest first.

    Empty if the graph was changed since, as these faults cannot be distinguished from others then.
    """
    before = graph
    try:
        for change in reversed(changes):
            before = undo_edit(before, change).graph
    except UndoRefused:
        return []
    old = faults(before)
    return [sentence for fault, sentence in faults(graph).items() if fault not in old]


def changes_of_run(changes: Sequence[Change], run_id: str) -> list[Change]:
    """Changes that a run has made and not undone, oldest first."""
    return [one for one in changes if one.run_id == run_id and one.undoes is None and one.undone_at is None]


def _resolve(
    items: Sequence[AnsweredQuestion], answer_ids: Sequence[str], changes: Iterable[Change]
) -> list[AnsweredQuestion]:
    wanted = list(dict.fromkeys(answer_ids))
    by_id = {item.answer_id: item for item in items}
    for answer_id in wanted:
        if answer_id not in by_id:
            raise InvalidGraphEdit(
                f"{answer_id[:80]!r} is no answer about this concept: cite `evidence` ids of the items."
            )
    if len(wanted) < MIN_EVIDENCE:
        raise InvalidGraphEdit(f"One answer may be a slip: cite at least {MIN_EVIDENCE}, or leave the map as it is.")
    used = _used_evidence(changes)
    for answer_id in wanted:
        if answer_id in used:
            raise InvalidGraphEdit(
                f"The answer {answer_id} has led to a change already: cite others, or change nothing."
            )
    return [by_id[answer_id] for answer_id in wanted]


def _used_evidence(changes: Iterable[Change]) -> set[str]:
    """The evidence of changes, those left out that the run which made them has taken back itself."""
    known = list(changes)
    dropped = {change.undoes for change in known if change.run_id is not None}
    return {answer_id for change in known if change.id not in dropped for answer_id in change.evidence}


def _edge_removed(edge: EdgeEnds, reason: str) -> EdgeRemoved:
    return EdgeRemoved(source_node_id=edge.source_node_id, target_node_id=edge.target_node_id, reason=reason)
