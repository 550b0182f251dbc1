"""The environment variables that Sprout reads, to compare those of deployment files with."""

from collections.abc import Iterable, Iterator

from pydantic import AliasChoices, BaseModel

from sprout.config import Settings


def unknown_settings(names: Iterable[str]) -> set[str]:
    """Those of the names that set nothing."""
    return set(names) - set(_names_of(Settings, "SPROUT_"))


def _names_of(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        match field.validation_alias:
            case AliasChoices(choices=choices):
                yield from map(str, choices)
            case str(alias):
                yield alias
            case _:
                yield f"{prefix}{name.upper()}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _names_of(field.annotation, f"{prefix}{name.upper()}__")
