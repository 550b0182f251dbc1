"""Course folder: what is added as a file is a course, and what cannot be used is named with its line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sprout.learning.paths.path_file import PathFile, dump_path, parse_path
from sprout.offline.courses.added_course import MAX_CONCEPTS, MAX_PARTS, AddedCourses
from sprout.offline.courses.catalogue import (
    find_answer,
    find_course,
    find_lesson,
    lessons,
    path_plan,
    subconcept_plan,
    use_added_courses,
)
from sprout.offline.courses.course_folder import load_course_folder
from sprout.offline.courses.definitions import definition

ROOT = Path(__file__).parents[3]
BUILT_IN = ROOT / "sprout" / "offline" / "courses"
BROKEN = """sprout_path: 1
title: Broken
topic: { title: Broken }
concepts:
  - title: One
    subconcepts: [{ title: A }]
  - title: Two
    subconcepts: [{ title: B }]
edges:
  - { from: One, to: Two }
  - { from: Two, to: One }
"""


def example(folder: Path, name: str = "fractions") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text((ROOT / "examples" / f"{name}.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return file


def small_path(**fields: object) -> dict[str, Any]:
    concept = {"title": "One", "subconcepts": [{"title": "A part"}]}
    return {"sprout_path": 1, "title": "Small", "topic": {"title": "Small"}, "concepts": [concept], **fields}


def faults_of(folder: Path) -> list[str]:
    return [str(fault).removeprefix(f"{folder}/") for fault in load_course_folder(folder).faults]


@pytest.mark.parametrize("name", ["fractions", "photosynthesis", "ser_and_estar"])
def test_a_path_file_becomes_the_same_path_as_its_import(name: str, tmp_path: Path) -> None:
    path = parse_path(example(tmp_path, name).read_text(encoding="utf-8"))
    found = load_course_folder(tmp_path)
    assert found.faults == ()
    (course,) = found.added.courses
    assert (course.slug, course.title, course.desc) == (name, path.title, path.topic.desc)
    assert [idea.title for idea in course.path.nodes] == [concept.title for concept in path.concepts]
    assert len(course.path.edges) == len(path.edges)
    for concept in path.concepts:
        plan = course.parts[concept.title]
        assert [idea.title for idea in plan.nodes] == [part.title for part in concept.subconcepts]
        assert sorted(item.input["prompt"] for item in plan.questions) == sorted(q.prompt for q in concept.questions)
        titles = {part.title for part in concept.subconcepts}
        assert all(set(item.tests) <= titles for item in plan.questions)


def test_json_is_read_as_yaml_is(tmp_path: Path) -> None:
    path = parse_path(example(tmp_path).read_text(encoding="utf-8"))
    (tmp_path / "fractions.yaml").unlink()
    (tmp_path / "fractions.json").write_text(dump_path(path, "json"), encoding="utf-8")
    (course,) = load_course_folder(tmp_path).added.courses
    assert course.title == "Fractions"


def test_the_order_of_options_does_not_say_which_is_right(tmp_path: Path) -> None:
    example(tmp_path)
    (course,) = load_course_folder(tmp_path).added.courses
    choices = [
        item.input["options"] for plan in course.parts.values() for item in plan.questions if item.input.get("options")
    ]
    assert ["3/8", "5/3", "5/8", "8/5"] in choices


def test_a_course_is_found_only_while_it_is_in_use(tmp_path: Path) -> None:
    example(tmp_path)
    added = load_course_folder(tmp_path).added
    assert find_course("Fractions") is None
    with use_added_courses(added):
        course = find_course("fractions")
        assert course is not None
        assert len(path_plan(course).nodes) == 3
        assert subconcept_plan(course, "equal fractions") is not None
        assert subconcept_plan(course, "Bayes") is None
        assert (
            find_answer("A cake is cut into 8 equal pieces and Mina eats 3. Which part of the cake is left over?")
            == "5/8"
        )
    assert find_course("Fractions") is None
    assert (
        find_answer("A cake is cut into 8 equal pieces and Mina eats 3. Which part of the cake is left over?") is None
    )


def test_of_two_courses_that_a_topic_names_the_one_with_the_longer_name_is_meant(tmp_path: Path) -> None:
    (tmp_path / "vets.yaml").write_text(json.dumps(small_path(title="Bayes for vets")), encoding="utf-8")
    with use_added_courses(load_course_folder(tmp_path).added):
        course = find_course("Bayes for vets")
        assert course is not None
        assert course.slug == "vets"


def test_a_file_in_the_format_of_the_built_in_courses_is_a_course_with_its_lessons(tmp_path: Path) -> None:
    original = yaml.safe_load((BUILT_IN / "bayesian_reasoning.yaml").read_text(encoding="utf-8"))
    text = yaml.safe_dump(original | {"title": "Reasoning about clues", "aliases": ["clues"]}, allow_unicode=True)
    (tmp_path / "clues.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "clues").mkdir()
    for file in (BUILT_IN / "bayesian_reasoning").glob("*.yaml"):
        (tmp_path / "clues" / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    found = load_course_folder(tmp_path)
    assert found.faults == ()
    (course,) = found.added.courses
    assert (course.aliases, len(course.parts)) == (("clues",), 6)
    assert course.lessons == lessons("bayesian_reasoning")
    assert len(course.terms) > 50
    with use_added_courses(found.added):
        named = find_course("clues")
        assert named is not None
        lesson = find_lesson(named, "A percentage is a count out of a hundred")
        assert lesson is not None
        assert find_answer(lesson.steps[0].asks.prompt) == lesson.steps[0].asks.answer


def test_definitions_are_those_of_the_courses_in_use_whatever_was_asked_before(tmp_path: Path) -> None:
    question = "What does marginal mean?"
    one, other = (
        AddedCourses(tuple(with_lesson(tmp_path / name, f"The marginal is a count, and {name} is where it is.")))
        for name in ("here", "there")
    )
    for added, word in ((one, "here"), (other, "there"), (one, "here")):
        with use_added_courses(added):
            assert word in definition("small", question)


def with_lesson(folder: Path, says: str) -> tuple[Any, ...]:
    """The courses of a folder with one course, whose glossary has these words on the marginal."""
    (folder / "small").mkdir(parents=True)
    (folder / "small.yaml").write_text(json.dumps(small_path()), encoding="utf-8")
    first = next(file for file in sorted((BUILT_IN / "bayesian_reasoning").glob("*.yaml")))
    lesson = yaml.safe_load(first.read_text(encoding="utf-8"))[0] | {"subconcept": "A part"}
    terms = [{"term": "marginal", "says": says}]
    (folder / "small" / "glossary.yaml").write_text(yaml.safe_dump(terms), encoding="utf-8")
    (folder / "small" / "one.yaml").write_text(yaml.safe_dump([lesson]), encoding="utf-8")
    found = load_course_folder(folder)
    assert found.faults == ()
    return found.added.courses


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (BROKEN, 11, "edges.1: "),
        (BROKEN.replace("One\n    sub", "One\n    colour: red\n    sub"), 6, "concepts.0.colour: Extra inputs"),
        ('sprout_path: 1\ntitle: "x\n', 3, "it is neither YAML nor JSON: while scanning a quoted scalar"),
        ("sprout_path: 1\ntitle: A\n  b: c\n", 3, "it is neither YAML nor JSON: mapping values are not allowed here"),
        ("sprout_path: 2\ntitle: A\ntopic: {title: A}\n", 1, "sprout_path: "),
        ("title: Old\nconcepts: 3\n", 1, "desc: Field required"),
        ("just words", 1, "a mapping is needed that begins with sprout_path: 1"),
        ("", 1, "a mapping is needed"),
        (yaml.safe_dump(small_path(title="Bayesian reasoning"), sort_keys=False), 2, "there is a course “Bayesian"),
        (yaml.safe_dump(small_path(concepts=[])), 1, "concepts: a course has 1 to 10 concepts, this one has 0"),
        (yaml.safe_dump(small_path(concepts=[{"title": "One"}]), sort_keys=False), 6, "concepts.0: a concept has 1 to"),
        ('{"a":' * 100_000, None, "it is nested too deeply"),
        ("sprout_path: 1\ntitle:\n  " + "- " * 100_000, None, "it is nested too deeply"),
        ("- " * 200_000, 1, "it is not YAML: it is nested more than 100 deep"),
        ("a: &a [x]\nb: [*a, *a]\n", 1, "it is not YAML: a list or mapping has an anchor"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_named_with_its_line(
    text: str, line: int | None, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.yaml").write_text(text, encoding="utf-8")
    example(tmp_path)
    found = load_course_folder(tmp_path)
    assert [course.title for course in found.added.courses] == ["Fractions"]
    fault = found.faults[0]
    assert fault.file == tmp_path / "broken.yaml"
    assert reason in fault.reason
    assert fault.line == line


def test_a_file_that_is_no_text_and_a_folder_that_is_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "picture.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "notes.md").write_text("no course")
    assert faults_of(tmp_path) == ["picture.yaml: it is not UTF-8 text"]
    nowhere = tmp_path / "nowhere"
    assert [str(fault) for fault in load_course_folder(nowhere).faults] == [
        f"{nowhere}: it cannot be read: No such file or directory"
    ]


def test_a_lesson_on_no_part_of_the_course_is_named_with_its_line(tmp_path: Path) -> None:
    example(tmp_path)
    (tmp_path / "fractions").mkdir()
    first = next(file for file in sorted((BUILT_IN / "bayesian_reasoning").glob("*.yaml")))
    (tmp_path / "fractions" / "one.yaml").write_text(first.read_text(encoding="utf-8"), encoding="utf-8")
    assert faults_of(tmp_path) == [
        "fractions/one.yaml, line 2: the course has no part “A percentage is a count out of a hundred”"
    ]
    assert load_course_folder(tmp_path).added.courses == ()


def test_a_course_that_the_agents_could_not_grow_whole_is_refused(tmp_path: Path) -> None:
    many = [{"title": f"C{n}", "subconcepts": [{"title": f"P{n}"}]} for n in range(MAX_CONCEPTS + 1)]
    wide = [{"title": "C", "subconcepts": [{"title": f"P{n}"} for n in range(MAX_PARTS + 1)]}]
    for name, concepts in (("many", many), ("wide", wide)):
        (tmp_path / f"{name}.json").write_text(json.dumps(small_path(concepts=concepts)), encoding="utf-8")
    assert faults_of(tmp_path) == [
        "many.json, line 1: concepts: a course has 1 to 10 concepts, this one has 11",
        "wide.json, line 1: concepts.0: a concept has 1 to 12 subconcepts, this one has 13",
    ]
    assert PathFile.model_validate(small_path(concepts=many)).concepts  # a path all the same, for `sprout seed`


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ([{"term": "odds"}], "0.says: Field required"),
        ([{"term": "odds", "says": "A."}, {"term": "Odds", "says": "B."}], "'Odds' and 'odds' share the name 'odds'"),
    ],
)
def test_a_glossary_that_cannot_be_used_is_named(tmp_path: Path, terms: list[Any], reason: str) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small.yaml").write_text(json.dumps(small_path()), encoding="utf-8")
    (tmp_path / "small" / "glossary.yaml").write_text(yaml.safe_dump(terms), encoding="utf-8")
    found = load_course_folder(tmp_path)
    assert found.added.courses == ()
    assert reason in str(found.faults[0])
