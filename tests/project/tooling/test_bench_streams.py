"""B2 and B7 count what they say they count."""

import pytest

from bench.load import concurrent_runs
from bench.load.streams import growth_mb_an_hour
from bench.servers.stamped_model import A_DELTA
from harness.load.stream_client import CountingReader, delivery_delays_ms


def test_a_reader_counts_events_that_come_in_pieces_and_times_one_in_a_hundred() -> None:
    reader = CountingReader("/api/runs/r/events")
    frames = "".join(f"id: {seq}\nevent: guardrail\ndata: {{}}\n\n" for seq in range(1, 301))
    received = f"HTTP/1.1 200 OK\r\n\r\nretry: 2000\n\n{frames}: ping\n\n".encode()
    for at in range(0, len(received), 7):
        reader.data_received(received[at : at + 7])
    assert (reader.started, reader.events, list(reader.received_ns)) == (True, 300, [100, 200, 300])


def test_a_wait_is_from_telling_to_hearing_and_an_event_that_was_not_heard_is_no_figure() -> None:
    reader = CountingReader("/api/runs/r/events", received_ns={100: 5_000_000})
    assert list(delivery_delays_ms({"r": [100, 2_000_000]}, [reader])) == [3.0]
    with pytest.raises(KeyError):
        list(delivery_delays_ms({"r": [200, 2_000_000]}, [reader]))


def test_memory_that_grows_by_a_megabyte_a_second_grows_by_3600_an_hour() -> None:
    assert growth_mb_an_hour([float(second) for second in range(100)]) == pytest.approx(3600)
    assert growth_mb_an_hour([50.0] * 25 + [80.0] * 75) == 0.0


def test_a_reader_of_many_runs_counts_each_delta_once_whatever_a_snapshot_repeats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrent_runs, "WARM_UP_S", -10.0)
    reader = concurrent_runs.RunReader(b"")
    reader.start_timing(now_ns=5_000_000_000)
    events = [
        'event: block_snapshot\ndata: {"text":"@1000000000@aaaaa @2000000000@aaaaa "}',
        'event: agent_reasoning_delta\ndata: {"text":"@3000000000@aaaaa "}',
        'event: block_snapshot\ndata: {"text":"@1000000000@aaaaa @2000000000@aaaaa @3000000000@aaaaa "}',
        'event: agent_reasoning\ndata: {"text":"@1000000000@aaaaa @2000000000@aaaaa @3000000000@aaaaa "}',
        'event: run_done\ndata: {"status":"completed"}',
    ]
    received = "".join(f"{event}\n\n" for event in events).encode()
    for at in range(0, len(received), 11):
        reader.consume(received[at : at + 11], now_ns=5_000_000_000)
    assert (reader.deltas, reader.completed, list(reader.waits_ms)) == (3, True, [4_000.0, 3_000.0, 2_000.0])


def test_the_provider_of_many_runs_writes_the_time_where_the_reader_looks_for_it() -> None:
    reader = concurrent_runs.RunReader(b"")
    reader.consume(A_DELTA % 17 + A_DELTA % 18, now_ns=20)
    assert reader.deltas == 2
