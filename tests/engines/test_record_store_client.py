"""Record stores over HTTP: what their answers mean, and which addresses are never called."""

import asyncio
import json

import pytest
from starlette.responses import JSONResponse, Response

from harness.servers.record_store import KEY, SECRET, RecordStore, serving_record_store
from sprout.accounts.lrs.record_stores import (
    BatchTooLarge,
    NoRecordStoreAddress,
    RecordStoreClient,
    RecordStoreFailed,
    StatementsKnown,
    StoreAccess,
    checked_endpoint,
)
from sprout.engines.reachable_hosts import is_public
from sprout.engines.record_store_client import MAX_BYTES, HttpRecordStoreClient

FITS: type[RecordStoreClient] = HttpRecordStoreClient  # mypy checks it
CLIENT = HttpRecordStoreClient(["127.0.0.1", "LOCALHOST"])
BATCH = json.dumps([{"id": "ba3927f8-7433-56ee-8c78-c4e46d33887f"}]).encode()


async def failure(store: RecordStore, answer: Response) -> tuple[str, float]:
    store.faults.answers = [answer]
    with pytest.raises(RecordStoreFailed) as failed:
        await CLIENT.send(StoreAccess(store.endpoint, KEY, SECRET), BATCH)
    return failed.value.code, failed.value.retry_after_s


async def test_O2_each_answer_of_a_store_means_one_thing() -> None:
    async with serving_record_store() as store:
        access = StoreAccess(store.endpoint, KEY, SECRET)
        statuses = {
            "lrs_refused": (400, 406, 422),
            "lrs_credentials": (401, 403),
            "lrs_no_store": (301, 302, 307, 404, 405, 410),
            "lrs_busy": (408, 429, 500, 502, 503, 504),
        }
        for code, each in statuses.items():
            for status in each:
                elsewhere = {"Location": f"{store.endpoint}/statements"}
                assert await failure(store, Response(status_code=status, headers=elsewhere)) == (code, 0)
        assert await failure(store, Response(status_code=429, headers={"Retry-After": "30"})) == ("lrs_busy", 30)
        assert await failure(store, JSONResponse({"hello": "world"})) == ("lrs_no_store", 0)
        assert await failure(store, JSONResponse([])) == ("lrs_no_store", 0)
        assert await failure(store, Response(b"x" * (MAX_BYTES + 1))) == ("lrs_no_store", 0)
        for status, error in ((409, StatementsKnown), (413, BatchTooLarge)):
            store.faults.answers = [Response(status_code=status)]
            with pytest.raises(error):
                await CLIENT.send(access, BATCH)
        store.faults.answers = [Response(status_code=204)]
        await CLIENT.send(access, BATCH)
        asked = store.asked["statements"]
        assert await CLIENT.about(access) == ["1.0.3", "1.0.0"]
        assert store.asked["statements"] == asked
        assert all(body == BATCH for body in store.bodies)


async def test_O2_this_machine_and_private_networks_are_called_only_if_the_operator_says_so() -> None:
    async with serving_record_store() as store:
        port = store.endpoint.split(":")[2]
        guarded = HttpRecordStoreClient(["lrs.school.example"])
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0", "10.0.0.8"):
            with pytest.raises(RecordStoreFailed) as refused:
                await guarded.about(StoreAccess(f"http://{host}:{port}", KEY, SECRET))
            assert refused.value.code == "lrs_not_allowed", host
        assert store.asked == {}
        await CLIENT.about(StoreAccess(f"http://localhost:{port}", KEY, SECRET))


async def test_O2_who_does_not_answer_is_unreachable_and_waited_for_no_longer_than_is_allowed() -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until the caller has gone
        writer.close()

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        silent_client = HttpRecordStoreClient(["127.0.0.1"], total_s=0.2)
        for endpoint in (f"http://127.0.0.1:{port}", "http://127.0.0.1:9", "https://no-such-host.invalid"):
            with pytest.raises(RecordStoreFailed) as failed:
                await silent_client.about(StoreAccess(endpoint, KEY, SECRET))
            assert failed.value.code == "lrs_unreachable"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("0.0.0.0", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::1", False),
    ],
)
def test_O2_an_address_is_public_or_not(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_O2_an_address_of_a_store_is_https_or_this_machine() -> None:
    assert checked_endpoint(" https://lrs.example:8443/data/xAPI/ ") == "https://lrs.example:8443/data/xAPI"
    assert checked_endpoint("http://127.0.0.1:8080/xapi") == "http://127.0.0.1:8080/xapi"
    for bad in (
        "", "lrs.example", "http://lrs.example", "ftp://lrs.example", "https://", "https://a:b@lrs.example",
        "https://lrs.example/?x=1", "https://lrs.example/#x", "https://lrs.example/a b", "https://lrs.example:x",
        "https://[::1", "https://lrs.example/\x00",
    ):  # fmt: skip
        with pytest.raises(NoRecordStoreAddress):
            checked_endpoint(bad)
