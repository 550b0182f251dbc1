"""Months: the numbers of their names."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def months() -> Mapping[str, int]:
    """Name in small letters and without accents, also abbreviated → number, 1 to 12."""
    table = tomllib.loads(files("sprout.learning.marking").joinpath("months.toml").read_text(encoding="utf-8"))
    return {name: number for number, names in enumerate(table["months"], start=1) for name in names.split()}
