"""Published formats of prerequisites, with concepts of our own in them (E2, E3)."""

from pathlib import Path

import pytest

from sprout.errors import BadInput, SetupError
from sprout.evaluation.graph.graph_suite import graph_suite
from sprout.evaluation.graph.published_sets import read_expert_sets

TOPICS = "2,Kneading,https://example.org/kneading\n3,Dough: flour, water, salt,NULL,NULL\n5,Baking,NULL\n"
ANNOTATION = "3,2,1\n2,5,1\n5,2,0\n3,5,0\n"
PREQS = 'Baking,Kneading\nKneading,"Flour, water"\n'
PAIRS = PREQS + "Kneading,Baking\n"
OWN = "name: x\nlicence: y\nsets: [{topic: Bread, %s}]"


def write_lecturebank(folder: Path) -> Path:
    (folder / "3topics.csv").write_text(TOPICS)
    (folder / "prerequisite_annotation.csv").write_text(ANNOTATION)
    return folder


def test_E2_lecturebank_is_read_with_titles_that_have_commas(tmp_path: Path) -> None:
    (one,) = read_expert_sets(write_lecturebank(tmp_path)).sets
    assert one.concepts == ("Baking", "Dough: flour, water, salt", "Kneading")
    assert one.pairs == {("Dough: flour, water, salt", "Kneading"), ("Kneading", "Baking")}
    assert one.judged is None


def test_E2_the_second_release_names_its_field_in_the_file(tmp_path: Path) -> None:
    for field in ("CV", "BIO"):
        (tmp_path / f"{field}.topics.tsv").write_text("1\tRods\n2\tEyes\n")
        (tmp_path / f"{field}.annotation.csv").write_text("1,2,1\n")
    assert [one.topic for one in read_expert_sets(tmp_path).sets] == ["Bioinformatics", "Computer vision"]


def test_E2_al_cpl_is_read_with_the_prerequisite_in_the_second_column(tmp_path: Path) -> None:
    (tmp_path / "baking_bread.preqs").write_text(PREQS)
    (one,) = read_expert_sets(tmp_path / "baking_bread.preqs").sets
    assert one.topic == "Baking bread"
    assert one.pairs == {("Flour, water", "Kneading"), ("Kneading", "Baking")}
    assert one.judged is None
    (tmp_path / "baking_bread.pairs").write_text(PAIRS)
    (one,) = read_expert_sets(tmp_path).sets
    assert one.judged == frozenset({*one.pairs, ("Baking", "Kneading")})


def test_E2_a_large_set_is_asked_for_in_parts_of_a_path_s_size(tmp_path: Path) -> None:
    (tmp_path / "x.topics.tsv").write_text("".join(f"{at}\tIdea {at}\n" for at in range(25)))
    (tmp_path / "x.annotation.csv").write_text("".join(f"{at},{at + 1},1\n" for at in range(24)))
    assert [one.id for one in graph_suite(tmp_path).items] == [
        f"1/Natural language processing/{at}" for at in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("prerequisite_annotation.csv", ANNOTATION.replace("5,2,0", "5,9,0"), "line 3: there is no topic '9'"),
        ("prerequisite_annotation.csv", ANNOTATION.replace("2,5,1", "2,5,yes"), "line 2: the label is 'yes'"),
        ("prerequisite_annotation.csv", "3,2\n", "line 1: 3 values are needed"),
        ("prerequisite_annotation.csv", "3,2,0\n", "holds no pairs"),
        ("3topics.csv", "Kneading\n", "line 1: a number and a title are needed"),
        ("3topics.csv", "", "holds no topics"),
        ("more topics.csv", TOPICS, "one list of topics is needed"),
    ],
)  # fmt: skip
def test_E2_a_broken_lecturebank_is_refused_by_its_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    (write_lecturebank(tmp_path) / name).write_text(text)
    with pytest.raises(BadInput, match=says):
        read_expert_sets(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.preqs", "Baking\n", "line 1: 2 values are needed"),
        ("a.preqs", 'Baking,"Knea\n', "line 1"),
        ("a.preqs", "Baking,baking\n", "cannot come before itself"),
        ("a.preqs", f"Baking,{'x' * 201}\n", "1 to 200 characters"),
        ("a.preqs", "", "holds no pairs"),
        ("a.yaml", OWN % "concepts: [A, B], before: [[A, C]]", "'C' is not one of the concepts"),
        ("a.yaml", OWN % "before: []", r"sets\.0: give either"),
        ("a.yaml", OWN % "concepts: [A], notes: B", r"sets\.0: give either"),
        ("a.yaml", "name: x\nlicence: y\nsets: []", "sets"),
        ("a.txt", "x", "no set of prerequisites"),
    ],
)  # fmt: skip
def test_E2_a_broken_set_is_refused_by_its_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=says):
        read_expert_sets(tmp_path / name)


def test_E2_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"none\.preqs cannot be read"):
        read_expert_sets(tmp_path / "none.preqs")


def test_E3_the_sample_asks_for_concepts_in_an_order_that_tells_nothing() -> None:
    sets = read_expert_sets(None).sets
    assert all(list(one.concepts) == sorted(one.concepts) for one in sets)
    assert {bool(one.notes) for one in sets} == {True, False}
