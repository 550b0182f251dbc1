"""Studying with Sprout against cramming for the same minutes: what simulated learners still hold after a month.

The learners forget in one of two ways, neither of which is what the scheduler assumes:

- *stability*: FSRS-6 as the scheduler has it, but with the parameters of its first release (py-fsrs 6.0.0), and each
  learner and part with a stability of its own around them. It is of the scheduler's family, which is to its advantage.
- *activation*: Pavlik and Anderson 2005 ("Practice and forgetting effects on vocabulary memory: an activation-based
  model of the spacing effect", Cognitive Science 29), with that paper's parameters, and an addend for each learner and
  part. Each practice leaves a trace that decays as a power of time, the faster the more active the memory was. Time
  between sittings counts as a fortieth of the time within one, so that spacing gains little.

Assumed beside it, by judgement: a lesson shows a part in a minute and asks until it is learned; a question with its
feedback takes as long as Sprout assumes at first, and is practice whether it was answered right or not; who recalls
slips at times, who does not guesses at times. Parts do not build on one another, so that no review saves another. The
models were fitted to words and flash cards: what follows from understanding is not in them, nor is a learner's
will. The figures say what the dates of the reviews do in such a memory, and not what a class would gain.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count as count_up
from math import exp, inf, log
from random import Random
from statistics import mean, median
from typing import Protocol

from fsrs import Card as FsrsCard
from fsrs import Rating, Scheduler

from faults.core.loop_faults import ProofFigure
from sprout.learning.mastery.mastery import Evidence, Mastery, mastery
from sprout.learning.reviews.cards import Card, Review, ReviewGrade, after_review, new_card, retrievability
from sprout.learning.reviews.days import LearnerDays
from sprout.learning.reviews.planning import DuePart, plan_reviews
from sprout.learning.reviews.workload import USUAL_SECONDS, day_size

DECAY, DECAY_OF_ACTIVE, THRESHOLD, NOISE, OUTSIDE = 0.177, 0.217, -0.704, 0.255, 0.025
RETENTIONS = (0.9, 0.95)  # that the learner chose: the default, and the most
STABILITY = (0.2172, 1.1771, 3.2602, 16.1507, 7.0114, 0.57, 2.0966, 0.0069, 1.5261, 0.112, 1.0178, 1.849, 0.1133,
             0.3127, 2.2934, 0.2191, 3.0004, 0.7536, 0.3332, 0.1437, 0.2)  # fmt: skip
SPREAD = 0.3  # of learners, and of parts: of the addend, or the logarithm of the stability
LEARNERS = 20
PARTS = 40
MINUTES = 20  # a day
LESSON_S = 60.0  # until the first question of a part
MOST_ASKED = 8  # questions in one lesson
SLIP, GUESS = 0.05, 0.15
GOALS, HELD_FOR = (0.8, 0.9), timedelta(days=30)  # shares of the parts
FIRST_DAYS = 30  # after which study and cramming are compared
CRAMMED_S = 8 * 3_600.0  # on one day
MOST_DAYS, MOST_TIMES = 180, 20
NIGHT = timedelta(hours=16)
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
MOST_COME_BACKS = 2


@dataclass(frozen=True, slots=True)
class Moment:
    """A time; `inner_s` is what passed as a memory counts it, which rests between sittings."""

    at: datetime = START
    inner_s: float = 0.0

    def after(self, within: timedelta, *, rest: bool = False) -> "Moment":
        return Moment(self.at + within, self.inner_s + (OUTSIDE if rest else 1.0) * within.total_seconds())


class Memory(Protocol):
    """Memory of one part."""

    def recall(self, now: Moment) -> float:
        """The probability that it is recalled, 0..1."""
        ...

    def practise(self, now: Moment, *, recalled: bool) -> None: ...


class Activation:
    """Traces of its practice: when each was made, and how fast it decays."""

    def __init__(self, own: float) -> None:
        self._own = own
        self._traces: list[tuple[float, float]] = []

    def recall(self, now: Moment) -> float:
        strength = self._strength(now)
        return 1 / (1 + exp((THRESHOLD - log(strength)) / NOISE)) if strength else 0.0

    def practise(self, now: Moment, *, recalled: bool) -> None:
        self._traces.append((now.inner_s, DECAY_OF_ACTIVE * self._strength(now) + DECAY))

    def _strength(self, now: Moment) -> float:
        """Exponential of the activation."""
        return float(exp(self._own) * sum(max(1.0, now.inner_s - made) ** -decay for made, decay in self._traces))


class Stability:
    """A card of FSRS: seeing a part is a first review that was missed, and practice is a review."""

    def __init__(self, own: float) -> None:
        first = [one * exp(own) for one in STABILITY[:4]]
        self._scheduler = Scheduler(
            parameters=(*first, *STABILITY[4:]), learning_steps=(), relearning_steps=(), enable_fuzzing=False
        )
        self._card: FsrsCard | None = None

    def recall(self, now: Moment) -> float:
        return 0.0 if self._card is None else float(self._scheduler.get_card_retrievability(self._card, now.at))

    def practise(self, now: Moment, *, recalled: bool) -> None:
        rating = Rating.Good if recalled else Rating.Again
        self._card, _ = self._scheduler.review_card(self._card or FsrsCard(card_id=0), rating, now.at)


MEMORIES: Mapping[str, Callable[[float], Memory]] = {"stability": Stability, "activation": Activation}


@dataclass
class Student:
    """A simulated learner; `spent_s` is the time that they have studied."""

    drawn: Random
    memories: Sequence[Memory]
    now: Moment = Moment()
    spent_s: float = 0.0

    def work(self, seconds: float) -> None:
        self.now = self.now.after(timedelta(seconds=seconds))
        self.spent_s += seconds

    def see(self, part: int) -> None:
        self.work(LESSON_S)
        self.memories[part].practise(self.now, recalled=False)

    def answer(self, part: int) -> bool:
        """Answer a question about a part and read the feedback; whether the answer was right."""
        recalled = self.drawn.random() < self.memories[part].recall(self.now)
        self.work(USUAL_SECONDS)
        self.memories[part].practise(self.now, recalled=recalled)
        return self.drawn.random() < (1 - SLIP if recalled else GUESS)

    def held(self, parts: Iterable[int]) -> float:
        """The share of these parts that would be recalled a month from now; 0 of none."""
        later = self.now.after(HELD_FOR, rest=True)
        return mean([self.memories[part].recall(later) for part in parts] or [0.0])


@dataclass
class Studying:
    """Days with Sprout: due reviews first, by its cards and within the day's size, then lessons in the time left."""

    student: Student
    retention: float
    cards: dict[int, Card] = field(default_factory=dict)
    evidence: dict[int, list[Evidence]] = field(default_factory=dict)

    def day(self) -> None:
        """One day, and the night after it."""
        began, spent_s = self.student.now.at, self.student.spent_s
        self._review()
        for part in range(len(self.student.memories)):
            if part not in self.cards and self.student.spent_s - spent_s + LESSON_S + USUAL_SECONDS <= MINUTES * 60:
                self._teach(part)
        self.student.now = self.student.now.after(began + timedelta(days=1) - self.student.now.at, rest=True)

    def mastered(self) -> list[int]:
        return [part for part in self.evidence if self._known(part).mastered]

    def _review(self) -> None:
        days, now = LearnerDays(), self.student.now.at
        due = [
            DuePart(str(part), "", None, retrievability(card, now), card.is_new)
            for part, card in self.cards.items()
            if days.available_from(card) <= now
        ]
        waiting = [int(review.part.node_id) for review in plan_reviews(due, ())][: day_size(MINUTES, USUAL_SECONDS)]
        again = dict.fromkeys(waiting, 0)
        while waiting:
            part = waiting.pop(0)
            right = self._ask(part)
            grade = ReviewGrade.GOOD if right else ReviewGrade.AGAIN
            self.cards[part] = after_review(self.cards[part], Review(self.student.now.at, grade, self.retention))
            if not right and again[part] < MOST_COME_BACKS:
                again[part] += 1
                waiting.append(part)

    def _teach(self, part: int) -> None:
        self.student.see(part)
        for _ in range(MOST_ASKED):
            self._ask(part)
            if (learned_at := self._known(part).learned_at) is not None:
                self.cards[part] = new_card(learned_at)
                return

    def _ask(self, part: int) -> bool:
        right, told = self.student.answer(part), self.evidence.setdefault(part, [])
        name = f"{len(told):04}"
        told.append(
            Evidence(name, name, name, (str(part),), "numeric", 3, float(right), 0, self.student.now.at, len(told))
        )
        return right

    def _known(self, part: int) -> Mastery:
        return mastery(self.evidence[part], ())[str(part)]


