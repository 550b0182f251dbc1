"""Tracing of a learner: before each answer, the probability that it is right, by Sprout's rule and by the plain one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sprout.evaluation.mastery.response_log import Response
from sprout.learning.mastery.knowledge_tracing import PARAMETERS, Parameters, chance_right, update

DIFFICULTY = 3  # a log says nothing of it


@dataclass(frozen=True, slots=True)
class Prediction:
    """The probabilities of a right answer, and whether it came; `number` counts the learner's answers to its skills."""

    sprout: float
    plain: float
    right: bool
    number: int


def predictions(responses: Sequence[Response], parameters: Parameters = PARAMETERS) -> Iterator[Prediction]:
    """A prediction for every response, from those before it alone."""
    mine: dict[str, float] = {}
    theirs: dict[str, float] = {}
    seen: dict[str, int] = {}
    for one in responses:
        known = [mine.get(skill, parameters.initially_known) for skill in one.skills]
        plain = [theirs.get(skill, parameters.initially_known) for skill in one.skills]
        yield Prediction(
            chance_right(known, one.format, DIFFICULTY, parameters),
            chance_right(plain, one.format, DIFFICULTY, parameters),
            one.right,
            1 + min(seen.get(skill, 0) for skill in one.skills),
        )
        after = update(known, float(one.right), one.format, DIFFICULTY, parameters)
        mine.update(zip(one.skills, after, strict=True))
        theirs.update(
            (skill, _plain_update(value, one, parameters)) for skill, value in zip(one.skills, plain, strict=True)
        )
        seen.update((skill, seen.get(skill, 0) + 1) for skill in one.skills)


def _plain_update(known: float, response: Response, parameters: Parameters) -> float:
    """The rule of Corbett & Anderson 1995, each skill by itself: Bayes, then learning, after a miss too."""
    noise = parameters.noise[DIFFICULTY]
    guess = noise.chosen if response.format == "mcq" else noise.guess
    if_known, if_not = (1 - noise.slip, guess) if response.right else (noise.slip, 1 - guess)
    posterior = known * if_known / (known * if_known + (1 - known) * if_not)
    return posterior + (1 - posterior) * parameters.learned
