"""`python -m bench.capacity`: compute the capacity from the measured figures and write it into docs/capacity.md."""

import sys
from pathlib import Path

from bench.capacity.measurement import load
from bench.capacity.report import report

PAGE = Path(__file__).parents[2] / "docs" / "capacity.md"
BEGIN, END = "<!-- figures: written by python -m bench.capacity -->", "<!-- end of figures -->"


def with_figures(page: str, figures: str) -> str:
    """The page with these figures between its two marks. Raises ValueError: it has no such marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no place for figures")
    return f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}"


def main() -> int:
    figures = report(load())
    PAGE.write_text(with_figures(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
    print(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
