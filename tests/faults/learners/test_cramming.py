"""Simulated learners who study or cram, in short; `make faults ARGS=cramming` prints what they hold a month later."""

from random import Random

from faults.learners.cramming import MINUTES, Activation, Memory, Moment, Stability, Student, Studying, cram

DAYS, PARTS = 12, 6


def a_student(memories: type[Activation] | type[Stability]) -> Student:
    kept: list[Memory] = [memories(0.0) for _ in range(PARTS)]
    return Student(Random(1), kept)


def test_what_was_studied_over_days_is_held_better_than_what_was_crammed_in_the_same_minutes() -> None:
    studying, crammer = Studying(a_student(Stability), retention=0.9), a_student(Stability)
    for _ in range(DAYS):
        studying.day()
    cram(crammer, studying.student.spent_s)
    assert len(studying.mastered()) == PARTS
    assert studying.student.spent_s <= DAYS * MINUTES * 60
    assert studying.student.held(range(PARTS)) > crammer.held(range(PARTS)) > 0


def test_a_memory_fades_and_each_practice_strengthens_it() -> None:
    for kind in (Activation, Stability):
        student = a_student(kind)
        assert student.memories[0].recall(Moment()) == 0
        student.see(0)
        once = student.held([0])
        assert 0 < once < student.memories[0].recall(student.now)
        student.answer(0)
        assert student.held([0]) > once
