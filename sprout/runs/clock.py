"""The time of day, for people to read: nothing is decided by it."""

from datetime import UTC, datetime


def now() -> datetime:
    """The time by the system's clock."""
    return datetime.now(UTC)
