"""The page about the numbers of the loop says what the code says, and so does doctor."""

from pathlib import Path

from rich.console import Console

from sprout.commands.doctor import examine
from sprout.config import load_settings
from sprout.loop.policy import LoopPolicy

PAGE = Path(__file__).parents[3] / "docs" / "loop-policy.md"


def documented() -> dict[str, str]:
    """Name → default, as the page has them."""
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return {cells[1].strip().strip("`"): cells[2].strip() for cells in rows}


async def test_the_table_that_doctor_prints_is_the_documented_one(tmp_path: Path) -> None:
    console = Console(record=True, width=200)
    await examine(load_settings(data_dir=tmp_path), {"any": LoopPolicy()}, console, probing="none")
    printed = console.export_text().splitlines()
    assert set(documented()) == set(LoopPolicy.model_fields)
    for name, default in documented().items():
        row = next(line for line in printed if line.split()[:1] == [name])
        assert row.split(maxsplit=1)[1].strip() == default
