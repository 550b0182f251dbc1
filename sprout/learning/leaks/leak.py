"""Leaks: the form in which a text gives an answer away."""

from dataclasses import dataclass
from enum import StrEnum

from sprout.learning.text.disguises import Disguise


class LeakForm(StrEnum):
    """Form in which an answer stands in a text, undisguised; for the log alone."""

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
    """A leak; `form` is for the log, `part` is a piece of the answer, and neither is shown."""

    form: LeakForm | Disguise
    part: str
