"""Order in which waiting calls go: lessons first, then the learners in turn."""

from collections.abc import Sequence

from sprout.runs.fair_queue import FairQueue, Urgency, urgency_of


def queue_of(waiting: Sequence[tuple[str, str, Urgency]]) -> FairQueue[str]:
    queue = FairQueue[str]()
    for item, learner, urgency in waiting:
        queue.add(item, learner=learner, urgency=urgency)
    return queue


def order_of(queue: FairQueue[str]) -> list[str]:
    order = []
    while (item := queue.take(lambda _: True)) is not None:
        order.append(item)
    return order


def test_the_ten_agents_of_one_learner_do_not_starve_the_answer_of_another() -> None:
    ten = [(f"ann {n}", "ann", Urgency.GROWING) for n in range(10)]
    queue = queue_of([*ten, ("bob's answer", "bob", Urgency.LESSON), ("cleo grows", "cleo", Urgency.GROWING)])
    assert order_of(queue) == ["bob's answer", "ann 0", "cleo grows", *(f"ann {n}" for n in range(1, 10))]


def test_lessons_go_before_growing_and_their_learners_in_turn() -> None:
    queue = queue_of(
        [
            ("ann grows", "ann", Urgency.GROWING),
            ("ann 1", "ann", Urgency.LESSON),
            ("ann 2", "ann", Urgency.LESSON),
            ("bob 1", "bob", Urgency.LESSON),
            ("bob grows", "bob", Urgency.GROWING),
        ]
    )
    assert order_of(queue) == ["ann 1", "bob 1", "ann 2", "ann grows", "bob grows"]


def test_one_who_comes_again_waits_behind_those_who_have_waited() -> None:
    queue = queue_of([("ann 1", "ann", Urgency.GROWING), ("bob 1", "bob", Urgency.GROWING)])
    assert queue.take(lambda _: True) == "ann 1"
    queue.add("ann 2", learner="ann", urgency=Urgency.GROWING)
    assert order_of(queue) == ["bob 1", "ann 2"]


def test_what_may_not_go_keeps_its_place_and_holds_up_nobody() -> None:
    queue = queue_of(
        [("ann 1", "ann", Urgency.LESSON), ("ann 2", "ann", Urgency.LESSON), ("bob", "bob", Urgency.GROWING)]
    )
    assert queue.take(lambda item: item == "bob") == "bob"
    assert queue.take(lambda item: item == "bob") is None
    assert len(queue) == 2
    queue.remove("ann 1", learner="ann", urgency=Urgency.LESSON)
    assert order_of(queue) == ["ann 2"]
    assert len(queue) == 0


def test_the_tutor_and_the_grading_are_lessons_and_all_else_grows() -> None:
    assert {name: urgency_of(name) for name in ("tutor", "grading", "topic", "an agent of ones own")} == {
        "tutor": Urgency.LESSON,
        "grading": Urgency.LESSON,
        "topic": Urgency.GROWING,
        "an agent of ones own": Urgency.GROWING,
    }
