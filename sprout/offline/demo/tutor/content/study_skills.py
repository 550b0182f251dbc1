"""Lesson on an unknown subject: how to study it with a source of one's own, declared as such."""

from functools import cache
from importlib.resources import files

from sprout.offline.courses.lesson_format import Lesson
from sprout.offline.demo.tutor.content.from_course import lesson_from_course
from sprout.offline.demo.tutor.lesson import TutorLesson
from sprout.yaml_loader import load_yaml

LONGEST_NAME = 60


def study_skills_lesson(title: str) -> TutorLesson:
    """Explain, give an example, tell it from its neighbour: each with a question on how that is done well.

    The questions are about studying, since answers about the subject could not be marked here.
    """
    name = " ".join(title.split())[:LONGEST_NAME].strip() or "this"
    return lesson_from_course(_lesson(name), source="nothing")


@cache
def _text() -> str:
    return files("sprout.offline.demo.tutor.content").joinpath("study_skills.yaml").read_text(encoding="utf-8")


def _lesson(name: str) -> Lesson:
    safe = name.replace("\\", " ").replace('"', "'")
    return Lesson.model_validate(load_yaml(_text().replace("{t}", safe)))
