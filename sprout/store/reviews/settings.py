"""Settings of reviews as rows; without one the defaults hold."""

from typing import cast

from sqlalchemy import Connection, insert, select, update

from sprout.learning.reviews.cards import DEFAULT_RETENTION
from sprout.learning.reviews.days import DEFAULT_FIRST_HOUR, LearnerDays, find_zone, learner_days
from sprout.learning.reviews.repository import ReviewSettings, SettingsChange
from sprout.learning.reviews.workload import DEFAULT_MINUTES, Minutes
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewSettingsRow

_settings = table_of(ReviewSettingsRow)


def settings_of(connection: Connection, user_id: str) -> ReviewSettings:
    """The learner's settings, or the defaults."""
    row = connection.execute(select(_settings).where(_settings.c.user_id == user_id)).one_or_none()
    if row is None:
        return ReviewSettings(
            minutes=DEFAULT_MINUTES, retention=DEFAULT_RETENTION, time_zone=None, day_starts_at=DEFAULT_FIRST_HOUR
        )
    return ReviewSettings(
        minutes=cast(Minutes, row.minutes),
        retention=row.retention,
        time_zone=row.time_zone,
        day_starts_at=row.day_starts_at,
    )


def days_of(settings: ReviewSettings) -> LearnerDays:
    return learner_days(settings.time_zone, settings.day_starts_at)


def change_settings(tx: WriteTransaction, user_id: str, change: SettingsChange) -> ReviewSettings:
    """The settings with what is given changed. Raises BadInput: the time zone is unknown."""
    if change.time_zone is not None:
        find_zone(change.time_zone)
    tx.lock(f"reviews:{user_id}")
    before = settings_of(tx.connection, user_id)
    given = {name: getattr(change, name) for name in ReviewSettings.model_fields}
    changed = before.model_copy(update={name: value for name, value in given.items() if value is not None})
    values = changed.model_dump(by_alias=False)
    updated = tx.connection.execute(update(_settings).where(_settings.c.user_id == user_id).values(**values))
    if not updated.rowcount:
        tx.connection.execute(insert(_settings).values(user_id=user_id, **values))
    return changed
