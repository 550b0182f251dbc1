"""System clock, read in one place; durations use the event loop's clock."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
