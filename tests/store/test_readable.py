"""D-4: whatever stands in a column of a run, nobody gets a 500, and the other runs are still listed."""

import sqlite3
from collections import Counter
from contextlib import closing
from itertools import product
from pathlib import Path

import httpx2

from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.store.columns import table_of
from sprout.store.run_tables import Run
from tests.web.running import a_static_folder, serving_web

WRONG = ("'{broken'", "cast(x'fffe' as text)", "x'00'", "-1", "null")
KEYS = {"creation", "id"}  # a row with another key is another row
COLUMNS = [column.name for column in table_of(Run).columns if column.name not in KEYS]


async def test_D4_a_run_with_a_damaged_column_is_an_error_and_the_lists_still_work(tmp_path: Path) -> None:
    file = tmp_path / "sprout.sqlite3"
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as web:
        sound, damaged = await web.a_run(), await web.a_run((await web.a_topic("Tides"))[1])
        await web.end(sound)
        await web.end(damaged)
        tried: Counter[int] = Counter()
        for column, value in product(COLUMNS, WRONG):
            kept = overwritten(file, damaged.id, column, value)
            if kept is None:
                continue  # the database itself refuses such a value
            where = f"{column} = {value}"
            listed = await asked(web.client, "/api/runs")
            assert sound.id in [run["id"] for run in listed.json()], where
            assert (await asked(web.client, "/api/branches/summary")).status_code == 200, where
            assert (await asked(web.client, f"/api/runs/{sound.id}")).status_code == 200, where
            one = await asked(web.client, f"/api/runs/{damaged.id}")
            assert one.status_code in (200, 404, 503), where
            tried[one.status_code] += 1
            put_back(file, damaged.id, column, kept)
        assert tried[503] > 20, "most of these values make no sense"
        assert len((await asked(web.client, "/api/runs")).json()) == 2


async def asked(client: httpx2.AsyncClient, address: str) -> httpx2.Response:
    return await client.get(address, params={"userId": DEFAULT_USER_ID})


def overwritten(file: Path, run_id: str, column: str, value: str) -> tuple[object] | None:
    """What stood there before, as it is kept; None where the database did not take the new value."""
    with closing(opened(file)) as connection:
        kept: tuple[object] = connection.execute(f"select {column} from runs where id = ?", [run_id]).fetchone()
        try:
            connection.execute(f"update runs set {column} = {value} where id = ?", [run_id])
        except sqlite3.IntegrityError:
            return None
        return kept


def put_back(file: Path, run_id: str, column: str, kept: tuple[object]) -> None:
    with closing(opened(file)) as connection:
        connection.execute(f"update runs set {column} = ? where id = ?", [kept[0], run_id])


def opened(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    return connection
