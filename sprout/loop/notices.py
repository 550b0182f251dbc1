"""The loop's own words to a model, from `notices.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from string import Formatter


@cache
def _notices() -> dict[str, str]:
    return tomllib.loads(files("sprout.loop").joinpath("notices.toml").read_text(encoding="utf-8"))


def is_notice(name: str, text: str) -> bool:
    """Whether a text is the notice of that name, whatever its placeholders were filled with."""
    return _form(name).fullmatch(text) is not None


@cache
def _form(name: str) -> re.Pattern[str]:
    fields = Formatter().parse(_notices()[name])
    parts = (re.escape(literal) + ("" if field is None else ".*") for literal, field, _, _ in fields)
    return re.compile("".join(parts), re.DOTALL)


def notice(name: str, /, **values: object) -> str:
    """The notice of that name with its placeholders filled. Raises KeyError when one is missing."""
    return _notices()[name].format(**values)
