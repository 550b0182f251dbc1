"""Findings of the `doctor` command."""

from dataclasses import dataclass
from enum import StrEnum


class FindingStatus(StrEnum):
    OK = "ok"
    NOTE = "note"
    BROKEN = "BROKEN"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: its status and, unless it is fine, the advice."""

    subject: str
    status: FindingStatus
    message: str
