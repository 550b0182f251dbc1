"""Having the keys of new questions checked, by a helper, before anybody is asked them (Q3)."""

import hashlib
from dataclasses import dataclass

from sprout.agents.agent import Job, Team
from sprout.agents.key_check import KEY_CHECK
from sprout.learning.marking.keys import Keys


@dataclass(frozen=True, slots=True)
class KeyChecks:
    """The checks of one run's questions."""

    keys: Keys
    job: Job
    team: Team

    async def done(self) -> None:
        """Have all checked that are not, and wait for it; a check that fails leaves them as they are.

        The same questions are not checked twice in a run, also not after a crash: their ids name the check.
        """
        ids = await self.keys.unchecked(self.job.node_id, user_id=self.job.user_id)
        if ids:
            digest = hashlib.sha256(" ".join(sorted(ids)).encode()).hexdigest()[:16]
            await self.team.delegate(KEY_CHECK, " ".join(ids), key=f"keys:{digest}")

    async def left_over(self) -> None:
        """Have the questions asked that could not be checked: a diagnostic that never comes helps nobody, and a
        learner who doubts a question can say so (Q4)."""
        await self.keys.pose(self.job.node_id, actor=self.job.actor())
