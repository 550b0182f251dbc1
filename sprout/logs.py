"""What Sprout tells its operator while it runs: one line for each entry, with its figures behind it."""

import logging

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}
FOREIGN = ("aiosqlite", "alembic", "anthropic", "asyncio", "httpcore2", "httpx2", "sqlalchemy", "uvicorn")


class LineFormatter(logging.Formatter):
    """`time level name message field=value …`: the fields are what the entry was given as `extra`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        fields = "".join(f" {name}={value}" for name, value in vars(record).items() if name not in _STANDARD)
        return (super().formatMessage(record) + fields).replace("\r", "\\r").replace("\n", "\\n")


def set_up(level: str) -> None:
    """Log to standard error from `level` on, of other people's libraries warnings only."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in FOREIGN:
        logging.getLogger(name).setLevel(logging.WARNING)
