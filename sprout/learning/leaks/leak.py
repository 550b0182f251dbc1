"""What is known of a leak (rule H2)."""

from dataclasses import dataclass
from enum import StrEnum

from sprout.learning.text.disguises import Disguise


class LeakForm(StrEnum):
    """How an answer stands in a text, undisguised; for the log alone."""

    EXACT = "exact"
    NORMALISED = "normalised"
    RESPELLED = "respelled"
    NUMERIC = "numeric"
    ANNOUNCED = "announced"
    SINGLED_OUT = "singled_out"
    ELIMINATED = "eliminated"
    FORMULA = "formula"
    SPLIT = "split"
    PARAPHRASE = "paraphrase"
    STEPS = "steps"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class Leak:
    """What gave the answer away: `form` for the log; neither it nor `part`, a piece of the answer, is shown."""

    form: LeakForm | Disguise
    part: str
