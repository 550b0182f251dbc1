"""Simulated responses: learners who know a skill or learn it, with slips and guesses that are hidden from the model."""

from random import Random

from sprout.evaluation.data_files import digest
from sprout.evaluation.mastery.response_log import Response, ResponseLog
from sprout.evaluation.suite import DataSource

LEARNERS = 80
SKILLS = ("reading a share", "comparing groups", "counting cases", "updating odds")
ANSWERS = (3, 9)  # to the questions about one skill
KNOWN = (0.05, 0.5)  # at first; drawn per learner, as all of these
LEARNS = (0.05, 0.35)
SLIPS = (0.02, 0.15)
GUESSES = (0.08, 0.3)
MIXED = 0.15  # share of questions that take a second skill as well
SOURCE = "simulated learners of Sprout's own"
LICENCE = "Apache-2.0, part of Sprout"


def simulated_responses() -> ResponseLog:
    """The log of all simulated learners, the same each time."""
    learners = {f"learner {number:02}": _responses(Random(f"mastery:{number}")) for number in range(LEARNERS)}
    written = [f"{name}:{one.skills}:{one.right}" for name, given in learners.items() for one in given]
    return ResponseLog(learners, DataSource(SOURCE, LICENCE, digest(*written)))


def _responses(drawn: Random) -> list[Response]:
    known, learns, slip, guess = (drawn.uniform(*bounds) for bounds in (KNOWN, LEARNS, SLIPS, GUESSES))
    knows = {skill: drawn.random() < known for skill in SKILLS}
    found = []
    for skill in SKILLS:
        for _ in range(drawn.randint(*ANSWERS)):
            others = [one for one in SKILLS if one != skill]
            skills = (skill, drawn.choice(others)) if drawn.random() < MIXED else (skill,)
            can = all(knows[one] for one in skills)
            found.append(Response(skills, drawn.random() < (1 - slip if can else guess)))
            for one in skills:
                knows[one] = knows[one] or drawn.random() < learns
    return found
