"""Sender of statements to record stores: in batches, again after failures, and each until its store has it.

Ids are made of facts, so that a batch whose answer was lost is sent again and changes nothing.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from pydantic import JsonValue

from sprout.accounts.lrs.record_stores import (
    BatchTooLarge,
    RecordStoreClient,
    RecordStoreFailed,
    StatementsKnown,
    StoreAccess,
    StoreProblem,
)
from sprout.errors import SproutError
from sprout.learning.xapi.facts import Fact
from sprout.learning.xapi.statements import StatementWriter

INTERVAL_S = 30.0
QUIET_S = 55.0  # until a store that has everything gets its next turn
BATCH = 50
TURN = 10 * BATCH  # looked up at once: that takes longer than sending
FIRST_WAIT_S, LONGEST_WAIT_S, LONGEST_ASKED_S = 60.0, 3600.0, 86_400.0

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claim:
    """A record store that this process sends to for now.

    Args:
        token: proves the claim, which another process may take once it has lapsed.
        failures: attempts in a row that failed.
    """

    class_id: str
    token: str
    access: StoreAccess
    with_names: bool
    failures: int


class ClaimLost(SproutError):
    """The store was changed or removed meanwhile, or another process sends to it."""

    code = "lrs_claim_lost"

    def __init__(self) -> None:
        super().__init__("This record store is not ours to send to any more.")


class Outbox(Protocol):
    """Facts that wait for their record store, and the claims of the processes that send."""

    async def claim(self) -> Claim | None:
        """The store whose turn has been due longest and that no process sends to; None where there is none."""
        ...

    async def waiting(self, claim: Claim, limit: int) -> Sequence[Fact]:
        """Facts that the store does not have yet, oldest first."""
        ...

    async def outdated(self, claim: Claim, limit: int) -> Sequence[str]:
        """Ids of statements that the store has, about answers that were marked anew or count no more, oldest first."""
        ...

    async def confirm_voided(self, claim: Claim, statement_ids: Sequence[str]) -> None:
        """Note that the store has been sent the voiding of these, and prolong the claim. Raises ClaimLost."""
        ...

    async def confirm(self, claim: Claim, facts: Sequence[Fact]) -> None:
        """Note that the store has these, and prolong the claim. Raises ClaimLost."""
        ...

    async def release(self, claim: Claim, *, wait_s: float, problem: StoreProblem | None) -> None:
        """End the claim; the store's next turn is after so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class StatementSender:
    """Sends what waits; several processes may do so at once, each to a store of its own."""

    outbox: Outbox
    client: RecordStoreClient
    writer: StatementWriter

    async def send_waiting(self) -> None:
        """Serve every store whose turn is due."""
        while (claim := await self.outbox.claim()) is not None:
            await self._serve(claim)

    async def _serve(self, claim: Claim) -> None:
        try:
            # First: the id of a statement in place of a voided one is made of how many were voided before it.
            while outdated := await self.outbox.outdated(claim, BATCH):
                await self._send(claim, outdated, self.writer.voidings, self.outbox.confirm_voided)
            facts = await self.outbox.waiting(claim, TURN)
            write = partial(self.writer.statements, with_names=claim.with_names)
            for start in range(0, len(facts), BATCH):
                await self._send(claim, facts[start : start + BATCH], write, self.outbox.confirm)
        except ClaimLost:
            return
        except RecordStoreFailed as error:
            log.warning("lrs.not_sent", extra={"class_id": claim.class_id, "reason": error.code})
            await self.outbox.release(claim, wait_s=wait_after(claim.failures, error), problem=error.problem)
        else:
            await self.outbox.release(claim, wait_s=0 if len(facts) == TURN else QUIET_S, problem=None)

    async def _send(
        self,
        claim: Claim,
        batch: Sequence[T],
        write: Callable[[Sequence[T]], list[JsonValue]],
        confirm: Callable[[Claim, Sequence[T]], Awaitable[None]],
    ) -> None:
        """Have the store take the statements of these; in halves where it takes them not at once."""
        try:
            await self.client.send(claim.access, json.dumps(write(batch), ensure_ascii=False).encode())
        except (StatementsKnown, BatchTooLarge) as error:
            if len(batch) > 1:
                half = len(batch) // 2
                await self._send(claim, batch[:half], write, confirm)
                await self._send(claim, batch[half:], write, confirm)
                return
            if isinstance(error, BatchTooLarge):
                raise RecordStoreFailed(StoreProblem.REFUSED) from error
        await confirm(claim, batch)


def wait_after(failures: int, error: RecordStoreFailed) -> float:
    """Seconds until the next attempt: twice as long after each failure, up to an hour, or as the store asks."""
    doubled = min(FIRST_WAIT_S * 2.0 ** min(failures, 10), LONGEST_WAIT_S)
    return max(doubled, min(error.retry_after_s, LONGEST_ASKED_S))
