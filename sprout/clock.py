"""The time of day, read in one place; how long something takes is told by the event loop's clock."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time by the system's clock."""
    return datetime.now(UTC)
