"""Sixty days of a learner on a played clock: lessons and reviews, two weeks away, and everything that can go wrong.

The server is a process of its own with a database file, asked over HTTP by two devices. It is killed every few
requests, also while it answers. A part is deleted under its open question and brought back, a card is taken back, the
clock jumps ahead and back, and the learner moves to other time zones. The same learner without kills and with one
device must have the same cards and the same history at the end.
"""

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine

from faults.core.loop_faults import ProofFigure
from faults.crashes.random_kills import kill_without_ending_runs
from faults.leaks.learner_client import USER, LearnerClient
from faults.learners.answer_book import find_question
from faults.learners.course_proofs import LEARNERS, SETTINGS, MarkedCourses, open_classroom, open_marked_courses
from faults.learners.course_run import CourseRun
from faults.learners.scripted_learners import (
    LearnerMessage,
    QuestionSituation,
    ScriptedLearner,
    right_answer,
    seeded_random,
    wrong_answer,
)
from harness.clients.raw_http import ConnectionCut, RawResponse, send_request
from harness.clients.run_follower import RETRY_S
from harness.invariants.database_check import check_database
from harness.invariants.reviews import available, history_by_title, review_faults, reviewed
from harness.prefork.played_clock import PlayedClock
from harness.servers.server_process import ServerSite
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.courses.catalogue import courses
from sprout.store.engine.urls import sync_url

DAYS = 60
AWAY = frozenset({6, 13, *range(24, 39), 47, 48})
FIRST_DAY = datetime(2026, 3, 1, 17, tzinfo=UTC)  # summer time begins in March, in America before it does in Europe
LATEST_HOURS = 5.0  # after that time
MINUTES, ANSWER_S = 5, 60
FORGOTTEN = 0.2  # share of the reviews that are missed, as long as there are lessons
SKIPPED = 0.05
KILL_EVERY = 9  # requests
LONGEST_REQUEST_S = 0.03  # of it, when it is killed
MIDDLE = (0.4, 0.9)  # of the shortest request
LESSON_LIVES_S = (0.2, 1.0)
MOST_ITEMS = 60  # of a session
UNREAD = "unread"  # mark of an answer that settles nothing: "0.05" where a percentage is asked for
MOST_DAYS_AFTER = 60  # until nothing is due any more, once nothing new is learned


