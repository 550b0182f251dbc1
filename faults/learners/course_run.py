"""A learner goes through a course over HTTP, from the topic to the last concept, as the page would have them go."""

import json
import time
from functools import partial
from typing import Any

from faults.leaks.learner_client import Event, LearnerClient
from faults.learners.answer_book import equivalent_prompts, find_question
from faults.learners.course_record import ConceptRecord, CourseRecord, LessonRecord, ReturnRecord, TurnRecord
from faults.learners.disputing_learner import DisputingLearner, dispute_question, plant_wrong_key
from faults.learners.returning_learner import ReturningLearner
from faults.learners.scripted_learners import (
    LearnerMessage,
    MessageIntent,
    QuestionSituation,
    ScriptedLearner,
    compared,
)
from sprout.learning.mastery.mastery import LEARNED_FROM
from sprout.learning.text.normalization import one_line

MOST_TURNS = 120  # of a lesson, words beside it among them
SSE_EVERY = 7  # turns
MODES = {"mcq": "mcq", "code": "code"}


class LearnerStuck(Exception):
    """Raised when a learner cannot go on: no part is ready, or a lesson does not end."""


class CourseRun:
    """One learner's way through one course."""

    def __init__(
        self,
        desk: LearnerClient,
        learner: ScriptedLearner,
        course: str,
        *,
        most_concepts: int = 99,
        most_lessons: int = 99,
    ) -> None:
        self._client, self._learner = desk, learner
        self._most_concepts, self._most_lessons = most_concepts, most_lessons
        self._lessons, self._turns = 0, 0
        self.story = CourseRecord(course)

    async def run(self, *, comes_back: bool = False) -> CourseRecord:
        """The story, to the last concept or to where it ended. Raises LearnerStuck.

        Args:
            comes_back: whether the learner returns from an absence, and reviews the next part's prerequisites first.
        """
        began_s = time.monotonic()
        branch_id, root_id = await self._ensure_path()
        if comes_back:
            await self._review(branch_id, root_id)
        while self._has_budget() and (concept := await self._next_ready(branch_id, root_id)) is not None:
            await self._take_concept(branch_id, concept)
        await self._read_course(branch_id)
        self.story.seconds = time.monotonic() - began_s
        return self.story

    def _has_budget(self) -> bool:
        return len(self.story.concepts) < self._most_concepts and self._lessons < self._most_lessons

    async def _ensure_path(self) -> tuple[str, str]:
        """The branch and its root with a generated path, created if missing."""
        desk, title = self._client, self.story.course

        async def branch_found() -> Any:
            return next((one for one in await desk.get("/api/branches") if one["title"] == title), None)

        branch = await desk.get_or_create(branch_found, "/api/branches", title=title)
        new = {"type": "root", "title": title, "branchId": branch["id"]}

        async def root_found() -> Any:
            return next(iter(await desk.get("/api/nodes", branchId=branch["id"], type="root")), None)

        root = await desk.get_or_create(root_found, "/api/nodes", **new)
        await desk.stream(f"/api/agents/topics/{root['id']}/run")
        desk.scan_received()
        return branch["id"], root["id"]

    async def _graph(self, branch_id: str) -> tuple[list[dict[str, Any]], dict[str, set[str]], dict[str, Any]]:
        """Nodes, what each of them waits for, and progress by node."""
        graph = await self._client.get(f"/api/branches/{branch_id}/graph")
        before: dict[str, set[str]] = {node["id"]: set() for node in graph["nodes"]}
        for edge in graph["edges"]:
            before[edge["targetNodeId"]].add(edge["sourceNodeId"])
        return graph["nodes"], before, {one["nodeId"]: one for one in graph["progress"]}

    async def _next_ready(self, branch_id: str, parent_id: str) -> dict[str, Any] | None:
        """The first child that is not completed and not locked; None where all are completed. Raises LearnerStuck."""
        nodes, before, progress = await self._graph(branch_id)
        done = {node_id for node_id, one in progress.items() if one["completedAt"]}
        children = [node for node in nodes if node["parentId"] == parent_id]
        left = [node for node in children if node["id"] not in done]
        ready = [node for node in left if before[node["id"]] <= done]
        if left and not ready:
            raise LearnerStuck(f"all is locked: {[node['title'] for node in left]}")
        return ready[0] if ready else None

    async def _review(self, branch_id: str, root_id: str) -> None:
        """Look again at what the next part rests on, or else at what came last, each in a session of its own."""
        concept = await self._next_ready(branch_id, root_id)
        part = await self._next_ready(branch_id, concept["id"]) if concept else None
        if part is None or not isinstance(self._learner, ReturningLearner):
            return
        nodes, before, progress = await self._graph(branch_id)
        done = {id_: one["completedAt"] for id_, one in progress.items() if one["completedAt"]}
        known_well = [node for node in nodes if node["type"] == "subconcept" and node["id"] in done]
        rests_on = [node for node in nodes if node["id"] in before[part["id"]]]
        rests_on = rests_on or [max(known_well, key=lambda node: done[node["id"]])]
        mastered = [node["title"] for node in known_well]
        self._learner.forget(mastered, first=[node["title"] for node in rests_on])
        again = tuple(LessonRecord(node["title"]) for node in rests_on)
        self.story.return_record = ReturnRecord(frozenset(mastered), frozenset(self._learner.forgotten), again)
        for node, story in zip(rests_on, again, strict=True):
            await self._take_lesson(node, story)

    async def _take_concept(self, branch_id: str, concept: dict[str, Any]) -> None:
        story = ConceptRecord(concept["title"])
        self.story.concepts.append(story)
        wrong_key = None
        if isinstance(self._learner, DisputingLearner):
            wrong_key = await plant_wrong_key(self._client, branch_id, concept["id"])
        await self._take_diagnostic(concept["id"], story, but=wrong_key.question_id if wrong_key else None)
        if wrong_key is not None:
            story.dispute = await dispute_question(self._client, branch_id, concept["id"], wrong_key)
        opened = await self._client.stream(f"/api/agents/concepts/{concept['id']}/run")
        self._check_completed(opened)
        await self._read_diagnostic_grades(concept["id"], story)
        changes = await self._client.get(f"/api/branches/{branch_id}/changes", limit=200)
        await self._note_changes(changes, concept, story)
        nodes, _, progress = await self._graph(branch_id)
        self._client.scan_received()
        mine = [node for node in nodes if node["parentId"] == concept["id"]]
        story.completed_titles = [node["title"] for node in mine if (progress.get(node["id"]) or {}).get("completedAt")]
        while (
            self._lessons < self._most_lessons
            and (part := await self._next_ready(branch_id, concept["id"])) is not None
        ):
            self._lessons += 1
            story.lessons.append(LessonRecord(part["title"]))
            await self._take_lesson(part, story.lessons[-1])
        if self._lessons < self._most_lessons:
            _, _, progress = await self._graph(branch_id)
            if not (progress.get(concept["id"]) or {}).get("completedAt"):
                self.story.violations.append(f"all parts of {concept['title']!r} are completed, and it is not")

    async def _take_diagnostic(self, concept_id: str, story: ConceptRecord, *, but: str | None) -> None:
        """Answer what is asked, but one question."""
        desk = self._client
        asked = await desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
        for question in asked["questions"]:
            if asked["isComplete"] or question["id"] == but:
                continue
            one = find_question(question["prompt"], concept_title=story.title)
            options = tuple(json.loads(question["options"])) if question["options"] else ()
            words = self._learner.respond(QuestionSituation(one, options, diagnostic=True))
            answer = {"selectedOption" if options and words.text in options else "answerText": words.text}
            path = f"/api/assessments/{question['assessmentId']}/answers"
            desk.disclosures.settled.add(one_line(one.prompt))  # the response to the answer may speak of it
            await desk.get_or_create(
                partial(self._find_answer, path, question["id"]), path, questionId=question["id"], **answer
            )
            story.diagnostic_answers.append((one, words, None))
            desk.scan_received()

    async def _find_answer(self, path: str, question_id: str) -> Any:
        return next((one for one in await self._client.get(path) if one["questionId"] == question_id), None)

    async def _find_session(self, node_id: str) -> Any:
        """The session that is open; what is not firm any more is taught in a new one."""
        sessions = await self._client.get("/api/chat/sessions", nodeId=node_id)
        return next((one for one in sessions if not one["endedAt"]), None)

    async def _read_diagnostic_grades(self, concept_id: str, story: ConceptRecord) -> None:
        if not story.diagnostic_answers:
            return
        asked = await self._client.get(f"/api/agents/concepts/{concept_id}/diagnostic")
        if not asked["questions"]:
            return
        given = await self._client.get(f"/api/assessments/{asked['questions'][0]['assessmentId']}/answers")
        if len(given) != len({answer["questionId"] for answer in given}):
            self.story.violations.append(f"an answer to the diagnostic of {story.title!r} is there twice")
        prompts = {question["id"]: one_line(question["prompt"]) for question in asked["questions"]}
        correct = {prompts.get(answer["questionId"]): answer["isCorrect"] for answer in given}
        story.diagnostic_answers = [
            (one, words, correct.get(one_line(one.prompt))) for one, words, _ in story.diagnostic_answers
        ]

    async def _note_changes(self, changes: list[dict[str, Any]], concept: dict[str, Any], story: ConceptRecord) -> None:
        for change in changes:
            if change["parentId"] == concept["id"] and "refinement" in (change["agent"] or ""):
                story.changes.append(change)
                if not change["reason"]:
                    self.story.violations.append(f"a change of {concept['title']!r} has no reason")

    async def _take_lesson(self, part: dict[str, Any], story: LessonRecord) -> None:
        desk = self._client
        session = await desk.get_or_create(
            partial(self._find_session, part["id"]), "/api/chat/sessions", nodeId=part["id"]
        )
        id_ = session["id"]
        response = await desk.post(f"/api/chat/sessions/{id_}/tutor", content="")
        stands = await desk.get(f"/api/chat/sessions/{id_}/lesson")
        grades: dict[str, float | None] = {}
        number, messages_sent, prompt = 1, list[LearnerMessage](), None
        for _ in range(MOST_TURNS):
            if response["isComplete"]:
                break
            question = response["question"]
            if question is None:
                raise LearnerStuck(f"{part['title']!r} is not over and has no question: {response['message'][:200]}")
            if prompt is not None and one_line(question["prompt"]) != prompt:
                number, messages_sent = number + 1, []
            prompt = one_line(question["prompt"])
            one = find_question(question["prompt"])
            self._check_same_question(stands["question"], question, "is not the one of the lesson")
            asked = QuestionSituation(
                one,
                tuple(question["options"] or ()),
                stands["helpLevel"] - one.given,
                tuple(messages_sent),
                response["message"],
                number,
            )
            is_compared = stands["question"]["compare"] is not None
            words = compared(messages_sent[-1]) if is_compared else self._learner.respond(asked)
            before, response = response, await self._send_message(id_, words, question, messages_sent)
            messages_sent.append(words)
            stands = await desk.get(f"/api/chat/sessions/{id_}/lesson")
            turn = await self._record_turn(id_, asked, words, response, stands)
            story.turns.append(turn)
            if response["graded"]:
                grades[response["graded"]["answerId"]] = response["graded"]["score"]
            if words.intent != "answer" and not turn.settled:
                self._check_same_question(response["question"], before["question"], "is gone after words beside it")
            self._learner.observe_reply(one, response["message"], turn.level_after, settled=turn.settled)
        else:
            last = story.turns[-1]
            raise LearnerStuck(
                f"{part['title']!r} does not end: {last.question.prompt!r} ← {last.message.text!r} → {last.reply!r}"
            )
        await self._check_lesson(part, id_, story, grades)

    async def _send_message(
        self, session_id: str, words: LearnerMessage, question: dict[str, Any], messages_sent: list[LearnerMessage]
    ) -> dict[str, Any]:
        """The reply to a turn, of which some are streamed."""
        desk, seen = self._client, self._client.disclosures
        prompt = one_line(question["prompt"])
        content = _message_content(words.text, words.intent, question["type"])
        if words.intent == "answer" and words.right is not None:
            seen.tried.add(prompt)
        self._turns += 1
        path = f"/api/chat/sessions/{session_id}/tutor"
        if self._turns % SSE_EVERY:
            response: dict[str, Any] = await desk.post(path, content=content)
            return response
        events = await desk.stream(path, content=content)
        self._check_completed(events)
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

    async def _record_turn(
        self,
        session_id: str,
        asked: QuestionSituation,
        words: LearnerMessage,
        response: dict[str, Any],
        stands: dict[str, Any],
    ) -> TurnRecord:
        """The turn with what it has led to; what may be read now is known only now, so all is looked through now.

        Args:
            response, stands: the reply, and the lesson as a page shows it that is opened after it.
        """
        desk, prompt = self._client, one_line(asked.known.prompt)
        self._check_same_question(stands["question"], response["question"], "changes when the page is opened again")
        following = one_line(response["question"]["prompt"]) if response["question"] else None
        settled = response["isComplete"] or following != prompt
        level = asked.level if settled else stands["helpLevel"] - asked.known.given
        compares = not settled and stands["question"]["compare"] is not None
        if compares:
            desk.disclosures.compared.add(prompt)
        for form in equivalent_prompts(asked.known):
            desk.disclosures.levels[form] = max(desk.disclosures.levels.get(form, 0), level)
        if settled:
            desk.disclosures.settled.add(prompt)
        if response.get("runId"):
            await desk.text(f"/api/runs/{response['runId']}/events")
            await desk.get(f"/api/runs/{response['runId']}")
        await desk.get(f"/api/chat/sessions/{session_id}/messages")
        desk.scan_received()
        if (
            response["graded"]
            and response["graded"]["questionId"] == (response["question"] or {}).get("id")
            and settled
        ):
            self.story.violations.append("a question that was settled is still open")
        return TurnRecord(
            asked.known,
            words,
            response["message"],
            asked.number,
            asked.level,
            level,
            settled,
            compares,
            stands["completed"],
            response["graded"],
            following,
        )

    async def _check_lesson(
        self, part: dict[str, Any], session_id: str, story: LessonRecord, grades: dict[str, float | None]
    ) -> None:
        """Check that stored grades, progress and messages equal those that were sent, each message once."""
        desk, broken = self._client, self.story.violations
        scores: dict[str, float | None] = {}
        for assessment in await desk.get("/api/assessments", targetNodeId=part["id"]):
            await desk.get(f"/api/assessments/{assessment['id']}/questions")
            for answer in await desk.get(f"/api/assessments/{assessment['id']}/answers"):
                scores[answer["id"]] = answer["score"]
        broken += [f"a grade is another after a reload: {id_}" for id_ in grades if scores.get(id_) != grades[id_]]
        [progress] = await desk.get("/api/progress", nodeId=part["id"])
        stands = await desk.get(f"/api/chat/sessions/{session_id}/lesson")
        enough = progress["masteryScore"] >= LEARNED_FROM
        if abs(progress["masteryScore"] - stands["mastery"]) > 1e-9 or progress["attemptsCount"] != stands["evidence"]:
            broken.append(f"{part['title']!r}: progress and lesson disagree")
        if not (enough and progress["completedAt"]):
            broken.append(f"{part['title']!r}: the lesson is over at {progress['masteryScore']:.2f}, not completed")
        messages = await desk.get(f"/api/chat/sessions/{session_id}/messages")
        mine = [one["content"] for one in messages if one["role"] == "user"]
        if len(mine) != len(story.turns):
            broken.append(f"{part['title']!r}: {len(story.turns)} turns left {len(mine)} messages")
        await desk.get(f"/api/nodes/{part['id']}/contents")
        desk.scan_received()

    async def _read_course(self, branch_id: str) -> None:
        """All that can be read of the course as a whole."""
        desk = self._client
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
        desk.scan_received()
        titles = {id_: node["title"] for id_, node in by_id.items()}
        self.story.map.update(f"{titles.get(node['parentId'], '')} / {node['title']}" for node in nodes)
        self.story.map.update(f"{titles[one]} → {titles[id_]}" for id_, sources in before.items() for one in sources)
        self.story.completed = bool(concepts) and all((progress.get(id_) or {}).get("completedAt") for id_ in concepts)
        self.story.leaks, self.story.scanned_bytes = desk.leaks, desk.scanned_bytes
        self.story.final_progress = {
            by_id[id_]["title"]: (round(one["masteryScore"], 9), bool(one["completedAt"]), one["attemptsCount"])
            for id_, one in progress.items()
            if id_ in by_id
        }

    def _check_same_question(self, one: dict[str, Any] | None, other: dict[str, Any] | None, fault: str) -> None:
        if (one or {}).get("id") != (other or {}).get("id"):
            self.story.violations.append(f"the open question {fault}: {one} and {other}")

    def _check_completed(self, events: list[Event]) -> None:
        ends = [event.data for event in events if event.kind == "run_done"]
        if len(ends) != 1 or ends[0].get("status") != "completed":
            self.story.violations.append(f"a stream ended with {ends}")


def _message_content(text: str, meant: MessageIntent, kind: str) -> str:
    match meant:
        case "answer":
            return f"[ANSWER]\nMode: {MODES.get(kind, 'text')}\n{text}"
        case "aside":
            return f"[CLARIFICATION]\n{text}"
        case "talk" | "compare":
            return text
