"""Parts of the course that a side question is about, named where no sentence answers it."""

from collections.abc import Iterator

from sprout.learning.lessons.lesson_talk import wants_help
from sprout.offline.courses.course_parts import is_specific, nearest_part, part_that_speaks_of
from sprout.offline.demo.tutor.composition import LeakCheck, Snippet
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion
from sprout.offline.demo.tutor.templates import inner_quotes


def is_on_another_part(now: OpenQuestion) -> bool:
    """Whether the message is about another part of the course, and not only that its writer is lost."""
    title = nearest_part(now.lesson.course, now.lesson.subconcept, now.turn.message) if now.lesson.course else ""
    return title not in ("", now.lesson.subconcept) and not wants_help(now.turn.message)


def part_snippets(now: OpenQuestion, check: LeakCheck | None) -> Iterator[Snippet]:
    """The name of the part that the message is about, be it this one, or of another that speaks of it."""
    here = now.lesson.subconcept
    if not now.lesson.course:
        return
    asked = now.lesson.course, here, now.turn.message
    title, name = nearest_part(*asked), "aside_part"
    if title == here:
        name = "aside_this_part"
    elif not title and is_specific(now.lesson.course, now.turn.message) and (title := part_that_speaks_of(*asked)):
        name = "aside_comes_up"
    if not title or (title == here and name == "aside_comes_up"):
        return
    text = now.templates.render(name, title=inner_quotes(title))
    if check is None or check.passes(text):
        yield Snippet(text, whole=True)
