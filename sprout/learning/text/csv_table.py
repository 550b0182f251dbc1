"""CSV tables that spreadsheets open as they are meant."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[\d.,]+%?")


def csv_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The table as text, with a mark of its encoding, without which spreadsheets take it for another."""
    text = io.StringIO()
    text.write("\ufeff")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_without_formula(cell) for cell in row] for row in rows)
    return text.getvalue()


def _without_formula(cell: str) -> str:
    """The cell so that no spreadsheet takes it for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
