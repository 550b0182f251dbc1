"""Outcome store: records of whole items on disk, for items whose requests are never the same twice."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from sprout import __version__
from sprout.evaluation.replies.stored_files import read_stored, write_stored
from sprout.evaluation.suite import Item, Suite
from sprout.events import Usage
from sprout.loop.encoding.canonical_json import canonical_json


class StoredOutcome(BaseModel):
    """The records of an item, and what they cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: list[dict[str, JsonValue]]
    calls: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class OutcomeStore:
    """A folder of outcomes.

    Args:
        models: everything that names the models and the server that they were called at.
    """

    folder: Path
    models: tuple[str, ...]

    def find(self, suite: Suite, item: Item) -> StoredOutcome | None:
        """The stored outcome; None if there is none, or if its file makes no sense. Raises SetupError."""
        text = read_stored(self._path(suite, item))
        try:
            return None if text is None else StoredOutcome.model_validate_json(text)
        except ValidationError:
            return None

    def save(self, suite: Suite, item: Item, outcome: StoredOutcome) -> None:
        """Store an outcome. Raises SetupError: the folder cannot be written."""
        write_stored(self._path(suite, item), outcome.model_dump_json())

    def _path(self, suite: Suite, item: Item) -> Path:
        prompts = {name: one.text for name, one in suite.prompts.items()}
        on = [suite.name, item.id, suite.data.digest, list(self.models), __version__, prompts]
        key = sha256(canonical_json(on).encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.json"
