"""Lanes: their names, and which of them hold what a learner waits for."""

LESSON_KINDS = frozenset({"conversation", "grading", "review"})
_CHILD = "child:"


def child_lane(parent_lane: str, run_id: str, key: str) -> str:
    """The lane of a task that a run gives to a child: of the parent's kind, so that both are served alike."""
    return f"{_CHILD}{_kind_of(parent_lane)}:{run_id}:{key}"


def is_lesson(lane: str) -> bool:
    """Whether a learner waits in a lesson for the runs of this lane; the others let paths grow."""
    return _kind_of(lane) in LESSON_KINDS


def _kind_of(lane: str) -> str:
    return lane.removeprefix(_CHILD).partition(":")[0]
