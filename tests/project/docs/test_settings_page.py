"""The page of settings names every setting, and none that does not exist."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from sprout.config import Settings

PAGE = (Path(__file__).parents[3] / "docs" / "settings.md").read_text(encoding="utf-8")
# Tables of their own: the numbers of the loop, the limits of requests and the budgets stand on the pages that it links.
ELSEWHERE = {"loop", "agents", "limits", "budgets"}


def nested_fields() -> Iterator[tuple[str, set[str]]]:
    """The groups of settings that the page has, each with its names."""
    for name, field in Settings.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):
            if name not in ELSEWHERE and isinstance(kind, type) and issubclass(kind, BaseModel):
                yield name, {*kind.model_fields}


NESTED = dict(nested_fields())


def variables(name: str, field: FieldInfo) -> list[str]:
    """The environment variables that set a field, its usual one first."""
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices]
    return [f"SPROUT_{name.upper()}" if alias is None else str(alias)]


def documented() -> Iterator[str]:
    """The variables in the first column of the page; `…__NAME` continues the one before it."""
    for row in re.findall(r"^\| (`.+?`) \|", PAGE, re.MULTILINE):
        prefix = ""
        for name in re.findall(r"`([^`]+)`", row):
            prefix = name.partition("__")[0] if not name.startswith("…") else prefix
            yield name.replace("…", prefix)


def test_every_setting_has_its_row() -> None:
    named = set(documented())
    fields = {name: field for name, field in Settings.model_fields.items() if name not in NESTED.keys() | ELSEWHERE}
    without_row = [variables(name, field) for name, field in fields.items() if not named & {*variables(name, field)}]
    # Those of AWS are named as the defaults of the bucket's.
    assert [names for names in without_row if f"`{names[0]}`" not in PAGE] == []
    for group, names in NESTED.items():
        assert {f"SPROUT_{group}__{name}".upper() for name in names} <= named


def test_every_row_is_a_setting() -> None:
    known = {variable for name, field in Settings.model_fields.items() for variable in variables(name, field)}
    known |= {f"SPROUT_{group}__{name}".upper() for group, names in NESTED.items() for name in names}
    groups = tuple(f"SPROUT_{name.upper()}__<" for name in ELSEWHERE)
    assert [name for name in documented() if name not in known and not name.startswith(groups)] == []
