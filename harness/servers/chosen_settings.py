"""Settings that a test alone has chosen: what the machine sets for Sprout has no say."""

from pydantic_settings import SettingsConfigDict

from sprout.config import Settings


class ChosenSettings(Settings):
    """Settings whose environment variables have a prefix of their own."""

    model_config = SettingsConfigDict(env_prefix="SPROUT_CHOSEN_BY_A_TEST_", env_file=None)
