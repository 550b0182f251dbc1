"""Prompts: Markdown files beside their agents, with named placeholders."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.errors import SetupError
from sprout.yaml_loader import load_yaml

MAX_NAMED_FAULTS = 12

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_DELIMITER = "---\n"


class _FrontMatter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = Field(ge=1)
    placeholders: frozenset[str] = frozenset()
    budget_words: int = Field(ge=1)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file; `budget_words` limits its text before it is filled."""

    name: str
    version: int
    placeholders: frozenset[str]
    budget_words: int
    text: str

    @property
    def words(self) -> int:
        return len(self.text.split())

    def fill(self, **values: str) -> str:
        """The text with every placeholder replaced; a line of nothing but empty placeholders is left out.

        Braces in a value are not placeholders. Raises SetupError: values are missing or surplus.
        """
        if values.keys() != self.placeholders:
            wanted, given = ", ".join(sorted(self.placeholders)), ", ".join(sorted(values))
            raise SetupError(
                f"prompt {self.name!r} wants the values {wanted or 'none'}, and was given {given or 'none'}"
            )
        lines = [_PLACEHOLDER.sub(lambda found: values[found[1]], line) for line in self._lines_for(values)]
        return "\n".join(lines).strip()

    def fill_correction(self, faults: Sequence[str]) -> str | None:
        """The message that asks for the faults to be mended, naming the first few; None without faults."""
        if not faults:
            return None
        more = [f"And {len(faults) - MAX_NAMED_FAULTS} more of the kind."] if len(faults) > MAX_NAMED_FAULTS else []
        return self.fill(faults=" ".join([*faults[:MAX_NAMED_FAULTS], *more]))

    def _lines_for(self, values: dict[str, str]) -> list[str]:
        kept = []
        for line in self.text.split("\n"):
            names = _PLACEHOLDER.findall(line)
            if not names or _PLACEHOLDER.sub("", line).strip() or any(values[name] for name in names):
                kept.append(line)
        return kept


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of an agent: system prompt, request, and correction of what it left undone."""

    system: Prompt
    request: Prompt
    correction: Prompt


def load_prompts(agent: str, *, correction: str = "correction", short: bool = False) -> Prompts:
    """The prompts of an agent, by its file below `sprout/agents/`: "path/topic". Raises SetupError.

    Args:
        short: takes the system prompt in its short form, for small models.
    """
    system = load_prompt(f"{agent}.short" if short else agent)
    return Prompts(system, load_prompt(f"{agent}.request"), load_prompt(correction))


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `<name>.md` below `sprout/agents/`. Raises SetupError, which names the file."""
    path = files("sprout.agents").joinpath(*f"{name}.md".split("/"))
    if not path.is_file():
        raise SetupError(f"there is no prompt {name!r}: {path} is missing")
    return read_prompt(name.rpartition("/")[2], path.read_text(encoding="utf-8"))


def read_prompt(name: str, content: str) -> Prompt:
    """Parse a prompt file. Raises SetupError."""
    opening, _, rest = content.partition(_DELIMITER)
    head, fence, text = rest.partition(f"\n{_DELIMITER}")
    if opening or not fence:
        raise SetupError(f"prompt {name!r} does not begin with front matter between two lines of ---")
    try:
        front = _FrontMatter.model_validate(load_yaml(head))
    except (yaml.YAMLError, ValidationError) as error:
        raise SetupError(f"the front matter of prompt {name!r} cannot be read: {error}") from error
    used = frozenset(_PLACEHOLDER.findall(text))
    if used != front.placeholders:
        odd = ", ".join(sorted(used ^ front.placeholders))
        raise SetupError(f"prompt {name!r}: its placeholders and those that it declares differ in {odd}")
    return Prompt(name, front.version, front.placeholders, front.budget_words, text.strip())