@dataclass
class StudyDays:
    """A learner's days.

    Args:
        kills: chance by which the server is killed; None for a server that is left alone, and one device.
        lessons: on so many days at first.
    """

    place: ServerSite
    desk: LearnerClient
    clock: PlayedClock
    learner: ScriptedLearner
    seed: int
    kills: random.Random | None = None
    events: "Events" = field(default_factory=lambda: EVENTS)
    lessons: int = DAYS
    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    day: int = 0

    async def play(self, days: int) -> None:
        """All days, then as many as it takes until nothing is due, with nothing new and nothing forgotten."""
        await self._expect(200, "PATCH", "/api/reviews/settings", minutes=MINUTES)
        for day in range(1, days + 1):
            if day not in AWAY:
                await self._play_day(day)
        self.lessons = 0
        for day in range(days + 1, days + 1 + MOST_DAYS_AFTER):
            if not await self._play_day(day):
                return
        self._blame(f"after {MOST_DAYS_AFTER} days of reviews alone something is still due")

    async def _play_day(self, day: int) -> int:
        """One day; the number of questions that were due on it."""
        self.day = day
        hours = seeded_random(self.seed, "hour", day).uniform(0, LATEST_HOURS)
        self.clock.set(FIRST_DAY + timedelta(days=day, seconds=round(hours * 3_600)))
        self.counts["days"] += 1
        for event in self.events.get(day, ()):
            await event(self)
        before = await self.read(_available_at(self.clock.moment))
        told = await self._expect(200, "GET", "/api/today")
        history = await self.read(lambda connection: reviewed(connection, DEFAULT_USER_ID))
        self._check_size(told, len(before))
        await self._review(told["due"]["today"])
        after = await self.read(_available_at(self.clock.moment))
        since = await self.read(lambda connection: reviewed(connection, DEFAULT_USER_ID))
        lost = before - after - {node_id for node_id, count in since.items() if count > history[node_id]} - self._away
        self._blame(*(f"{node_id} was due and is not any more, without a review" for node_id in lost))
        if day <= self.lessons:
            await self._take_lesson()
        self._blame(*await self.read(lambda connection: [*review_faults(connection, DEFAULT_USER_ID)]))
        return int(told["due"]["due"])

    def _check_size(self, told: dict[str, Any], due_parts: int) -> None:
        """V5: the day has its size, and what does not fit is spread over as few days as it takes."""
        due = told["due"]
        if bool(due_parts) != bool(due["due"]) or due["due"] > due_parts:
            self._blame(f"{due_parts} parts can be reviewed, {due['due']} questions are due")
        if due["minutes"] > MINUTES or due["today"] > MINUTES * 60 // ANSWER_S:
            self._blame(f"a day of {MINUTES} min has {due['today']} reviews, {due['minutes']} min")
        if due["due"] and not due["today"]:
            self._blame("something is due, and nothing of it today")
        if bool(due["due"] - due["today"]) != bool(due["days"]):
            self._blame(f"{due['due'] - due['today']} reviews are spread over {due['days']} days")
        self.counts["longest backlog"] = max(self.counts["longest backlog"], due["due"] - due["today"])

    async def _review(self, today: int) -> None:
        """Today's session, to its end; both devices show the same one."""
        if not today:
            return
        session = await self._expect(201, "POST", "/api/reviews/sessions")
        again = await self._expect(200, "POST", "/api/reviews/sessions")
        if again["id"] != session["id"] or session["total"] != today:
            self._blame(f"{today} reviews fit the day, the session has {session['total']}")
        self.counts["sessions"] += 1
        for _ in range(MOST_ITEMS):
            if (question := session["question"]) is None:
                break
            if self._deletes:
                session = await self._delete_under(session)
            else:
                session = await self._answer(session, question)
        if not session["endedAt"]:
            self._blame("a session does not end")

    async def _answer(self, session: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
        """One answer; what chance decides of it hangs on the part and the day, not on what was asked before."""
        address, item = f"/api/reviews/sessions/{session['id']}", question["itemId"]
        asked_on_day = self.day, question["title"]
        self._asked[asked_on_day] += 1
        chance = seeded_random(self.seed, *asked_on_day, self._asked[asked_on_day])
        if chance.random() < SKIPPED:
            self.counts["skipped"] += 1
            return dict(await self._expect(200, "POST", f"{address}/skip", itemId=item))
        self.clock.move(seconds=ANSWER_S)
        asked = QuestionSituation(find_question(question["prompt"]), tuple(question["options"] or ()))
        knows = chance.random() >= (FORGOTTEN if self.lessons else 0)
        words = right_answer(asked) if knows else wrong_answer(asked, chance.randint(0, 1))
        other = None if knows else wrong_answer(asked, 2)
        reply = await self._answer_twice(f"{address}/answers", _given(item, question, words), other, question)
        if reply["result"]["mark"] == UNREAD and other is not None:
            reply = await self._answer_twice(f"{address}/answers", _given(item, question, other), None, question)
        result = reply["result"]
        if result["mark"] == "to_compare":
            verdicts = {one["id"]: "met" if knows else "missing" for one in result["compare"]["criteria"]}
            reply = await self._expect(200, "POST", f"{address}/marks", itemId=item, verdicts=verdicts)
            result = reply["result"]
        if (result["grade"] == "again") is knows:
            self._blame(f"{words.text!r} to {question['prompt'][:60]!r} was graded {result['grade']}")
        self.counts["answers"] += 1
        return dict(reply["session"])

    async def _answer_twice(
        self, address: str, given: dict[str, Any], other: LearnerMessage | None, question: dict[str, Any]
    ) -> dict[str, Any]:
        """Answer on one device or on both at once, there with the same words or with other wrong ones."""
        if self.kills is None:
            return dict(await self._expect(201, "POST", address, **given))
        theirs = given if other is None else _given(given["itemId"], question, other)
        replies = await asyncio.gather(self.ask("POST", address, given), self.ask("POST", address, theirs))
        kept = [one for one in replies if one.status == 201]
        settled = [one for one in kept if one.body["result"]["mark"] != UNREAD]
        refused = [one for one in replies if one.status == 409 and "answered already" in one.body["error"]]
        one_settles = len(settled) <= 1 and len(kept) + len(refused) == 2
        if not kept or len(refused) > len(settled) or not (len(kept) == 2 if theirs == given else one_settles):
            self._blame(f"two devices were answered {[(one.status, one.body) for one in replies]}"[:300])
        if len(settled) == 2 and settled[0].body["result"] != settled[1].body["result"]:
            self._blame("the same answer got two results")
        self.counts["answered on both devices"] += 1
        return dict((settled or kept)[0].body)

    async def _delete_under(self, session: dict[str, Any]) -> dict[str, Any]:
        """Delete the part whose question is open, and answer it."""
        question, address = session["question"], f"/api/reviews/sessions/{session['id']}"
        self._deletes, self._removed = False, question["nodeId"]
        self._away.add(self._removed)
        removed = await self.ask("DELETE", f"/api/nodes/{self._removed}")
        if removed.status not in (204, 404):  # 404: it was killed after it had done so
            self._blame(f"a part cannot be deleted: {removed.body}")
        refused = await self.ask(
            "POST", f"{address}/answers", {**USER, "itemId": question["itemId"], "answerText": "1"}
        )
        if refused.status != 409 or "removed" not in refused.body["error"]:
            self._blame(f"an answer about a part that was deleted got {refused}")
        return dict(await self._expect(200, "GET", address))

    async def _take_lesson(self) -> None:
        """One lesson, with the diagnostic before it where a concept begins."""
        self.clock.move(minutes=10)
        run = CourseRun(self.desk, self.learner, courses()[0].title, most_lessons=1)
        over = asyncio.Event()
        killing = asyncio.create_task(self._kill_once_in(over))
        try:
            story = await run.run()
        finally:
            over.set()
            await killing
        self.counts["lessons"] += len(story.lessons)
        self._blame(*story.violations)

    async def _kill_once_in(self, over: asyncio.Event) -> None:
        if self.kills is None:
            return
        try:
            async with asyncio.timeout(self.kills.uniform(*LESSON_LIVES_S)):
                await over.wait()
        except TimeoutError:
            await self._kill()

    async def _kill(self) -> None:
        await kill_without_ending_runs(self.place)
        await self.place.start()
        self.counts["kills"] += 1

    async def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> RawResponse:
        """The answer of whichever process gives one; every few requests it is killed meanwhile."""
        self.counts["requests"] += 1
        if self.kills is None or self.counts["requests"] % KILL_EVERY:
            begun = time.perf_counter()
            answer = await self._until_answered(method, path, body)
            self._shortest_s = min(self._shortest_s, time.perf_counter() - begun)
            return answer
        asking = asyncio.create_task(self._until_answered(method, path, body))
        usual_s = self.kills.uniform(*MIDDLE) * self._shortest_s  # every other time surely in the middle of the request
        moment_s = self.kills.uniform(0, LONGEST_REQUEST_S) if self.counts["kills"] % 2 else usual_s
        await asyncio.wait({asking}, timeout=moment_s)
        self.counts["killed while they answered"] += not asking.done()
        await self._kill()
        return await asking

    async def _until_answered(self, method: str, path: str, body: dict[str, Any] | None) -> RawResponse:
        while True:
            try:
                answer = await send_request(self.place.port, method, path, body)
            except (ConnectionCut, TimeoutError):
                answer = RawResponse(503, {}, None)
            if answer.status != 503:
                return answer
            await asyncio.sleep(RETRY_S)

    async def _expect(self, status: int, method: str, path: str, **body: Any) -> Any:
        """The body of the answer. A 200 for a 201 is what was done before a kill."""
        answer = await self.ask(method, path, {**USER, **body} if method != "GET" else None)
        if answer.status not in {status, 200}:
            self._blame(f"{method} {path}: {answer.status} {answer.body}")
        return answer.body

    async def read(self, look: Callable[[Connection], Any]) -> Any:
        return await asyncio.to_thread(_read, self.place.database, look)

    def _blame(self, *found: str) -> None:
        self.violations += [f"day {self.day}: {one}" for one in found]

    _shortest_s: float = LONGEST_REQUEST_S
    _asked: Counter[tuple[int, str]] = field(default_factory=Counter)
    _deletes: bool = False
    _removed: str = ""
    _away: set[str] = field(default_factory=set)

    async def delete_next(self) -> None:
        """Delete the next part that is asked about, under its question."""
        self._deletes = True

    async def undo_removal(self) -> None:
        """Bring the deleted part back, with its card and its history."""
        nodes = await self._expect(200, "GET", f"/api/branches?userId={DEFAULT_USER_ID}")
        changes = await self._expect(200, "GET", f"/api/branches/{nodes[0]['id']}/changes")
        removals = [one for one in changes if self._removed in {node["id"] for node in one["before"]["nodes"]}]
        if len(removals) != 1:
            self._blame(f"a part was deleted {len(removals)} times")
        for change in removals:
            await self._expect(200, "POST", f"/api/changes/{change['id']}/undo")
            self._away.discard(self._removed)
            self.counts["brought back"] += 1

    async def jump(self, **delta: float) -> None:
        """A clock that is wrong while a session is begun and answered once, then right again."""
        right = self.clock.moment
        self.clock.move(**delta)
        begun = await self.ask("POST", "/api/reviews/sessions", {**USER, "minutes": MINUTES})
        if begun.status == 201:
            await self._answer(begun.body, begun.body["question"])
        elif begun.status != 409:
            self._blame(f"with a clock that is wrong a session is {begun}")
        self.clock.set(right)
        self.counts["jumps of the clock"] += 1

    async def move_to(self, zone: str) -> None:
        """Another time zone: no card changes."""
        before = await self.read(lambda connection: history_by_title(connection, DEFAULT_USER_ID))
        await self._expect(200, "PATCH", "/api/reviews/settings", timeZone=zone)
        if before != await self.read(lambda connection: history_by_title(connection, DEFAULT_USER_ID)):
            self._blame(f"in {zone} the cards are others")

    async def take_back_card(self) -> None:
        """Say of a part that was never reviewed that it is not known: its card goes."""
        rows = await self._expect(200, "GET", f"/api/progress?userId={DEFAULT_USER_ID}")
        history = await self.read(lambda connection: history_by_title(connection, DEFAULT_USER_ID))
        nodes = {
            one["id"]: one["title"] for one in await self._expect(200, "GET", f"/api/nodes?userId={DEFAULT_USER_ID}")
        }
        fresh = [row for row in rows if row["completedAt"] and history.get(nodes[row["nodeId"]], (None, [1]))[1] == []]
        if not fresh:
            return
        self._away.add(fresh[0]["nodeId"])
        await self._expect(200, "PATCH", f"/api/progress/{fresh[0]['id']}", masteryScore=0.1)
        self.counts["cards taken back"] += 1


def jump(**delta: float) -> "Event":
    return lambda life: life.jump(**delta)


def move_to(zone: str) -> "Event":
    return lambda life: life.move_to(zone)


Event = Callable[[StudyDays], Awaitable[None]]
Events = Mapping[int, Sequence[Event]]
EVENTS: Events = {
    4: (StudyDays.take_back_card,),
    9: (StudyDays.delete_next,),
    11: (StudyDays.undo_removal,),
    15: (jump(days=3),),
    17: (jump(days=-2),),
    19: (move_to("Pacific/Kiritimati"),),
    21: (move_to("America/Los_Angeles"),),
    41: (jump(days=300),),
    43: (move_to("Europe/Berlin"),),
}
LONG_KEPT = {**SETTINGS, "SPROUT_RUNS__KEEP_EVENTS_DAYS": "1000"}  # all logs are compared at the end


async def live_through(
    taught_by: MarkedCourses, days: int, *, seed: int, kills: bool, events: Events = EVENTS, lessons: int = DAYS
) -> tuple[StudyDays, dict[str, tuple[Any, ...]]]:
    """The learner's days, and at the end the cards and reviews of each part by its title."""
    with tempfile.TemporaryDirectory(prefix="sprout-clock-") as folder:
        clock = PlayedClock(Path(folder, "clock"), FIRST_DAY)
        async with open_classroom(taught_by, settings=LONG_KEPT, clock=clock.file) as (place, desk):
            learner = LEARNERS["slipper"](courses()[0], seed)
            life = StudyDays(place, desk, clock, learner, seed, random.Random(seed) if kills else None, events, lessons)
            await life.play(days)
            found = await life.read(lambda connection: history_by_title(connection, DEFAULT_USER_ID))
            await place.processes[-1].kill()
            life.violations += (await asyncio.to_thread(check_database, place.database, whole=False)).faults
            life.violations += [f"the server's log: {line[:300]}" for line in place.errors()[:3]]
            return life, found


async def days(count: int = DAYS, seed: int = 1) -> list[ProofFigure]:
    """A learner's days on a played clock with gaps, kills, two devices, jumps, other time zones and deleted parts."""
    async with open_marked_courses() as taught_by:
        peace, alone = await live_through(taught_by, count, seed=seed, kills=False)
        life, found = await live_through(taught_by, count, seed=seed, kills=True)
    differ = sorted(title for title in {*alone, *found} if alone.get(title) != found.get(title))
    faults = [*peace.violations, *life.violations]
    return [
        *(ProofFigure("days", name, f"{number:,}") for name, number in life.counts.items()),
        ProofFigure("days", "parts with a card at the end", f"{len(found)}"),
        ProofFigure("days", "broken rules", f"{len(faults)}", not faults),
        *(ProofFigure("days", "broken", one[:300], False) for one in faults[:10]),
        ProofFigure("days", "cards and histories that differ from a life without kills", f"{len(differ)}", not differ),
    ]


def _given(item: str, question: dict[str, Any], words: LearnerMessage) -> dict[str, Any]:
    said = {"selectedOption" if question["type"] == "mcq" else "answerText": words.text}
    return {**USER, "itemId": item, "seconds": ANSWER_S, **said}


def _available_at(moment: datetime) -> Callable[[Connection], set[str]]:
    return lambda connection: available(connection, DEFAULT_USER_ID, moment)


def _read(database: str, look: Callable[[Connection], Any]) -> Any:
    engine = create_engine(sync_url(database))
    try:
        with engine.connect() as connection:
            return look(connection)
    finally:
        engine.dispose()


PROOFS: Mapping[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"days": days}
