"""The figures of a measurement, kept with what they were measured on; and docs/benchmarks.md, which shows the newest.

`python -m bench.results` writes the page anew.
"""

import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from bench.figure import Figure
from sprout import __version__

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- figures: written by python -m bench.results -->", "<!-- end of figures -->"
LIBRARIES = ("starlette", "uvicorn", "uvloop", "sse-starlette", "anthropic", "SQLAlchemy", "pydantic")


def write_results(name: str, figures: Sequence[Figure]) -> Path:
    """Keep the figures of one measure; the path of the file."""
    now = datetime.now(UTC)
    content = {
        "measure": name,
        "at": now.isoformat(timespec="seconds"),
        "sprout": __version__,
        "machine": describe_machine(),
        "versions": {library: version(library) for library in LIBRARIES},
        "figures": [asdict(figure) | {"ratio": figure.ratio, "met": figure.met} for figure in figures],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}-{now:%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def describe_machine() -> dict[str, str]:
    """Facts about the machine that the figures depend on, in words."""
    memory_gib = psutil.virtual_memory().total / 1024**3
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{memory_gib:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def newest_results() -> list[dict[str, Any]]:
    """The newest results of each measure, in the order of their names."""
    by_measure = {}
    for path in sorted(RESULTS.glob("*-*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        by_measure[content["measure"]] = content
    return [by_measure[name] for name in sorted(by_measure)]


def with_figures(page: str, results: Sequence[Mapping[str, Any]]) -> str:
    """The page with these results between its two marks. Raises ValueError: it has no such marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no place for figures")
    return before + "\n\n".join([BEGIN, *_blocks(results), END]) + after


def _blocks(results: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    for named, those in _by_machine(results).items():
        yield f"Measured on {those[0]['at'][:10]}: {named}."
    yield "| measure | Sprout | floor | ratio | goal | |\n| --- | ---: | ---: | ---: | ---: | --- |\n" + "\n".join(
        _row(figure) for result in results for figure in result["figures"]
    )


def _by_machine(results: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
        named = f"{'; '.join(result['machine'].values())}; Sprout {result['sprout']}, {versions}"
        grouped.setdefault(named, []).append(result)
    return grouped


def _row(figure: Mapping[str, Any]) -> str:
    unit = f" {figure['unit']}" if figure["unit"] else ""
    met = "" if figure["met"] else "**not met**"
    return (
        f"| {figure['name']} | {figure['value']:,.2f}{unit} | {figure['floor']:,.2f}{unit} "
        f"| {figure['ratio']:.2f} | ≤ {figure['goal']:g} | {met} |"
    )


if __name__ == "__main__":
    PAGE.write_text(with_figures(PAGE.read_text(encoding="utf-8"), newest_results()), encoding="utf-8")
