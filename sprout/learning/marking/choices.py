"""Choices: the options of a question, and the grade of the one that was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprout.learning.marking.grades import Grade, Remedy, right_grade, ungraded, wrong_grade
from sprout.learning.text.normalization import one_line

OPTION_LABELS = "ABCDEFGH"  # in the order in which the options are shown


@dataclass(frozen=True, slots=True)
class Option:
    """A choice; its id never changes, whatever letter stands before it and wherever it is shown."""

    id: str
    text: str


def grade_choice(
    options: Sequence[Option], right_id: str, chosen: str, *, misconceptions: Mapping[str, str] | None = None
) -> Grade:
    """The grade of a choice, in whatever order the options stand.

    Args:
        chosen: an option's id or its text.
        misconceptions: option id → the misconception that leads to it.
    """
    if all(option.id != right_id for option in options):
        return ungraded("the right answer is not among the options", remedy=Remedy.PERSON)
    option = chosen_option(options, chosen)
    if option is None:
        return ungraded("not an option", remedy=Remedy.FOLLOW_UP)
    if option.id == right_id:
        return right_grade()
    return wrong_grade((misconceptions or {}).get(option.id))


def chosen_option(options: Sequence[Option], chosen: str) -> Option | None:
    """The option that was chosen: by id, else by text; but for capitals and spaces only where that leaves one, such as
    `f(a,b)` for `f(a, b)`."""
    for option in options:
        if option.id == chosen:
            return option
    same = [option for option in options if option.text == chosen]
    alike = same or [one for one in options if one_line(one.text).casefold() == one_line(chosen).casefold()]
    alike = alike or [one for one in options if _without_spaces(one.text) == _without_spaces(chosen)]
    return alike[0] if len(alike) == 1 else None


def _without_spaces(text: str) -> str:
    """The text without spaces and the marks of code: `50%6` for `50 % 6`."""
    return "".join(text.replace("`", "").split()).casefold()
