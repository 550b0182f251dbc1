"""Plans of review sessions: few questions, the most urgent first, mixed."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.reviews.planning import DuePart, PlannedReview, confusability, mix, plan_reviews, prerequisites


def part(
    name: str, recall: float = 0.5, concept: str = "c", *, is_new: bool = False, words: str = "", was_sure: bool = False
) -> DuePart:
    return DuePart(name, concept, "b", recall, is_new, words or name, was_sure)


def asked(plan: list[PlannedReview]) -> list[str]:
    return [one.part.node_id for one in plan]


def test_V2_what_a_due_part_builds_on_is_covered_by_it() -> None:
    plan = plan_reviews([part("a", 0.7), part("b", 0.8), part("c", 0.9)], [("a", "b"), ("b", "c")])
    assert asked(plan) == ["c"]
    assert {one.node_id for one in plan[0].covers} == {"a", "b"}
    assert plan[0].urgency == 0.7


def test_V2_what_is_farther_than_evidence_reaches_is_asked_itself() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    plan = plan_reviews([part(name) for name in "abcd"], chain)
    assert sorted(asked(plan)) == ["a", "d"]


def test_V2_a_part_that_was_never_reviewed_is_asked_itself() -> None:
    plan = plan_reviews([part("a", 0, is_new=True), part("b", 0.8)], [("a", "b")])
    assert asked(plan) == ["a", "b"]
    assert plan[1].covers == ()


def test_H7_what_was_missed_by_who_was_sure_is_asked_itself_and_first() -> None:
    plan = plan_reviews([part("a", 0.9, was_sure=True), part("b", 0.8), part("c", 0.1)], [("a", "b")])
    assert asked(plan) == ["a", "c", "b"]
    assert plan[2].covers == ()


@given(st.integers(min_value=1, max_value=9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8))), st.data())
def test_V2_everything_that_is_due_is_asked_or_covered_once(
    count: int, pairs: set[tuple[int, int]], data: st.DataObject
) -> None:
    edges = [(f"p{one}", f"p{other}") for one, other in pairs if one < other]
    due = [
        part(f"p{number}", data.draw(st.floats(0, 1)), is_new=data.draw(st.booleans()))
        for number in data.draw(st.permutations(range(9)))[:count]
    ]
    plan = plan_reviews(due, edges)
    named = [one.node_id for review in plan for one in (review.part, *review.covers)]
    assert sorted(named) == sorted(one.node_id for one in due)
    for review in plan:
        under = prerequisites([review.part.node_id], edges)[review.part.node_id]
        assert all(one.node_id in under and not one.is_new for one in review.covers)
    assert [one.urgency for one in plan] == sorted(one.urgency for one in plan)


def test_V4_siblings_that_are_alike_stand_side_by_side_and_topics_alternate() -> None:
    alike = [
        part("mean of a sample", 0.1, "statistics", words="the mean of a sample"),
        part("median of a sample", 0.4, "statistics", words="the median of a sample"),
    ]
    others = [
        part("range", 0.3, "statistics", words="largest minus smallest"),
        part("join", 0.2, "sql", words="joins of tables"),
        part("group", 0.5, "sql", words="rows by key"),
    ]
    assert confusability(*alike) > 0.2 > confusability(alike[0], others[0])
    plan = plan_reviews([*others, *alike], [])
    assert asked(mix(plan)) == ["mean of a sample", "median of a sample", "join", "range", "group"]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc"), st.sampled_from(["x y", "x z", "w"])), max_size=12))
def test_V4_mixing_loses_and_doubles_nothing(drawn: list[tuple[float, str, str]]) -> None:
    due = [part(f"p{at}", recall, concept, words=words) for at, (recall, concept, words) in enumerate(drawn)]
    plan = plan_reviews(due, [])
    assert sorted(asked(mix(plan))) == sorted(asked(plan))
    assert asked(mix(plan))[:1] == asked(plan)[:1]
