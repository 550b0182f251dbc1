"""Plan of a lesson: which step a question is at."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.lesson_plan import MAX_STEPS, LessonPlan


def test_a_plan_goes_on_unless_the_same_is_asked_again() -> None:
    first = LessonPlan().after(["a", "b", "c"], "x", same_again=False)
    assert first == LessonPlan(("a", "b", "c"), 1, (1,))
    assert first.after(["other"], "x", same_again=False) == LessonPlan(("a", "b", "c"), 2, (1, 2))
    assert first.after([], "x", same_again=True) == first


def test_a_question_about_a_step_of_the_plan_is_at_that_step() -> None:
    plan = LessonPlan(("a", "b", "c"), 1, (1,))
    assert plan.after([], "c", same_again=False) == LessonPlan(("a", "b", "c"), 3, (1, 3))
    assert plan.after([], "c", same_again=False).after([], "b", same_again=False).step == 2
    assert LessonPlan().after(["a", "b", "a"], "b", same_again=False) == LessonPlan(("a", "b"), 2, (2,))


def test_a_plan_knows_the_steps_that_were_asked_whatever_their_order() -> None:
    last = LessonPlan().after(["a", "b", "c"], "c", same_again=False)
    assert last.asked == (3,)
    assert last.after([], "a", same_again=False).after([], "a", same_again=True).asked == (1, 3)


@given(st.lists(st.text(min_size=1), max_size=20), st.integers(0, 30))
def test_a_plan_never_has_more_than_ten_chunks(can: list[str], turns: int) -> None:
    plan = LessonPlan().after(can, "x", same_again=False)
    for _ in range(turns):
        plan = plan.after((), "x", same_again=False)
    assert plan.step <= MAX_STEPS
    assert plan.step <= max(plan.step_count, 1) <= MAX_STEPS
