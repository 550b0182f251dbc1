"""Course folder: courses that an operator adds as files, each read and checked by itself.

A course is a path file (`NAME.yaml`, `.yml` or `.json`) or a file in the format of the built-in courses; a folder NAME
beside it holds its lessons and its glossary, in the format of the built-in ones, if it has any.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from pydantic import TypeAdapter, ValidationError

from sprout.errors import SproutError
from sprout.learning.paths.path_file import MAX_FILE_CHARACTERS, InvalidPath, parse_path
from sprout.offline.courses.added_course import (
    AddedCourse,
    AddedCourses,
    course_from_authored,
    course_from_path,
)
from sprout.offline.courses.catalogue import GLOSSARY_FILE, courses, names_of, normalized
from sprout.offline.courses.course_format import Course
from sprout.offline.courses.glossary_format import Term, glossary_of
from sprout.offline.courses.lesson_format import Lesson
from sprout.yaml_loader import check_plain_yaml, load_yaml, yaml_line

ENDINGS = (".yaml", ".yml", ".json")
MAX_COURSES = 100
MAX_LESSON_FILES = 100
MAX_SHOWN = 5  # faults of one file

_IS_PATH_FILE = re.compile(r"""\A\s*\{|^["']?sprout_path["']?\s*:""", re.MULTILINE)  # JSON, or YAML with the key
_NAMED_LINE = re.compile(r"\bline (\d+)")
_YAML_PLACE = re.compile(r' in "<[\w ]+>", line \d+, column \d+:?')


@dataclass(frozen=True, slots=True)
class CourseFault:
    """Why a file is not offered as a course.

    Args:
        line: from 1; None where the fault is of the file as a whole.
    """

    file: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.reason}"


@dataclass(frozen=True, slots=True)
class CourseFolder:
    """What a folder came to: the courses to offer, and why others are not offered."""

    added: AddedCourses
    faults: tuple[CourseFault, ...] = ()


class _Unusable(SproutError):
    """A file is not offered as a course."""

    def __init__(self, faults: Sequence[CourseFault]) -> None:
        super().__init__(str(faults[0]))
        self.faults = faults[:MAX_SHOWN]


def load_course_folder(folder: Path) -> CourseFolder:
    """The courses of a folder, in the order of their files; what cannot be used is left out and reported."""
    try:
        found = sorted(file for file in folder.iterdir() if file.suffix in ENDINGS and file.is_file())
    except OSError as error:
        return CourseFolder(AddedCourses(), (CourseFault(folder, None, f"it cannot be read: {error.strerror}"),))
    taken = {name for course in courses() for name in names_of(course)}
    added: list[AddedCourse] = []
    faults: list[CourseFault] = []
    for file in found[:MAX_COURSES]:
        try:
            added.append(_load_course(file, taken))
            taken |= {*names_of(added[-1])}
        except _Unusable as unusable:
            faults += unusable.faults
    if len(found) > MAX_COURSES:
        faults.append(CourseFault(folder, None, f"only the first {MAX_COURSES} of {len(found)} files are read"))
    return CourseFolder(AddedCourses(tuple(added)), tuple(faults))


def _load_course(file: Path, taken: set[str]) -> AddedCourse:
    """Raises _Unusable."""
    text = _read(file)
    course = _path_course(file, text) if _IS_PATH_FILE.search(text) else _authored_course(file, text)
    if normalized(course.title) in taken:
        raise _Unusable([CourseFault(file, _line(text, ["title"]), f"there is a course “{course.title}” already")])
    folder = file.with_suffix("")
    lessons = tuple(_lessons(folder, {normalized(title) for title in _part_titles(course)}))
    return replace(course, lessons=lessons, terms=_terms(folder / GLOSSARY_FILE))


def _path_course(file: Path, text: str) -> AddedCourse:
    try:
        return course_from_path(parse_path(text), file.stem)
    except InvalidPath as refusal:
        raise _Unusable([_placed_fault(file, text, fault) for fault in refusal.faults]) from None


def _placed_fault(file: Path, text: str, fault: str) -> CourseFault:
    """A fault that begins with its place, as in "concepts.2.title: what is wrong", or names a line itself."""
    place, _, reason = fault.partition(": ")
    if place == "the file":
        named = _NAMED_LINE.findall(reason)
        return CourseFault(file, int(named[-1]) if named else None, _YAML_PLACE.sub("", reason))
    return CourseFault(file, _line(text, place.split(".")), fault)


def _authored_course(file: Path, text: str) -> AddedCourse:
    content = _parse(file, text)
    if not isinstance(content, dict):
        raise _Unusable([CourseFault(file, 1, "a mapping is needed that begins with sprout_path: 1")])
    try:
        return course_from_authored(Course.model_validate(content | {"slug": file.stem}))
    except ValidationError as error:
        raise _Unusable(_validation_faults(file, text, error)) from None


def _lessons(folder: Path, part_titles: set[str]) -> Iterator[Lesson]:
    if not folder.is_dir():
        return
    files = sorted(file for file in folder.iterdir() if file.suffix in ENDINGS and file.name != GLOSSARY_FILE)
    for file in files[:MAX_LESSON_FILES]:
        text = _read(file)
        written = _parse(file, text)
        if not isinstance(written, list):
            raise _Unusable([CourseFault(file, 1, "a list of lessons is needed")])
        for at, lesson in enumerate(written):
            try:
                found = Lesson.model_validate(lesson)
            except ValidationError as error:
                raise _Unusable(_validation_faults(file, text, error, at)) from None
            if normalized(found.subconcept) not in part_titles:
                reason = f"the course has no part “{found.subconcept}”"
                raise _Unusable([CourseFault(file, _line(text, [at, "subconcept"]), reason)])
            yield found


def _terms(file: Path) -> tuple[Term, ...]:
    """The glossary; empty without the file. Raises _Unusable."""
    if not file.is_file():
        return ()
    text = _read(file)
    try:
        terms = TypeAdapter(tuple[Term, ...]).validate_python(_parse(file, text))
        glossary_of(terms)
    except ValidationError as error:
        raise _Unusable(_validation_faults(file, text, error)) from None
    except ValueError as error:
        raise _Unusable([CourseFault(file, None, str(error))]) from None
    return terms


def _part_titles(course: AddedCourse) -> Iterator[str]:
    return (idea.title for plan in course.parts.values() for idea in plan.nodes)


def _validation_faults(file: Path, text: str, error: ValidationError, *above: int) -> list[CourseFault]:
    return [
        CourseFault(
            file,
            _line(text, [*above, *fault["loc"]]),
            f"{'.'.join(map(str, (*above, *fault['loc']))) or 'the file'}: {fault['msg']}",
        )
        for fault in error.errors()[:MAX_SHOWN]
    ]


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > 4 * MAX_FILE_CHARACTERS:  # the most bytes that so many characters take
            raise _Unusable([CourseFault(file, None, f"it has more than {MAX_FILE_CHARACTERS:,} characters")])
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _Unusable([CourseFault(file, None, f"it cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError:
        raise _Unusable([CourseFault(file, None, "it is not UTF-8 text")]) from None


def _parse(file: Path, text: str) -> object:
    try:
        check_plain_yaml(text)
        return load_yaml(text)
    except yaml.YAMLError as error:
        refusal = f"the file: it is not YAML: {' '.join(str(error).split())}"
        raise _Unusable([_placed_fault(file, text, refusal)]) from None


def _line(text: str, location: Sequence[str | int]) -> int | None:
    try:
        check_plain_yaml(text)
        return yaml_line(text, location)
    except yaml.YAMLError:
        return None  # JSON that YAML does not read, such as one with tabs
