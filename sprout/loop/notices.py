"""The loop's own words to a model, from `notices.toml`."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _notices() -> dict[str, str]:
    return tomllib.loads(files("sprout.loop").joinpath("notices.toml").read_text(encoding="utf-8"))


def notice(name: str, /, **values: object) -> str:
    """The notice of that name with its placeholders filled. Raises KeyError when one is missing."""
    return _notices()[name].format(**values)
