"""D-4: whatever stands in a column of a run, nobody gets a 500, and the other runs are still listed."""

import sqlite3
from collections import Counter
from contextlib import closing
from itertools import product
from pathlib import Path

import httpx2

from harness.servers.web import a_static_folder, serving_web
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import Run

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
            original = overwrite(file, damaged.id, column, value)
            if original is None:
                continue  # the database itself refuses such a value
            where = f"{column} = {value}"
            listed = await asked(web.client, "/api/runs")
            assert sound.id in [run["id"] for run in listed.json()], where
            assert (await asked(web.client, "/api/branches/summary")).status_code == 200, where
            assert (await asked(web.client, f"/api/runs/{sound.id}")).status_code == 200, where
            one = await asked(web.client, f"/api/runs/{damaged.id}")
            assert one.status_code in (200, 404, 503), where
            tried[one.status_code] += 1
            restore(file, damaged.id, column, original)
        assert tried[503] > 20, "most of these values make no sense"
        assert len((await asked(web.client, "/api/runs")).json()) == 2


async def asked(client: httpx2.AsyncClient, address: str) -> httpx2.Response:
    return await client.get(address, params={"userId": DEFAULT_USER_ID})


def overwrite(file: Path, run_id: str, column: str, value: str) -> tuple[object] | None:
    """The column's previous value; None if the database refuses the new one."""
    with closing(connect(file)) as connection:
        original: tuple[object] = connection.execute(f"select {column} from runs where id = ?", [run_id]).fetchone()
        try:
            connection.execute(f"update runs set {column} = {value} where id = ?", [run_id])
        except sqlite3.IntegrityError:
            return None
        return original


def restore(file: Path, run_id: str, column: str, value: tuple[object]) -> None:
    with closing(connect(file)) as connection:
        connection.execute(f"update runs set {column} = ? where id = ?", [value[0], run_id])


def connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    return connection