def cram(student: Student, seconds: float) -> None:
    """See every part, then answer about all of them in rounds, eight hours a day, until the time is used up."""
    today_s = 0.0
    for number in count_up():
        part, before_s = number % len(student.memories), student.spent_s
        if before_s >= seconds:
            return
        if number < len(student.memories):
            student.see(part)
        else:
            student.answer(part)
        today_s += student.spent_s - before_s
        if today_s >= CRAMMED_S:
            student.now, today_s = student.now.after(NIGHT, rest=True), 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """The study of one learner, and the same learner's cramming.

    Args:
        held: the share of the parts that is held for a month after thirty days of study.
        mastered_held: the same of what counts as mastered then.
        crammed_held: the share that is held after the same minutes crammed.
        days: goal → days of study until that share is held for a month; infinite if 180 are too few.
        crammed_times: goal → as many times the minutes of those days must be crammed to hold as much; infinite if
            twenty are too few.
    """

    held: float
    mastered_held: float
    crammed_held: float
    days: Mapping[float, float]
    crammed_times: Mapping[float, float]


def compare(memory: Callable[[float], Memory], retention: float, seed: int) -> Comparison:
    """One learner."""
    studying, everything = Studying(_student(memory, seed), retention), range(PARTS)
    student = studying.student
    after_first_days = (0.0, 0.0, 0.0)
    days, times = dict.fromkeys(GOALS, inf), dict.fromkeys(GOALS, inf)

    def crammed(seconds: float) -> float:
        other = _student(memory, seed)
        cram(other, seconds)
        return other.held(everything)

    for day in range(1, MOST_DAYS + 1):
        studying.day()
        held = student.held(everything)
        if day == FIRST_DAYS:
            after_first_days = held, student.held(studying.mastered()), crammed(student.spent_s)
        for goal in (one for one in GOALS if held >= one and days[one] == inf):
            days[goal] = day
            tried = range(1, MOST_TIMES + 1)
            times[goal] = next((one for one in tried if crammed(one * student.spent_s) >= goal), inf)
        if day >= FIRST_DAYS and max(days.values()) < inf:
            break
    return Comparison(*after_first_days, days, times)


