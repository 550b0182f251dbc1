"""SQLite databases that are up to date and hold nothing: copies, since migrating anew takes longer than most tests."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sprout.store.engine.migrate import upgrade


def create_empty_database(folder: Path) -> str:
    """URL of the database in the folder, which is created if missing."""
    file = folder / "sprout.sqlite3"
    if not file.exists():
        file.write_bytes(_migrated_bytes())
    return f"sqlite:///{file}"


@cache
def _migrated_bytes() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder, "sprout.sqlite3")
        upgrade(f"sqlite:///{file}")
        return file.read_bytes()
