"""Graph suite: edges of a path beside those of an expert, soundness, needless edges, and notes that a path takes up."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sprout.agents.agent import Job, NothingSaved
from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.agents.path.topic import CONCEPTS, topic_agent
from sprout.agents.prompts import Prompt, load_prompt
from sprout.clock import utc_now
from sprout.documents.splitting.passages import split_into_passages
from sprout.evaluation.agent_run import run_agent
from sprout.evaluation.graph.expert_set import ExpertSet
from sprout.evaluation.graph.memory_path import MemoryPath, PathTeam
from sprout.evaluation.graph.published_sets import read_expert_sets
from sprout.evaluation.measures.edges import closure, f1, in_groups
from sprout.evaluation.suite import Item, ItemModels, Metric, Record, Suite, mean, share
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.graph.traversal import Pair, redundant_pairs
from sprout.learning.paths.passages import Passage
from sprout.loop.turn import CallRecord

NAME, AGENT = "graph", "topic"
CONNECT = "save_concept_edge"
NOTES = "notes.md"
PROMPTS = ("path/topic", "path/topic.request", "correction")


@dataclass(frozen=True, slots=True)
class GraphTask:
    """A topic with some of its concepts to be joined, or with notes to make concepts from.

    Args:
        pairs: of these concepts, as the expert gives them.
        order: what comes before what, by the expert's whole set.
    """

    topic: str
    concepts: tuple[str, ...]
    pairs: tuple[Pair, ...]
    order: frozenset[Pair]
    judged: frozenset[Pair] | None
    notes: str


def graph_suite(path: Path | None) -> Suite:
    """The suite over shipped sets, or those at a path. Raises BadInput, SetupError."""
    found = read_expert_sets(path)
    items = [
        Item(f"{number}/{one.topic}/{part}", partial(_design, task))
        for number, one in enumerate(found.sets, start=1)
        for part, task in enumerate(tasks_of(one), start=1)
    ]
    return Suite(NAME, found.source, items, graph_metrics(), graph_prompts(), agent=AGENT, has_random_ids=True)


def graph_metrics() -> list[Metric]:
    return [
        share("precision", "right", "higher", "of edges between the expert's concepts, share in the expert's order"),
        share("recall", "found", "higher", "of the expert's pairs, share that the edges imply"),
        Metric("F1", _f1("right", "found"), "higher", "harmonic mean of both"),
        Metric("F1 of single edges", _f1("same", "found_alone"), "higher", "the same, where only equal pairs count"),
        share("reversed", "reversed", "lower", "of edges, share that the expert has the other way round"),
        share("needless", "needless", "lower", "of edges, share that a longer way implies"),
        share("refused", "refused", "lower", "of edges that it tried, share that would close a cycle or join nothing"),
        share("notes taken up", "taken_up", "higher", "of passages of notes, share that reaches some concept"),
    ]


def graph_prompts() -> dict[str, Prompt]:
    return {place: load_prompt(place) for place in PROMPTS}


def tasks_of(expert: ExpertSet) -> Iterator[GraphTask]:
    """The set in parts that fit one path; the pairs between two parts are not asked for."""
    if expert.notes:
        yield GraphTask(expert.topic, (), (), frozenset(), None, expert.notes)
        return
    order = closure(expert.pairs)
    for group in in_groups(expert.concepts, sorted(expert.pairs), most=CONCEPTS.maximum):
        pairs = tuple(sorted(pair for pair in expert.pairs if set(pair) <= set(group)))
        yield GraphTask(expert.topic, tuple(sorted(group)), pairs, order, expert.judged, "")


def edge_records(task: GraphTask, edges: Sequence[Pair]) -> list[Record]:
    """A record for each edge, and one for each pair of the expert's.

    An edge is judged where both ends are the expert's, and the expert has looked at the pair or given an order.
    """
    needless, implied = set(redundant_pairs(edges)), closure(edges)
    found: list[Record] = []
    for edge in edges:
        source, target = edge
        ahead, back = edge in task.order, (target, source) in task.order
        judged = {*edge} <= {*task.concepts} and (task.judged is None or edge in task.judged or ahead or back)
        found.append(
            {
                "right": ahead if judged else None,
                "same": edge in task.pairs if judged else None,
                "reversed": back and not ahead if judged else None,
                "needless": edge in needless,
            }
        )
    return [*found, *({"found": pair in implied, "found_alone": pair in edges} for pair in task.pairs)]


async def _design(task: GraphTask, models: ItemModels) -> Sequence[Record]:
    """Let the agent join the concepts, or make them from the notes."""
    path = MemoryPath(notes=_passages_of(task.notes))
    topic = path.topic(task.topic)
    for concept in task.concepts:
        path.replace_graph(topic.id, path.graphs[topic.id].add(concept, None, utc_now()).graph)
    agent = topic_agent(path)
    job = Job("graph", "graph", path.user_id, topic.id, AGENT, models.tested.name, small=False, epoch=1)
    team = PathTeam({AGENT: agent}, models.tested, job)
    with suppress(NothingSaved):  # a graph without concepts is measured as it is
        await run_agent(agent, job, team)
    tried = [call for result in team.results for call in result.calls if call.name == CONNECT]
    graph = path.graphs[topic.id]
    titles = {node.id: node.title for node in graph.nodes}
    edges = [(titles[edge.source_node_id], titles[edge.target_node_id]) for edge in graph.edges]
    return [*edge_records(task, edges), *map(_tried, tried), *_taken_up(graph, path.notes)]


def _passages_of(notes: str) -> list[Passage]:
    pieces = split_into_passages(NOTES, notes) if notes else []
    return [replace(one, id=f"p{number}") for number, one in enumerate(pieces, start=1)]


def _tried(call: CallRecord) -> Record:
    return {"refused": call.is_error}


def _taken_up(graph: ConceptGraph, notes: Sequence[Passage]) -> list[Record]:
    """A record for each passage: whether the lessons of some concept would be made from it."""
    index = PassageIndex(notes)
    reached = {passage.id for node in graph.nodes for passage in index.relevant(node.title, node.desc or "")}
    return [{"taken_up": passage.id in reached} for passage in notes]


def _f1(right: str, found: str) -> "partial[float | None]":
    return partial(_f1_of, right, found)


def _f1_of(right: str, found: str, records: Sequence[Record]) -> float | None:
    return f1(mean(right)(records), mean(found)(records))
