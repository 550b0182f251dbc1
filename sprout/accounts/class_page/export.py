"""Class progress as a table for spreadsheets: a row for each learner and concept."""

from collections.abc import Iterator

from sprout.accounts.class_page.progress import ClassProgress
from sprout.learning.text.csv_table import csv_table

_COLUMNS = ("learner", "concept", "state", "stuck", "in doubt", "due", "last here")


def progress_csv(progress: ClassProgress) -> str:
    """The learners in the order of the page, each with all concepts; a state is empty where there is no copy of it."""
    return csv_table(_COLUMNS, _rows(progress))


def _rows(progress: ClassProgress) -> Iterator[tuple[str, ...]]:
    for learner in progress.learners:
        for place, concept in enumerate(progress.concepts):
            yield (
                learner.display_name,
                concept.title,
                learner.states[place] or "",
                _yes(place in learner.stuck),
                _yes(place in learner.unsure),
                _yes(place in learner.due_concepts),
                learner.last_active_at or "",
            )


def _yes(said: bool) -> str:
    return "yes" if said else ""
