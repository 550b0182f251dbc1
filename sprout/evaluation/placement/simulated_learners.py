"""Simulated learners of a placement: what each of them knows of a graph, and how they answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import process_time

from sprout.events import NodeRow
from sprout.learning.graph.graph import title_key
from sprout.learning.placement.knowledge_space import KnowledgeSpace, knowledge_space
from sprout.learning.placement.placement import Asked, Reply, next_step
from sprout.learning.questions.questions import QuestionFormat
from sprout.learning.reviews.items import is_marked_at_once
from sprout.offline.courses.course_format import Course
from sprout.offline.courses.review_items import CourseItems

NODES = range(60, 101)
ITEMS = 3  # different questions about a node
FORMATS: tuple[QuestionFormat, ...] = ("mcq", "numeric")
SLIPS = (0.03, 0.12)  # drawn per learner, and not as the model has them
GUESSES: Mapping[QuestionFormat, tuple[float, float]] = {
    "mcq": (0.2, 0.3),
    "numeric": (0.05, 0.2),
    "open_ended": (0.05, 0.2),
}
GIVES_UP = 0.3  # share of what is not known that is answered "I don't know"
MOST_GOALS = 5
FORGOTTEN = (0.05, 0.15)  # of what was known, drawn per learner
WHOLE_KINDS = ("grown", "goals", "prepared")
KINDS = (*WHOLE_KINDS, "forgetful")


@dataclass(frozen=True, slots=True)
class Placement:
    """Outcome of a placement; shares of the nodes, and the CPU of a question.

    Args:
        beliefs: of each node the probability that it is known, and whether it is.
    """

    kind: str
    right: float
    asked: float
    seconds: float
    beliefs: tuple[tuple[float, bool], ...]


def random_space(drawn: Random) -> KnowledgeSpace:
    """A random graph: how many prerequisites its nodes have, and from how far away, is drawn for each graph."""
    count, mean, reach = drawn.choice(NODES), drawn.uniform(1, 2.5), drawn.randint(5, 40)
    edges = [
        (str(need), str(node))
        for node in range(1, count)
        for need in drawn.sample(
            range(max(0, node - reach), node), min(node, reach, max(0, round(drawn.gauss(mean, 0.8))))
        )
    ]
    return KnowledgeSpace(tuple(map(str, range(count))), tuple(edges))


def random_knowledge(drawn: Random, space: KnowledgeSpace, kind: str) -> set[str]:
    """Knowledge of a learner.

    Args:
        kind: `grown` has learned any number of nodes, one after the other, each of those that were ready; `goals` knows
            a few nodes and all that they rest on; `prepared` knows the same share of what is ready everywhere;
            `forgetful` was one of these and forgot a share of it, so that there are holes below what is known.
    """
    ways = {"grown": _grown, "goals": _towards_goals, "prepared": _prepared, "forgetful": _forgetful}
    return ways[kind](drawn, space)


def _grown(drawn: Random, space: KnowledgeSpace) -> set[str]:
    known: set[str] = set()
    for _ in range(drawn.randint(0, len(space.node_ids))):
        ready = [one for one in space.node_ids if one not in known and known.issuperset(space.needs[one])]
        known.add(drawn.choice(ready))
    return known


def _towards_goals(drawn: Random, space: KnowledgeSpace) -> set[str]:
    goals = drawn.sample(space.node_ids, drawn.randint(1, MOST_GOALS))
    return space.under(goals) | set(goals)


def _prepared(drawn: Random, space: KnowledgeSpace) -> set[str]:
    known: set[str] = set()
    share = drawn.uniform(0.2, 1)
    for node_id in space.node_ids:
        if known.issuperset(space.needs[node_id]) and drawn.random() < share:
            known.add(node_id)
    return known


def _forgetful(drawn: Random, space: KnowledgeSpace) -> set[str]:
    knew = random_knowledge(drawn, space, drawn.choice(WHOLE_KINDS))
    share = drawn.uniform(*FORGOTTEN)
    return {node_id for node_id in space.node_ids if node_id in knew and drawn.random() >= share}


def place(
    drawn: Random, space: KnowledgeSpace, kind: str, items: Mapping[str, Sequence[QuestionFormat]] | None = None
) -> Placement:
    """Place a simulated learner.

    Args:
        items: node → its questions; three of one format each by default.
    """
    known = random_knowledge(drawn, space, kind)
    slip, guesses = drawn.uniform(*SLIPS), {one: drawn.uniform(*bounds) for one, bounds in GUESSES.items()}
    left = {node_id: list((items or {}).get(node_id, ())) for node_id in space.node_ids}
    if items is None:
        left = {node_id: [drawn.choice(FORMATS)] * ITEMS for node_id in space.node_ids}
    asked: list[Asked] = []
    began_s = process_time()
    while True:
        step = next_step(space, asked, {}, {node_id: of[0] for node_id, of in left.items() if of})
        if step.ask is None:
            break
        kind_of = left[step.ask].pop(0)
        asked.append(Asked(step.ask, kind_of, 3, _reply(drawn, step.ask in known, slip, guesses[kind_of])))
    right = sum((node_id in step.known) == (node_id in known) for node_id in space.node_ids)
    seconds = (process_time() - began_s) / (len(asked) + 1)
    beliefs = tuple((step.beliefs[node_id], node_id in known) for node_id in space.node_ids)
    return Placement(kind, right / len(space.node_ids), len(asked) / len(space.node_ids), seconds, beliefs)


def course_space(course: Course) -> tuple[KnowledgeSpace, Mapping[str, Sequence[QuestionFormat]]]:
    """The knowledge space of a course, and the formats of the questions that code marks, by node."""
    nodes, edges, items = [], [], {}
    ids: dict[str, str] = {}
    for concept in course.concepts:
        nodes.append(_node(concept.title, "concept", None))
        ids = {part.title: f"{concept.title}/{title_key(part.title)}" for part in concept.subconcepts}
        edges += [(ids[edge.source], ids[edge.target]) for edge in concept.edges]
        for part in concept.subconcepts:
            nodes.append(_node(ids[part.title], "subconcept", concept.title))
            found = CourseItems().items(course.title, concept.title, part.title)
            items[ids[part.title]] = [one.format for one in found if is_marked_at_once(one)]
    edges += [(edge.source, edge.target) for edge in course.edges]
    return knowledge_space(nodes, edges), items


def _reply(drawn: Random, is_known: bool, slip: float, guess: float) -> Reply:
    if is_known:
        return Reply.WRONG if drawn.random() < slip else Reply.RIGHT
    if drawn.random() < GIVES_UP:
        return Reply.NOT_KNOWN
    return Reply.RIGHT if drawn.random() < guess else Reply.WRONG


def _node(node_id: str, kind: str, parent_id: str | None) -> NodeRow:
    return NodeRow.model_construct(id=node_id, type=kind, parent_id=parent_id, title=node_id)