async def cramming(count: int = LEARNERS, seed: int = 1) -> list[ProofFigure]:
    """Recall a month after days of study, against cramming for the same minutes."""
    figures = list[ProofFigure]()
    for name, memory in MEMORIES.items():
        for retention in RETENTIONS:
            found = [await asyncio.to_thread(compare, memory, retention, 1_000 * seed + one) for one in range(count)]
            figures += _figures(f"{name}, recall of {retention:.0%}", found)
    return figures


def _figures(what: str, found: Sequence[Comparison]) -> list[ProofFigure]:
    held, crammed = mean(one.held for one in found), mean(one.crammed_held for one in found)
    rows = {
        f"held a month after {FIRST_DAYS} days of study, of what counts as mastered": f"{held:.1%}, "
        f"{mean(one.mastered_held for one in found):.1%}",
        "held after the same minutes crammed, studied ÷ crammed": f"{crammed:.1%}, {held / crammed:.2f}",
    }
    for goal in GOALS:
        days, times = median(one.days[goal] for one in found), median(one.crammed_times[goal] for one in found)
        rows[f"days of study until {goal:.0%} are held for a month, median"] = _at_most(days, MOST_DAYS)
        if days < inf:
            rows[f"minutes to cram for {goal:.0%} ÷ minutes of study, median"] = _at_most(times, MOST_TIMES)
    return [ProofFigure("cramming", f"{what}: {name}", value) for name, value in rows.items()]


def _at_most(value: float, most: int) -> str:
    return f"more than {most}" if value == inf else f"{value:.0f}"


def _student(memory: Callable[[float], Memory], seed: int) -> Student:
    drawn = Random(seed)
    own = drawn.gauss(0, SPREAD)
    return Student(drawn, [memory(own + drawn.gauss(0, SPREAD)) for _ in range(PARTS)])


PROOFS: Mapping[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"cramming": cramming}
