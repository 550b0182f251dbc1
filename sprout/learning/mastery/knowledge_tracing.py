"""Knowledge tracing: the probability that a learner knows something, after each answer.

The model is Bayesian knowledge tracing (Corbett & Anderson 1995, "Knowledge tracing: modeling the acquisition of
procedural knowledge"). A question that tests several things needs all of them: it is a noisy AND gate, as in the DINA
model (Junker & Sijtsma 2001, "Cognitive assessment models with few assumptions") and in conjunctive knowledge tracing
(Koedinger et al. 2011, "Avoiding problem selection thrashing with conjunctive knowledge tracing"). Bayes' rule over all
of them at once, of which only the margins are kept, then shares blame and credit by what was known before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sprout.learning.questions.questions import QuestionFormat

NEUTRAL_SCORE = 0.5  # says nothing; more speaks for knowing, less against it, the more the farther from it


@dataclass(frozen=True, slots=True)
class Noise:
    """Reliability of an answer.

    Args:
        slip: the probability that one who knows answers wrong.
        guess: that one who does not know answers right in words or with a number.
        chosen: the same for one of four options.
    """

    slip: float
    guess: float
    chosen: float


@dataclass(frozen=True, slots=True)
class Parameters:
    """Every number of the model; judgement within the bounds below, until there are answers to fit them to.

    Args:
        initially_known: that a node is known before the first answer. The low end of what is usual, 0.2 to 0.4 by
            judgement: a path is made of what is new to its learner.
        learned: that one who does not know a node does after an answer and what was said to it. It is what lets a
            learner who began with misses catch up: without it three misses would outweigh four right answers.
        noise: by the difficulty of the question. Slips at most 0.1 and guesses at most 0.3, or knowing would mean
            little (the bounds of Corbett & Anderson, as reported by Baker, Corbett & Aleven 2008, "More accurate
            student modeling through contextual estimation of slip and guess probabilities"). What is harder is
            guessed less and slipped on more: its right answer says more, its wrong one less. Options are guessed at
            chance, 0.25, where they are of middle difficulty; easy ones can be ruled out, hard ones mislead.
        edge_weight: how much of an answer's weight a prerequisite gets, and of that again the one before it; judgement.
        max_edges: how many edges an answer is propagated along; judgement.
    """

    initially_known: float
    learned: float
    noise: Mapping[int, Noise]
    edge_weight: float
    max_edges: int


PARAMETERS = Parameters(
    initially_known=0.2,
    learned=0.15,
    noise={
        1: Noise(slip=0.06, guess=0.20, chosen=0.30),
        2: Noise(slip=0.07, guess=0.18, chosen=0.28),
        3: Noise(slip=0.08, guess=0.15, chosen=0.25),
        4: Noise(slip=0.09, guess=0.12, chosen=0.22),
        5: Noise(slip=0.10, guess=0.10, chosen=0.20),
    },
    edge_weight=0.3,
    max_edges=2,
)


def chance_right(
    known: Sequence[float], format: QuestionFormat, difficulty: int, parameters: Parameters = PARAMETERS
) -> float:
    """The probability of a right answer to a question that needs all the tested things.

    Args:
        known: the probability that each of them is known, 0..1.
        difficulty: 1..5.
    """
    noise, guess = _noise(format, difficulty, parameters)
    all_known = prod(known)
    return all_known * (1 - noise.slip) + (1 - all_known) * guess


def update(
    known: Sequence[float], score: float, format: QuestionFormat, difficulty: int, parameters: Parameters = PARAMETERS
) -> list[float]:
    """The probabilities that each of the tested things is known, after an answer to a question that needs them all.

    A score above `NEUTRAL_SCORE` lowers none of them, one below it raises none: what was said to a wrong answer may
    have taught something, but no more than the answer has cost.

    Args:
        known: before it, each 0..1.
        score: 0..1.
        difficulty: 1..5.
    """
    right, wrong = _posteriors(known, format, difficulty, parameters)
    if score >= NEUTRAL_SCORE:
        return _move(known, [_taught(one, parameters) for one in right], (score - NEUTRAL_SCORE) / (1 - NEUTRAL_SCORE))
    after_miss = [min(before, _taught(one, parameters)) for before, one in zip(known, wrong, strict=True)]
    return _move(known, after_miss, (NEUTRAL_SCORE - score) / NEUTRAL_SCORE)


def update_prerequisite(
    known: float,
    score: float,
    format: QuestionFormat,
    difficulty: int,
    *,
    edges: int,
    parameters: Parameters = PARAMETERS,
) -> float:
    """The probability of something that a tested thing rests on: doubt after a miss, credit after a good answer.

    Args:
        edges: how many edges lie between the two, from 1.
    """
    right, wrong = _posteriors([known], format, difficulty, parameters)
    weight = parameters.edge_weight**edges
    if score >= NEUTRAL_SCORE:
        return _move([known], right, weight * (score - NEUTRAL_SCORE) / (1 - NEUTRAL_SCORE))[0]
    return _move([known], wrong, weight * (NEUTRAL_SCORE - score) / NEUTRAL_SCORE)[0]


def _posteriors(
    known: Sequence[float], format: QuestionFormat, difficulty: int, parameters: Parameters
) -> tuple[list[float], list[float]]:
    """P(known | right) and P(known | wrong) of each, by Bayes' rule over all of them."""
    noise, guess = _noise(format, difficulty, parameters)
    right_if_unsure = chance_right(known, format, difficulty, parameters)
    right, wrong = [], []
    for at, one in enumerate(known):
        others = prod((*known[:at], *known[at + 1 :]))
        right_if_known = others * (1 - noise.slip) + (1 - others) * guess
        right.append(one * right_if_known / right_if_unsure)
        wrong.append(one * (1 - right_if_known) / (1 - right_if_unsure))
    return right, wrong


def _noise(format: QuestionFormat, difficulty: int, parameters: Parameters) -> tuple[Noise, float]:
    noise = parameters.noise[difficulty]
    return noise, noise.chosen if format == "mcq" else noise.guess


def _taught(known: float, parameters: Parameters) -> float:
    return known + (1 - known) * parameters.learned


def _move(before: Sequence[float], after: Sequence[float], weight: float) -> list[float]:
    """Each value moved towards its new one; `weight` 0..1 is the share of the way."""
    return [one + weight * (other - one) for one, other in zip(before, after, strict=True)]
