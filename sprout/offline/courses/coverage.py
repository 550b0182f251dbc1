"""Coverage of the built-in model: the topics that name one of its courses, and the courses near to any other topic.

A topic names a course if a name of several words stands in it, or a name of one word is all that it says: "Python" is
the course on Python, "How to keep a ball python" is not. A slip of spelling or another language only makes a course
near: the learner is asked first.
"""

from rapidfuzz import process
from rapidfuzz.distance import OSA

from sprout.learning.paths.topic_coverage import OfferedCourse, UnknownTopic
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import content_words
from sprout.offline.courses.added_course import NO_COURSES, AddedCourse, AddedCourses
from sprout.offline.courses.catalogue import (
    all_courses,
    find_course,
    names_of,
    normalized,
    path_plan,
    use_added_courses,
)
from sprout.offline.courses.course_format import Course

MAX_TOPIC_CHARACTERS = 400
MAX_WORDS = 40
MIN_SIMILARITY = 0.82  # 0..1; one slip in six letters has 0.83, "conference" and "inference" have 0.8
MIN_LETTERS = 4

_FILLERS = frozenset(
    """
    basics basic beginner beginners class complete course fundamentals intro introduction introductory know learn
    learning lesson lessons please scratch study studying teach tell tutorial understand understanding want work works
    anfaenger anfanger einfach einfuhrung grundkurs grundlagen kurs lernen
    apprendre bases cours debutant debutants initiation introduction
    """.split()
)


class BuiltInCoverage:
    """The courses of the built-in model, those of a folder among them."""

    def __init__(self, added: AddedCourses = NO_COURSES) -> None:
        self._added = added

    def courses(self) -> tuple[OfferedCourse, ...]:
        with use_added_courses(self._added):
            return tuple(_offer(course) for course in all_courses())

    def course_on(self, topic: str) -> OfferedCourse:
        """The course that the topic names. Raises UnknownTopic."""
        with use_added_courses(self._added):
            course = known_course(topic)
            if course is None:
                raise UnknownTopic(topic, near_courses(topic))
            return _offer(course)


def known_course(topic: str) -> Course | AddedCourse | None:
    """The course in use that the topic names; None if it names none, or is about more than its name."""
    topic = topic[:MAX_TOPIC_CHARACTERS]
    course = find_course(topic)
    if course is None:
        return None
    names = [name for name in names_of(course) if f" {name} " in f" {normalized(topic)} "]
    if any(" " in name for name in names):
        return course
    said = {*map(plain, names), *_FILLERS}
    return None if any(word not in said for word in content_words(topic)) else course


def near_courses(topic: str) -> tuple[OfferedCourse, ...]:
    """All courses in use, those first whose names share most words with the topic, slips of spelling allowed."""
    topic = topic[:MAX_TOPIC_CHARACTERS]
    words = [word for word in content_words(topic)[:MAX_WORDS] if word not in _FILLERS]
    scored = [(_score(words, course), course) for course in all_courses()]
    ordered = sorted(scored, key=lambda found: -found[0])
    return tuple(_offer(course, near=score > 0) for score, course in ordered)


def _score(words: list[str], course: Course | AddedCourse) -> float:
    """The sum of the similarities, 0..1 each, of the words that come close to a word of the course's names."""
    known = {word for name in names_of(course) for word in content_words(name) if len(word) >= MIN_LETTERS}
    found = (
        process.extractOne(word, known, scorer=OSA.normalized_similarity, score_cutoff=MIN_SIMILARITY)
        for word in words
        if len(word) >= MIN_LETTERS
    )
    return sum(best[1] for best in found if best is not None)


def _offer(course: Course | AddedCourse, *, near: bool = False) -> OfferedCourse:
    return OfferedCourse(course.title, course.desc, len(path_plan(course).nodes), near)
