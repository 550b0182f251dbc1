"""Days of a learner: in their time zone, from one early morning to the next."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sprout.errors import BadInput
from sprout.learning.reviews.cards import SITTING, Card

DEFAULT_FIRST_HOUR = 4


@dataclass(frozen=True, slots=True)
class LearnerDays:
    """A learner's days.

    Args:
        zone: where the learner is.
        first_hour: the hour, 0..23, at which a day begins.
    """

    zone: tzinfo = field(default=UTC)
    first_hour: int = DEFAULT_FIRST_HOUR

    def day_of(self, moment: datetime) -> date:
        """The learner's date: at two in the night it is still the day before."""
        local = moment.astimezone(self.zone).replace(tzinfo=None)
        return (local - timedelta(hours=self.first_hour)).date()

    def start_of(self, moment: datetime) -> datetime:
        """When the day of that moment began, in UTC."""
        return self._start(self.day_of(moment))

    def end_of(self, moment: datetime) -> datetime:
        """When the day of that moment ends, in UTC."""
        return self._start(self.day_of(moment) + timedelta(days=1))

    def available_from(self, card: Card) -> datetime:
        """From when on a card may be reviewed: the morning of the day it is due, but never within one sitting."""
        return max(self.start_of(card.due_at), card.seen_at + SITTING)

    def is_available(self, card: Card, now: datetime) -> bool:
        """Whether a card may be reviewed now; without a look at the zone where its time has come in any."""
        if now < card.seen_at + SITTING:
            return False
        return card.due_at <= now or self.start_of(card.due_at) <= now

    def _start(self, day: date) -> datetime:
        return datetime.combine(day, time(self.first_hour), self.zone).astimezone(UTC)


def learner_days(time_zone: str | None, first_hour: int) -> LearnerDays:
    """The days by a stored time zone; in UTC without one, or where this machine does not know it."""
    try:
        return LearnerDays(find_zone(time_zone) if time_zone else UTC, first_hour)
    except BadInput:
        return LearnerDays(UTC, first_hour)


def find_zone(name: str) -> tzinfo:
    """The time zone of a name such as Europe/Berlin. Raises BadInput."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(
            "timeZone: {name!r} is no time zone; name one like Europe/Berlin.",
            field="timeZone",
            code="time_zone_unknown",
            name=name[:60],
        ) from error
