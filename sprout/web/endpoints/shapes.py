"""Responses and limits that endpoints share."""

from operator import attrgetter

from sprout.events import Wire
from sprout.web.http.endpoint import ResponseSpec as Status
from sprout.web.schemas import account_responses
from sprout.web.schemas.run_responses import RunRow

RUN_LIMITER, UPLOAD_LIMITER = attrgetter("runs"), attrgetter("uploads")  # per learner
EVENT_STREAM = Status(200, "The run's events: the stored ones, then live.", media_type="text/event-stream")
LEARNER_EVENT_STREAM = Status(
    200,
    "The events, each with its root run as `rootId`; its id is the cursor of all runs.",
    media_type="text/event-stream",
)
HTML_PAGE = Status(200, "A page.", media_type="text/html")
RUN_IN_PROGRESS = Status(202, "It takes longer: the active run.", RunRow)
EXISTING_RUN = Status(200, "The run that was active already.", RunRow)
NO_CONTENT = Status(204, "Done.")
PASSKEY_OPTIONS = (Status(200, "What the browser is asked for.", account_responses.PasskeyOptions),)


def one(description: str, model: type[Wire], status: int = 200) -> tuple[Status, ...]:
    """A response with one row."""
    return (Status(status, description, model),)


def rows(description: str, model: type[Wire]) -> tuple[Status, ...]:
    """A response with a list of rows."""
    return (Status(200, description, model, many=True),)
