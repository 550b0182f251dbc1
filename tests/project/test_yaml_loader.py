"""YAML: the line of an item, and texts that no reader survives."""

import pytest
import yaml

from sprout.yaml_loader import MAX_DEPTH, check_plain_yaml, yaml_line

TEXT = """# a course
title: A
concepts:
  - title: One
  - title: Two
    parts: [{title: X},
            {title: Y}]
"""


@pytest.mark.parametrize(
    ("location", "line"),
    [
        ((), 1),
        (("title",), 2),
        (("concepts",), 3),
        (("concepts", 1), 5),
        (("concepts", "1", "parts"), 6),
        (("concepts", 1, "parts", 1, "title"), 7),
        (("concepts", 1, "colour"), 5),
        (("concepts", 9, "title"), 3),
        (("title", 0), 2),
    ],
)
def test_an_item_is_found_by_its_location_and_what_is_missing_by_what_is_above_it(
    location: tuple[str | int, ...], line: int
) -> None:
    assert yaml_line(TEXT, location) == line


def test_anchors_stand_for_single_values_alone() -> None:
    check_plain_yaml("a: &a x\nb: *a\n")
    for text in ("a: &a [x]\n", "a: x\nb: &b {c: d}\n"):
        with pytest.raises(yaml.YAMLError, match="has an anchor, in line"):
            check_plain_yaml(text)


def test_nesting_has_an_end() -> None:
    check_plain_yaml("- " * MAX_DEPTH + "x")
    with pytest.raises(yaml.YAMLError, match=f"nested more than {MAX_DEPTH} deep, in line 1"):
        check_plain_yaml("- " * 1_000_000 + "x")
