"""N9, N10 in short: the server of the streams proof counts its open streams; `make faults` lets bad readers at it."""

from pathlib import Path

from faults.http.stream_readers import count_open_streams
from harness.load.processes import streams_server
from harness.load.stream_client import open_client, open_readers, post_command

READERS = 3


async def test_N10_the_figure_that_the_proof_waits_for_is_the_number_of_open_streams(tmp_path: Path) -> None:
    async with streams_server(tmp_path) as server, open_client(server) as client:
        ids = await post_command(client, f"/bench/runs?count={READERS}")
        assert await count_open_streams(client) == 0
        readers = await open_readers(server, [f"/api/runs/{run_id}/events" for run_id in ids[:READERS]], events=1)
        assert await count_open_streams(client) == READERS
        for reader in readers:
            reader.disconnect()
