"""A lesson on a subject that nothing is known of: how to study it with a source of one's own, said as that."""

from functools import cache
from importlib.resources import files

from sprout.authored import read_yaml
from sprout.offline.brains.tutoring.from_course import taught
from sprout.offline.brains.tutoring.teaching import Teaching
from sprout.offline.lessons import Lesson

LONGEST_NAME = 60


def taught_from_nothing(title: str) -> Teaching:
    """Explain, give an example, tell it from its neighbour: each with a question on how that is done well.

    The questions are about studying, since nobody here could mark what is said about the subject.
    """
    name = " ".join(title.split())[:LONGEST_NAME].strip() or "this"
    return taught(_lesson(name), source="nothing")


@cache
def _text() -> str:
    return files("sprout.offline").joinpath("brains", "tutoring", "from_nothing.yaml").read_text(encoding="utf-8")


def _lesson(name: str) -> Lesson:
    safe = name.replace("\\", " ").replace('"', "'")
    return Lesson.model_validate(read_yaml(_text().replace("{t}", safe)))
