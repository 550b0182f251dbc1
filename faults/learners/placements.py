"""Placements of simulated learners: nodes placed right, and the questions that it took, over random graphs."""

from collections.abc import Sequence
from random import Random

from faults.core.loop_faults import ProofFigure
from faults.learners.scripted_learners import seeded_random
from sprout.evaluation.placement.simulated_learners import KINDS, Placement, course_space, place, random_space
from sprout.offline.courses.catalogue import courses
from sprout.offline.courses.course_format import Course

LEARNERS = 1_000
LEAST_RIGHT, MOST_ASKED = 0.9, 0.35


async def placement(count: int = LEARNERS, seed: int = 1, course: str | None = None) -> list[ProofFigure]:
    """Simulated learners on random graphs of 60 to 100 nodes, and as many on the graphs of the courses.

    Args:
        course: the slug of a course, for its learners alone.
    """
    taken = [one for one in courses() if course in (None, one.slug)]
    if not taken:
        raise SystemExit(f"There is no {course}: {', '.join(one.slug for one in courses())}")
    figures = [] if course else _on_random_graphs(count, Random(seed))
    for one in taken:
        figures += _on_course(one, max(len(KINDS), count // len(courses())), seeded_random(seed, one.slug))
    return figures


def _on_random_graphs(count: int, drawn: Random) -> list[ProofFigure]:
    found = [place(drawn, random_space(drawn), KINDS[number % len(KINDS)]) for number in range(count)]
    slowest = max(one.seconds for one in found)
    return [
        *_figures("random graphs", found),
        ProofFigure("placement", "milliseconds of CPU a question, in the slowest placement", f"{slowest * 1e3:.0f}"),
    ]


def _on_course(course: Course, count: int, drawn: Random) -> list[ProofFigure]:
    space, items = course_space(course)
    found = [place(drawn, space, KINDS[number % len(KINDS)], items) for number in range(count)]
    return _figures(f"{course.title.partition(':')[0]}, {len(space.node_ids)} nodes", found)


def _figures(where: str, found: Sequence[Placement]) -> list[ProofFigure]:
    """Figures of all learners, and of each kind; what must hold, holds for all, and nodes right for each kind too."""
    asked, right = _mean([one.asked for one in found]), [one.right for one in found]
    worst = sorted(right)[len(right) // 10]
    figures = [
        _right(where, right),
        ProofFigure("placement", f"{where}: the same for nine learners of ten, at least", f"{worst * 100:.1f}"),
        ProofFigure("placement", f"{where}: questions, of 100 nodes", f"{asked * 100:.1f}", asked <= MOST_ASKED),
    ]
    for kind in KINDS:
        own = [one.right for one in found if one.kind == kind]
        figures.append(_right(f"{where}, {len(own)} learners of the kind {kind!r}", own))
    return figures


def _right(where: str, right: Sequence[float]) -> ProofFigure:
    mean = _mean(right)
    return ProofFigure("placement", f"{where}: nodes right, of 100", f"{mean * 100:.1f}", mean >= LEAST_RIGHT)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


PROOFS = {"placement": placement}
