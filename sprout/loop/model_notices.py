"""Notices: the loop's own words to a model, from `model_notices.toml`."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def texts() -> dict[str, str]:
    """The notices by name, with their placeholders."""
    return tomllib.loads(files("sprout.loop").joinpath("model_notices.toml").read_text(encoding="utf-8"))


def notice(name: str, /, **values: object) -> str:
    """The notice of that name with its placeholders filled. Raises KeyError when one is missing."""
    return texts()[name].format(**values)
