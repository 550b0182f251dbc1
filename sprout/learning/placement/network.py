"""Network of what a learner knows: a node is a noisy AND of what it rests on, and messages make them agree.

The margins are those that belief propagation finds (Pearl 1988, "Probabilistic Reasoning in Intelligent Systems"):
exact where the graph is a tree, and elsewhere an approximation that mostly settles near the right values (Murphy, Weiss
& Jordan 1999, "Loopy belief propagation for approximate inference"). It is deterministic.
"""

from collections.abc import Sequence
from math import exp, log, log1p, prod, tanh

EXCEPTION = 0.02  # how likely a node is so in spite of one that it rests on: the path may be wrong about it
MAX_ROUNDS = 20
SETTLED = 0.02  # the largest change of a message, in log odds, that its readers need not hear of
DAMPING = 0.3  # share of its old value that a message keeps: loops swing less


class Network:
    """Factor graph in which each node's factor joins it with what it rests on.

    A message is the log odds that its sender gives to a node. The sums over all messages about a node are kept beside
    them, so that a factor can take off its own.

    Args:
        rate: how likely a node is so where all are that it rests on.
        needs: what each node rests on, by number.
        seen: the log odds that the answers give to each node.
    """

    def __init__(self, rate: float, needs: Sequence[Sequence[int]], seen: Sequence[float]) -> None:
        self._rate = rate
        self._needs = needs
        self._seen = seen
        self._odds = list(seen)
        self._up = [0.0] * len(needs)  # from a node's factor to the node
        self._down = [[0.0] * len(of) for of in needs]  # from it to what the node rests on
        self._readers: list[list[int]] = [[at] for at in range(len(needs))]  # the factors that a node is in
        for at, of in enumerate(needs):
            for need in of:
                self._readers[need].append(at)
        self._is_stale = [True] * len(needs)  # whether a factor has heard of a change since it last sent

    def settle(self) -> None:
        """Pass messages up the graph and down again until they change no more."""
        ways = (*range(len(self._needs)), *reversed(range(len(self._needs))))
        for _ in range(MAX_ROUNDS):
            for at in ways:
                if self._is_stale[at]:
                    self._pass_factor(at)
            if not any(self._is_stale):
                return

    def margins(self) -> list[float]:
        """The probability of each node."""
        return [_from_odds(one) for one in self._odds]

    def log_evidence(self) -> float:
        """Logarithm of the probability of the answers, up to a constant: exact on a tree, elsewhere as Bethe has it.

        Source: Yedidia, Freeman & Weiss 2005, "Constructing free-energy approximations and generalized belief
        propagation algorithms".
        """
        found = sum(map(_log_total, self._odds)) - sum(map(_log_total, self._seen))
        for at, down in enumerate(self._down):
            own, incoming = self._incoming(at)
            found += log(_mix(prod(incoming), _agreement(self._rate, own), _agreement(EXCEPTION, own)))
            for sent, other in zip((self._up[at], *down), (own, *incoming), strict=True):
                found -= log(_agreement(_from_odds(sent), other)) + _log_total(sent)
        return found

    def _incoming(self, at: int) -> tuple[float, list[float]]:
        """Messages of the others to a node's factor: of the node, and of each that it rests on."""
        odds = self._odds
        pairs = zip(self._needs[at], self._down[at], strict=True)
        return _from_odds(odds[at] - self._up[at]), [_from_odds(odds[need] - sent) for need, sent in pairs]

    def _pass_factor(self, at: int) -> None:
        """Send the messages of a node's factor."""
        self._is_stale[at] = False
        own, incoming = self._incoming(at)
        is_so = _mix(prod(incoming), self._rate, EXCEPTION)
        change = log(is_so / (1 - is_so)) - self._up[at]
        self._up[at] += change
        self._tell(at, change)
        down = self._down[at]
        agreed, exception = _agreement(self._rate, own), _agreement(EXCEPTION, own)
        for place, need in enumerate(self._needs[at]):
            others = prod(incoming[:place]) * prod(incoming[place + 1 :])
            change = (1 - DAMPING) * (log(_mix(others, agreed, exception) / exception) - down[place])
            down[place] += change
            self._tell(need, change)

    def _tell(self, node: int, change: float) -> None:
        """Add a change of a factor's message to what is believed of a node; the factors that it is in hear of it."""
        self._odds[node] += change
        if abs(change) >= SETTLED:
            for reader in self._readers[node]:
                self._is_stale[reader] = True


def _mix(share: float, one: float, other: float) -> float:
    return share * one + (1 - share) * other


def _agreement(one: float, other: float) -> float:
    """The probability that two independent views of a node agree."""
    return one * other + (1 - one) * (1 - other)


def _from_odds(log_odds: float) -> float:
    return 0.5 + 0.5 * tanh(0.5 * log_odds)


def _log_total(log_odds: float) -> float:
    """Logarithm of what a ratio and its one add up to."""
    return max(log_odds, 0.0) + log1p(exp(-abs(log_odds)))
