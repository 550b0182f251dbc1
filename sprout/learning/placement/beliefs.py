"""Beliefs of a placement: the probability that each node of a path is known, after the answers so far.

A learner's knowledge is a state of a knowledge space: what is known rests on known prerequisites (Doignon & Falmagne
1999, "Knowledge Spaces"), and an answer shows it through slips and lucky guesses (the BLIM of Falmagne & Doignon 1988,
"A class of stochastic procedures for the assessment of knowledge"). The states of a path are too many to list, so the
space is written as Bayesian networks over its graph, one for each way to have come to one's knowledge:

- from the ground up: of the nodes whose prerequisites are known, a share is known as well;
- towards a goal: a node is known because something that is known rests on it, and few are for their own sake.

The second is the first upside down: what is not known spreads upwards, as what is known spreads down. A learner of
the second kind leaves most of what they could learn next, which to the first alone looks like knowing little, and so
the way is one hidden variable above all nodes, with how much is known on it: each gets the weight that its answers
give it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log

from sprout.learning.placement.network import Network

FROM_THE_GROUND = (0.1, 0.5, 0.8, 0.95)  # how likely a node is known whose prerequisites are, from novice to expert
TOWARDS_GOALS = (0.03, 0.1, 0.3)  # how likely a node is known on which nothing rests that is


@dataclass(frozen=True, slots=True)
class Observation:
    """Evidence of an answer for a node: its probability if the node is known, and if it is not."""

    node_id: str
    if_known: float
    if_not: float


def beliefs(
    node_ids: Sequence[str], edges: Iterable[tuple[str, str]], observations: Iterable[Observation]
) -> dict[str, float]:
    """The probability that each node is known.

    Args:
        edges: prerequisite → what builds on it, without cycles; those that leave the nodes are ignored.
    """
    index = {node_id: at for at, node_id in enumerate(node_ids)}
    needs: list[list[int]] = [[] for _ in node_ids]
    carries: list[list[int]] = [[] for _ in node_ids]
    for source, target in dict.fromkeys(edges):
        if source in index and target in index:
            needs[index[target]].append(index[source])
            carries[index[source]].append(index[target])
    seen = [0.0] * len(node_ids)
    for one in observations:
        if one.node_id in index:
            seen[index[one.node_id]] += log(one.if_known / one.if_not)
    found = [_of(Network(rate, needs, seen)) for rate in FROM_THE_GROUND]
    upside_down = [_of(Network(1 - rate, carries, [-one for one in seen])) for rate in TOWARDS_GOALS]
    found += [(evidence, [1 - one for one in unknown]) for evidence, unknown in upside_down]
    return dict(zip(node_ids, _weighted(found), strict=True))


def _of(network: Network) -> tuple[float, list[float]]:
    """The logarithm of a network's evidence, and its margins."""
    network.settle()
    return network.log_evidence(), network.margins()


def _weighted(found: Sequence[tuple[float, Sequence[float]]]) -> list[float]:
    """The mean of margins, each weighed by its evidence."""
    most = max(evidence for evidence, _ in found)
    weights = [exp(evidence - most) for evidence, _ in found]
    total = sum(weights)
    return [
        sum(weight * one for weight, one in zip(weights, of_node, strict=True)) / total
        for of_node in zip(*(margins for _, margins in found), strict=True)
    ]
