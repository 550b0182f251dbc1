"""Prompts: Markdown files beside their agents, with named placeholders that code fills."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.authored import read_yaml
from sprout.errors import SetupError

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_FENCE = "---\n"


class _FrontMatter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = Field(ge=1)
    placeholders: frozenset[str] = frozenset()
    budget_words: int = Field(ge=1)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its file has it; `budget_words` is how long its text may be before it is filled."""

    name: str
    version: int
    placeholders: frozenset[str]
    budget_words: int
    text: str

    @property
    def words(self) -> int:
        return len(self.text.split())

    def filled(self, **values: str) -> str:
        """The text with every placeholder replaced; a line that holds nothing but empty ones is left out.

        What a value says is never read as a placeholder. Raises SetupError when values are missing or surplus.
        """
        if values.keys() != self.placeholders:
            wanted, given = ", ".join(sorted(self.placeholders)), ", ".join(sorted(values))
            raise SetupError(
                f"prompt {self.name!r} wants the values {wanted or 'none'}, and was given {given or 'none'}"
            )
        lines = [_PLACEHOLDER.sub(lambda found: values[found[1]], line) for line in self._lines_for(values)]
        return "\n".join(lines).strip()

    def _lines_for(self, values: dict[str, str]) -> list[str]:
        kept = []
        for line in self.text.split("\n"):
            names = _PLACEHOLDER.findall(line)
            if not names or _PLACEHOLDER.sub("", line).strip() or any(values[name] for name in names):
                kept.append(line)
        return kept


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of an agent: what it is, what it is asked, and what it is told of what it has left undone."""

    system: Prompt
    request: Prompt
    correction: Prompt


def prompts_of(agent: str, *, correction: str = "correction") -> Prompts:
    """The prompts of an agent by its name. Raises SetupError."""
    return Prompts(load_prompt(agent), load_prompt(f"{agent}.request"), load_prompt(correction))


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `<name>.md`. Raises SetupError, naming the file, when it is not as it must be."""
    path = files("sprout.agents").joinpath(f"{name}.md")
    if not path.is_file():
        raise SetupError(f"there is no prompt {name!r}: {path} is missing")
    return read_prompt(name, path.read_text(encoding="utf-8"))


def read_prompt(name: str, content: str) -> Prompt:
    """The prompt that a file's content is. Raises SetupError."""
    opening, _, rest = content.partition(_FENCE)
    head, fence, text = rest.partition(f"\n{_FENCE}")
    if opening or not fence:
        raise SetupError(f"prompt {name!r} does not begin with front matter between two lines of ---")
    try:
        front = _FrontMatter.model_validate(read_yaml(head))
    except (yaml.YAMLError, ValidationError) as error:
        raise SetupError(f"the front matter of prompt {name!r} cannot be read: {error}") from error
    used = frozenset(_PLACEHOLDER.findall(text))
    if used != front.placeholders:
        odd = ", ".join(sorted(used ^ front.placeholders))
        raise SetupError(f"prompt {name!r}: its placeholders and those that it declares differ in {odd}")
    return Prompt(name, front.version, front.placeholders, front.budget_words, text.strip())
