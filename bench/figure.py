"""One line of what was measured."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; `floor` is what the ratio is taken of, `goal` the most that the ratio may be."""

    name: str
    unit: str
    value: float
    floor: float
    goal: float
    samples: tuple[float, ...] = ()

    @property
    def ratio(self) -> float:
        return self.value / self.floor

    @property
    def met(self) -> bool:
        return self.ratio <= self.goal
