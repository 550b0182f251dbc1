"""Beliefs of a placement: the probability that each node of a path is known, after the answers so far.

A learner's knowledge is a state of a knowledge space: what is known rests on known prerequisites (Doignon & Falmagne
1999, "Knowledge Spaces"), and an answer shows it through slips and lucky guesses (the BLIM of Falmagne & Doignon 1988,
"A class of stochastic procedures for the assessment of knowledge"). The states of a path are too many to list, so the
space is written as a Bayesian network over its graph: a node is a noisy AND of what it rests on, and how much the
learner knows at all is one hidden variable above all nodes. For each value of it the beliefs are the margins that
belief propagation finds (Pearl 1988, "Probabilistic Reasoning in Intelligent Systems"): exact where the graph is a
tree, and elsewhere an approximation that mostly settles near the right values (Murphy, Weiss & Jordan 1999, "Loopy
belief propagation for approximate inference"). It is deterministic and takes some hundredths of a second at 100 nodes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log, prod

LEVELS = (0.1, 0.5, 0.8, 0.95)  # how likely a node is known whose prerequisites are, from novice to expert
UNPREPARED = 0.02  # the same for a node with a prerequisite that is not known: the path may be wrong about it
MAX_ROUNDS = 20
SETTLED = 0.02  # the largest change of a message in the last round, in log odds
DAMPING = 0.3  # share of its old value that a message keeps: loops swing less
MAX_ODDS = 30.0  # logarithm; beyond it a probability is 0 or 1


@dataclass(frozen=True, slots=True)
class Observation:
    """What an answer says about a node: its probability if the node is known, and if it is not."""

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
    pairs, seen = list(edges), list(observations)
    networks = [_Network(rate, node_ids, pairs, seen) for rate in LEVELS]
    for network in networks:
        network.settle()
    logs = [network.log_evidence() for network in networks]
    weights = [exp(one - max(logs)) for one in logs]
    margins = [network.margins() for network in networks]
    return {
        node_id: sum(weight * own[at] for weight, own in zip(weights, margins, strict=True)) / sum(weights)
        for at, node_id in enumerate(node_ids)
    }


class _Network:
    """Factor graph of a learner at one level: each node's factor joins it with its prerequisites.

    A message is the log odds that its sender gives to "known". The sums over all messages about a node are kept beside
    them, so that a factor can take off its own.
    """

    def __init__(
        self,
        rate: float,
        node_ids: Sequence[str],
        edges: Iterable[tuple[str, str]],
        observations: Iterable[Observation],
    ) -> None:
        index = {node_id: at for at, node_id in enumerate(node_ids)}
        self._rate = rate
        self._needs: list[list[int]] = [[] for _ in node_ids]
        for source, target in dict.fromkeys(edges):
            if source in index and target in index:
                self._needs[index[target]].append(index[source])
        self._seen = [0.0] * len(node_ids)
        for one in observations:
            if one.node_id in index:
                self._seen[index[one.node_id]] += log(one.if_known / one.if_not)
        self._odds = list(self._seen)
        self._up = [0.0] * len(node_ids)  # from a node's factor to the node
        self._down = [[0.0] * len(needs) for needs in self._needs]  # from it to the prerequisites

    def settle(self) -> None:
        """Pass messages up the graph and down again until they change no more."""
        ways = (*range(len(self._needs)), *reversed(range(len(self._needs))))
        for _ in range(MAX_ROUNDS):
            if max(map(self._pass_factor, ways), default=0.0) < SETTLED:
                return

    def margins(self) -> list[float]:
        return [_from_odds(one) for one in self._odds]

    def log_evidence(self) -> float:
        """Logarithm of the probability of the answers, up to a constant: exact on a tree, elsewhere as Bethe has it.

        Source: Yedidia, Freeman & Weiss 2005, "Constructing free-energy approximations and generalized belief
        propagation algorithms".
        """
        found = 0.0
        about: list[list[float]] = [[one] for one in self._seen]
        for at, (needs, down) in enumerate(zip(self._needs, self._down, strict=True)):
            known, incoming = self._incoming(at)
            found += log(self._mix(prod(incoming), _agreement(self._rate, known), _agreement(UNPREPARED, known)))
            for message, sent in ((known, self._up[at]), *zip(incoming, down, strict=True)):
                found -= log(_agreement(message, _from_odds(sent)))
            about[at].append(self._up[at])
            for need, sent in zip(needs, down, strict=True):
                about[need].append(sent)
        for messages in about:
            shares = [_from_odds(one) for one in messages]
            found += log(prod(shares) + prod(1 - one for one in shares))
        return found

    def _incoming(self, at: int) -> tuple[float, list[float]]:
        """What the others say to a node's factor: of the node, and of each of its prerequisites."""
        pairs = zip(self._needs[at], self._down[at], strict=True)
        return _from_odds(self._odds[at] - self._up[at]), [_from_odds(self._odds[need] - sent) for need, sent in pairs]

    def _pass_factor(self, at: int) -> float:
        """Send the messages of a node's factor; the largest change."""
        needs, down = self._needs[at], self._down[at]
        known, incoming = self._incoming(at)
        new = _to_odds(self._mix(prod(incoming), self._rate, UNPREPARED))
        change = abs(new - self._up[at])
        self._odds[at] += new - self._up[at]
        self._up[at] = new
        agreed, unprepared = _agreement(self._rate, known), _agreement(UNPREPARED, known)
        for place, need in enumerate(needs):
            others = prod(incoming[:place]) * prod(incoming[place + 1 :])
            new = log(self._mix(others, agreed, unprepared) / unprepared)
            new = DAMPING * down[place] + (1 - DAMPING) * new
            change = max(change, abs(new - down[place]))
            self._odds[need] += new - down[place]
            down[place] = new
        return change

    @staticmethod
    def _mix(prepared: float, if_prepared: float, if_not: float) -> float:
        return prepared * if_prepared + (1 - prepared) * if_not


def _agreement(rate: float, known: float) -> float:
    """How well a node that is known at this rate fits what else is believed of it."""
    return rate * known + (1 - rate) * (1 - known)


def _to_odds(probability: float) -> float:
    return log(probability / (1 - probability))


def _from_odds(log_odds: float) -> float:
    return 1 / (1 + exp(-min(max(log_odds, -MAX_ODDS), MAX_ODDS)))
