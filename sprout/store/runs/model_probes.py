"""Probes of models as rows."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import RowMapping, delete, insert, select

from sprout.events import Usage
from sprout.runs.model_probes import ModelProbe
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.columns import table_of
from sprout.store.schema.model_tables import ModelProbeTable

FRESH_S = 2.0  # for so long a probe of another process may not be seen; every run asks
USAGE = ("input_tokens", "output_tokens", "cost_usd")

_probes = table_of(ModelProbeTable)


class SqlModelProbes:
    """ModelProbes on SQL.

    Args:
        addresses: of the servers whose models these are.
    """

    def __init__(self, database: Database, addresses: Sequence[str]) -> None:
        self._database = database
        self._here = _probes.c.address.in_(addresses)
        self._newest: Mapping[str, ModelProbe] = {}
        self._stale_at_s = 0.0

    async def of(self, model: str) -> ModelProbe | None:
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._stale_at_s:
            self._newest = {probe.model: probe for probe in await self.all()}
            self._stale_at_s = now_s + FRESH_S
        return self._newest.get(model)

    async def all(self) -> list[ModelProbe]:
        wanted = select(_probes).where(self._here).order_by(_probes.c.model, _probes.c.probed_at)
        return [_probe(row._mapping) for row in await self._database.fetch(wanted)]

    async def save(self, probe: ModelProbe) -> None:
        values = probe.model_dump(by_alias=False, exclude={"usage"})
        values |= {name: getattr(probe.usage, name) for name in USAGE}

        def body(tx: WriteTransaction) -> None:
            tx.lock(f"model probe:{probe.address}:{probe.model}")
            same = (_probes.c.address == probe.address, _probes.c.model == probe.model)
            tx.connection.execute(delete(_probes).where(*same))
            tx.connection.execute(insert(_probes).values(values))

        await self._database.write_tx(body)
        self._stale_at_s = 0.0


def _probe(row: RowMapping) -> ModelProbe:
    values: dict[str, Any] = {name: value for name, value in row.items() if name not in USAGE}
    return ModelProbe(**values, usage=Usage(**{name: row[name] for name in USAGE}))
