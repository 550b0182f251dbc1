"""Settings that a test alone has chosen: what the machine sets for Sprout has no say."""

from typing import Any

from pydantic_settings import PydanticBaseSettingsSource

from sprout.config import Settings


class ChosenSettings(Settings):
    """Settings of nothing but what is given: no environment and no file is read."""

    @classmethod
    def settings_customise_sources(cls, *_: Any, **sources: Any) -> tuple[PydanticBaseSettingsSource, ...]:
        return (sources["init_settings"],)
