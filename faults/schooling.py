"""A learner goes through a course over HTTP, from the topic to the last concept, as the page would have them go."""

import json
import time
from functools import partial
from typing import Any

from faults.contesting import Contester, doubted, planted
from faults.desk import Desk, Event
from faults.pupils import Asked, Meant, Pupil, Words
from faults.returning import Returner
from faults.story import ConceptStory, LessonStory, Return, Story, Turn
from faults.textbook import forms, known
from sprout.learning.mastery.mastery import ATTEMPTS_TO_MASTER, MASTERED
from sprout.learning.text.words import one_line

MOST_TURNS = 120  # of a lesson, words beside it among them
SSE_EVERY = 7  # turns
MODES = {"mcq": "mcq", "code": "code"}


class Stuck(Exception):
    """Somebody cannot go on: no part is ready, or a lesson does not end."""


class Schooling:
    """One learner's way through one course."""

    def __init__(
        self, desk: Desk, pupil: Pupil, course: str, *, most_concepts: int = 99, most_lessons: int = 99
    ) -> None:
        self._desk, self._pupil = desk, pupil
        self._most_concepts, self._most_lessons = most_concepts, most_lessons
        self._lessons, self._turns = 0, 0
        self.story = Story(course)

    async def gone_through(self, *, comes_back: bool = False) -> Story:
        """The story, to the last concept or to where it ended. Raises Stuck.

        Args:
            comes_back: whether somebody was away and goes over what the next part rests on first.
        """
        began_s = time.monotonic()
        branch_id, root_id = await self._path()
        if comes_back:
            await self._go_over(branch_id, root_id)
        while self._goes_on() and (concept := await self._next(branch_id, root_id)) is not None:
            await self._concept(branch_id, concept)
        await self._at_the_end(branch_id)
        self.story.seconds = time.monotonic() - began_s
        return self.story

    def _goes_on(self) -> bool:
        return len(self.story.concepts) < self._most_concepts and self._lessons < self._most_lessons

    async def _path(self) -> tuple[str, str]:
        """The branch and its root, made where there is none yet, with the path grown."""
        desk, title = self._desk, self.story.course

        async def branch_found() -> Any:
            return next((one for one in await desk.get("/api/branches") if one["title"] == title), None)

        branch = await desk.made(branch_found, "/api/branches", title=title)
        new = {"type": "root", "title": title, "branchId": branch["id"]}

        async def root_found() -> Any:
            return next(iter(await desk.get("/api/nodes", branchId=branch["id"], type="root")), None)

        root = await desk.made(root_found, "/api/nodes", **new)
        await desk.stream(f"/api/agents/topics/{root['id']}/run")
        desk.look()
        return branch["id"], root["id"]

    async def _graph(self, branch_id: str) -> tuple[list[dict[str, Any]], dict[str, set[str]], dict[str, Any]]:
        """Nodes, what each of them waits for, and progress by node."""
        graph = await self._desk.get(f"/api/branches/{branch_id}/graph")
        before: dict[str, set[str]] = {node["id"]: set() for node in graph["nodes"]}
        for edge in graph["edges"]:
            before[edge["targetNodeId"]].add(edge["sourceNodeId"])
        return graph["nodes"], before, {one["nodeId"]: one for one in graph["progress"]}

    async def _next(self, branch_id: str, parent_id: str) -> dict[str, Any] | None:
        """The first child that is not completed and not locked; None where all are completed. Raises Stuck."""
        nodes, before, progress = await self._graph(branch_id)
        done = {node_id for node_id, one in progress.items() if one["completedAt"]}
        children = [node for node in nodes if node["parentId"] == parent_id]
        left = [node for node in children if node["id"] not in done]
        ready = [node for node in left if before[node["id"]] <= done]
        if left and not ready:
            raise Stuck(f"all is locked: {[node['title'] for node in left]}")
        return ready[0] if ready else None

    async def _go_over(self, branch_id: str, root_id: str) -> None:
        """Look again at what the next part rests on, or else at what came last, each in a session of its own."""
        concept = await self._next(branch_id, root_id)
        part = await self._next(branch_id, concept["id"]) if concept else None
        if part is None or not isinstance(self._pupil, Returner):
            return
        nodes, before, progress = await self._graph(branch_id)
        done = {id_: one["completedAt"] for id_, one in progress.items() if one["completedAt"]}
        known_well = [node for node in nodes if node["type"] == "subconcept" and node["id"] in done]
        rests_on = [node for node in nodes if node["id"] in before[part["id"]]]
        rests_on = rests_on or [max(known_well, key=lambda node: done[node["id"]])]
        mastered = [node["title"] for node in known_well]
        self._pupil.forgets(mastered, first=[node["title"] for node in rests_on])
        again = tuple(LessonStory(node["title"]) for node in rests_on)
        self.story.came_back = Return(frozenset(mastered), frozenset(self._pupil.forgotten), again)
        for node, story in zip(rests_on, again, strict=True):
            await self._lesson(node, story)

    async def _concept(self, branch_id: str, concept: dict[str, Any]) -> None:
        story = ConceptStory(concept["title"])
        self.story.concepts.append(story)
        wrong_key = None
        if isinstance(self._pupil, Contester):
            wrong_key = await planted(self._desk, branch_id, concept["id"])
        await self._diagnostic(concept["id"], story, but=wrong_key.question_id if wrong_key else None)
        if wrong_key is not None:
            story.doubt = await doubted(self._desk, branch_id, concept["id"], wrong_key)
        opened = await self._desk.stream(f"/api/agents/concepts/{concept['id']}/run")
        self._ended_well(opened)
        await self._grades_of_diagnostic(concept["id"], story)
        changes = await self._desk.get(f"/api/branches/{branch_id}/changes", limit=200)
        await self._note_changes(changes, concept, story)
        nodes, _, progress = await self._graph(branch_id)
        self._desk.look()
        mine = [node for node in nodes if node["parentId"] == concept["id"]]
        story.known = [node["title"] for node in mine if (progress.get(node["id"]) or {}).get("completedAt")]
        while self._lessons < self._most_lessons and (part := await self._next(branch_id, concept["id"])) is not None:
            self._lessons += 1
            story.lessons.append(LessonStory(part["title"]))
            await self._lesson(part, story.lessons[-1])
        if self._lessons < self._most_lessons:
            _, _, progress = await self._graph(branch_id)
            if not (progress.get(concept["id"]) or {}).get("completedAt"):
                self.story.broken.append(f"all parts of {concept['title']!r} are completed, and it is not")

    async def _diagnostic(self, concept_id: str, story: ConceptStory, *, but: str | None) -> None:
        """Answer what is asked, but one question."""
        desk = self._desk
        asked = await desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
        for question in asked["questions"]:
            if asked["isComplete"] or question["id"] == but:
                continue
            one = known(question["prompt"], concept_title=story.title)
            options = tuple(json.loads(question["options"])) if question["options"] else ()
            words = self._pupil.says(Asked(one, options, diagnostic=True))
            said = {"selectedOption" if options and words.text in options else "answerText": words.text}
            path = f"/api/assessments/{question['assessmentId']}/answers"
            desk.seen.settled.add(one_line(one.prompt))  # the response to the answer may speak of it
            await desk.made(partial(self._given, path, question["id"]), path, questionId=question["id"], **said)
            story.diagnosed.append((one, words, None))
            desk.look()

    async def _given(self, path: str, question_id: str) -> Any:
        return next((one for one in await self._desk.get(path) if one["questionId"] == question_id), None)

    async def _session(self, node_id: str) -> Any:
        """The session that is open; what is not firm any more is taught in a new one."""
        sessions = await self._desk.get("/api/chat/sessions", nodeId=node_id)
        return next((one for one in sessions if not one["endedAt"]), None)

    async def _grades_of_diagnostic(self, concept_id: str, story: ConceptStory) -> None:
        if not story.diagnosed:
            return
        asked = await self._desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
        if not asked["questions"]:
            return
        given = await self._desk.get(f"/api/assessments/{asked['questions'][0]['assessmentId']}/answers")
        if len(given) != len({answer["questionId"] for answer in given}):
            self.story.broken.append(f"an answer to the diagnostic of {story.title!r} is there twice")
        prompts = {question["id"]: one_line(question["prompt"]) for question in asked["questions"]}
        correct = {prompts.get(answer["questionId"]): answer["isCorrect"] for answer in given}
        story.diagnosed = [(one, words, correct.get(one_line(one.prompt))) for one, words, _ in story.diagnosed]

    async def _note_changes(self, changes: list[dict[str, Any]], concept: dict[str, Any], story: ConceptStory) -> None:
        for change in changes:
            if change["parentId"] == concept["id"] and "refinement" in (change["agent"] or ""):
                story.changes.append(change)
                if not change["reason"]:
                    self.story.broken.append(f"a change of {concept['title']!r} has no reason")

    async def _lesson(self, part: dict[str, Any], story: LessonStory) -> None:
        desk = self._desk
        session = await desk.made(partial(self._session, part["id"]), "/api/chat/sessions", nodeId=part["id"])
        id_ = session["id"]
        told = await desk.post(f"/api/chat/sessions/{id_}/tutor", content="")
        grades: dict[str, float | None] = {}
        number, said, prompt = 1, list[Words](), None
        for _ in range(MOST_TURNS):
            if told["isComplete"]:
                break
            question = told["question"]
            if question is None:
                raise Stuck(f"{part['title']!r} is not over and has no question: {told['message'][:200]}")
            if prompt is not None and one_line(question["prompt"]) != prompt:
                number, said = number + 1, []
            prompt = one_line(question["prompt"])
            one = known(question["prompt"])
            stands = await desk.get(f"/api/chat/sessions/{id_}/lesson")
            self._same_question(stands["question"], question, "is not the one of the lesson")
            asked = Asked(
                one, tuple(question["options"] or ()), stands["helpLevel"], tuple(said), told["message"], number
            )
            words = self._pupil.says(asked)
            before, told = told, await self._said(id_, words, question, said)
            said.append(words)
            turn = await self._noted(id_, asked, words, told)
            story.turns.append(turn)
            if told["graded"]:
                grades[told["graded"]["answerId"]] = told["graded"]["score"]
            if words.meant != "answer" and not turn.settled:
                self._same_question(told["question"], before["question"], "is gone after words beside it")
            self._pupil.hears(one, told["message"], turn.then, settled=turn.settled)
        else:
            last = story.turns[-1]
            raise Stuck(f"{part['title']!r} does not end: {last.asked.prompt!r} ← {last.words.text!r} → {last.reply!r}")
        await self._after_lesson(part, id_, story, grades)

    async def _said(self, session_id: str, words: Words, question: dict[str, Any], said: list[Words]) -> dict[str, Any]:
        """The reply to a turn, of which some are streamed."""
        desk, seen = self._desk, self._desk.seen
        prompt = one_line(question["prompt"])
        content = _content(words.text, words.meant, question["type"])
        if words.meant == "answer" and words.right is not None:
            seen.tried.add(prompt)
        if words.right is None and not words.tactic and words.meant != "aside":
            seen.unknown.update(forms(known(prompt)))
        self._turns += 1
        path = f"/api/chat/sessions/{session_id}/tutor"
        if self._turns % SSE_EVERY:
            told: dict[str, Any] = await desk.post(path, content=content)
            return told
        events = await desk.stream(path, content=content)
        self._ended_well(events)
        graded = [event.data for event in events if event.kind == "graded"]
        messages = await desk.get(f"/api/chat/sessions/{session_id}/messages")
        stands = await desk.get(f"/api/chat/sessions/{session_id}/lesson")
        ended = next(one["endedAt"] for one in await desk.get("/api/chat/sessions") if one["id"] == session_id)
        return {
            "message": messages[-1]["content"],
            "question": stands["question"],
            "isComplete": bool(ended),
            "graded": graded[-1] if graded else None,
            "runId": events[0].data.get("runId"),
        }

    async def _noted(self, session_id: str, asked: Asked, words: Words, told: dict[str, Any]) -> Turn:
        """The turn with what it has led to; what may be read now is known only now, so all is looked through now."""
        desk, prompt = self._desk, one_line(asked.known.prompt)
        stands = await desk.get(f"/api/chat/sessions/{session_id}/lesson")
        self._same_question(stands["question"], told["question"], "changes when the page is opened again")
        following = one_line(told["question"]["prompt"]) if told["question"] else None
        settled = told["isComplete"] or following != prompt
        level = asked.level if settled else stands["helpLevel"]
        for form in forms(asked.known):
            desk.seen.levels[form] = max(desk.seen.levels.get(form, 0), level)
        if settled:
            desk.seen.settled.add(prompt)
        if told.get("runId"):
            await desk.text(f"/api/runs/{told['runId']}/events")
            await desk.get(f"/api/runs/{told['runId']}")
        await desk.get(f"/api/chat/sessions/{session_id}/messages")
        desk.look()
        if told["graded"] and told["graded"]["questionId"] == (told["question"] or {}).get("id") and settled:
            self.story.broken.append("a question that was settled is still open")
        return Turn(
            asked.known,
            words,
            told["message"],
            asked.number,
            asked.level,
            level,
            settled,
            stands["completed"],
            told["graded"],
            following,
        )

    async def _after_lesson(
        self, part: dict[str, Any], session_id: str, story: LessonStory, grades: dict[str, float | None]
    ) -> None:
        """What is kept is what was told: grades, progress, and every message once."""
        desk, broken = self._desk, self.story.broken
        kept: dict[str, float | None] = {}
        for assessment in await desk.get("/api/assessments", targetNodeId=part["id"]):
            await desk.get(f"/api/assessments/{assessment['id']}/questions")
            for answer in await desk.get(f"/api/assessments/{assessment['id']}/answers"):
                kept[answer["id"]] = answer["score"]
        broken += [f"a grade is another after a reload: {id_}" for id_ in grades if kept.get(id_) != grades[id_]]
        [progress] = await desk.get("/api/progress", nodeId=part["id"])
        stands = await desk.get(f"/api/chat/sessions/{session_id}/lesson")
        enough = progress["masteryScore"] >= MASTERED and progress["attemptsCount"] >= ATTEMPTS_TO_MASTER
        if abs(progress["masteryScore"] - stands["mastery"]) > 1e-9 or progress["attemptsCount"] != stands["evidence"]:
            broken.append(f"{part['title']!r}: progress and lesson disagree")
        if not (enough and progress["completedAt"]):
            broken.append(f"{part['title']!r}: the lesson is over at {progress['masteryScore']:.2f}, not completed")
        messages = await desk.get(f"/api/chat/sessions/{session_id}/messages")
        mine = [one["content"] for one in messages if one["role"] == "user"]
        if len(mine) != len(story.turns):
            broken.append(f"{part['title']!r}: {len(story.turns)} turns left {len(mine)} messages")
        await desk.get(f"/api/nodes/{part['id']}/contents")
        desk.look()

    async def _at_the_end(self, branch_id: str) -> None:
        """All that can be read of the course as a whole."""
        desk = self._desk
        await desk.text(f"/api/graphs/{branch_id}")
        await desk.get("/api/memories")
        for run in await desk.get("/api/runs", branchId=branch_id, limit=100):
            await desk.text(f"/api/runs/{run['id']}/events")
        nodes, before, progress = await self._graph(branch_id)
        by_id = {node["id"]: node for node in nodes}
        concepts = [node["id"] for node in nodes if node["type"] == "concept"]
        for id_ in concepts:
            asked = await desk.get(f"/api/agents/concepts/{id_}/diagnostic")
            self.story.map.update(f"{by_id[id_]['title']}? {question['prompt']}" for question in asked["questions"])
        desk.look()
        titles = {id_: node["title"] for id_, node in by_id.items()}
        self.story.map.update(f"{titles.get(node['parentId'], '')} / {node['title']}" for node in nodes)
        self.story.map.update(f"{titles[one]} → {titles[id_]}" for id_, sources in before.items() for one in sources)
        self.story.done = bool(concepts) and all((progress.get(id_) or {}).get("completedAt") for id_ in concepts)
        self.story.leaks, self.story.looked_at = desk.leaks, desk.looked_at
        self.story.end = {
            by_id[id_]["title"]: (round(one["masteryScore"], 9), bool(one["completedAt"]), one["attemptsCount"])
            for id_, one in progress.items()
            if id_ in by_id
        }

    def _same_question(self, one: dict[str, Any] | None, other: dict[str, Any] | None, fault: str) -> None:
        if (one or {}).get("id") != (other or {}).get("id"):
            self.story.broken.append(f"the open question {fault}: {one} and {other}")

    def _ended_well(self, events: list[Event]) -> None:
        ends = [event.data for event in events if event.kind == "run_done"]
        if len(ends) != 1 or ends[0].get("status") != "completed":
            self.story.broken.append(f"a stream ended with {ends}")


def _content(text: str, meant: Meant, kind: str) -> str:
    match meant:
        case "answer":
            return f"[ANSWER]\nMode: {MODES.get(kind, 'text')}\n{text}"
        case "aside":
            return f"[CLARIFICATION]\n{text}"
        case "talk":
            return text
