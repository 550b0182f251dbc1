"""Drawings of a page that order its text: ruled lines, and rectangles around text."""

from dataclasses import dataclass

MAX_RULE_THICKNESS = 2.5
MIN_RULE_LENGTH = 8.0
MAX_BAR_THICKNESS, MIN_BAR_LENGTH, MAX_BAR_LENGTH = 1.6, 3.0, 320.0
MIN_BOX_WIDTH, MIN_BOX_HEIGHT = 90.0, 14.0
MAX_BOX_SEGMENTS = 24
MAX_DRAWINGS = 4_000


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle in points, from the left and the upper edge of the upright page."""

    x0: float
    top: float
    x1: float
    bottom: float

    def holds(self, x0: float, top: float, x1: float, bottom: float, *, slack: float = 2.0) -> bool:
        """Whether the other rectangle lies in it."""
        inside_x = self.x0 - slack <= x0 and x1 <= self.x1 + slack
        return inside_x and self.top - slack <= top and bottom <= self.bottom + slack

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Drawings:
    """Horizontal and vertical rules, rectangles that can hold text, and bars that may be those of formulas."""

    horizontal: tuple[Area, ...] = ()
    vertical: tuple[Area, ...] = ()
    boxes: tuple[Area, ...] = ()
    bars: tuple[Area, ...] = ()


def sort_drawings(paths: list[tuple[Area, int]]) -> Drawings:
    """The rules and boxes among the paths of a page, each given with the number of its segments."""
    horizontal, vertical, boxes = [], [], []
    for area, segments in paths[:MAX_DRAWINGS]:
        if area.height <= MAX_RULE_THICKNESS and area.width >= MIN_RULE_LENGTH:
            horizontal.append(area)
        elif area.width <= MAX_RULE_THICKNESS and area.height >= MIN_RULE_LENGTH:
            vertical.append(area)
        elif segments <= MAX_BOX_SEGMENTS and area.width >= MIN_RULE_LENGTH and area.height >= MIN_RULE_LENGTH:
            boxes.append(area)
    bars = (area for area, _ in paths[:MAX_DRAWINGS] if area.height <= MAX_BAR_THICKNESS)
    bars = (area for area in bars if MIN_BAR_LENGTH <= area.width <= MAX_BAR_LENGTH)
    return Drawings(tuple(horizontal), tuple(vertical), tuple(boxes), tuple(bars))
