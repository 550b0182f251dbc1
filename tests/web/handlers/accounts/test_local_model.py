"""A class with the local model alone: which server gets what its learners write."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.servers.chosen_settings import ChosenSettings
from harness.servers.signed_in import SignInServer, serving_sign_in
from sprout.accounts.principal import AccountRole
from sprout.errors import SetupError
from sprout.learning.paths.path_file import parse_path
from sprout.models import choose_local_model, model_address, models_in_use
from sprout.offline.demo.router import demo_model
from sprout.offline.server import OfflineServer, running_offline_server

EXAMPLE = Path(__file__).parents[4] / "examples" / "fractions.yaml"
AT_HOME, ELSEWHERE = "at-home", "claude-opus-5-5"


@dataclass(frozen=True, slots=True)
class School:
    """A server with a model elsewhere and a local one, a teacher with a class, and a learner who has its path."""

    server: SignInServer
    elsewhere: OfflineServer
    at_home: OfflineServer
    tess: httpx2.AsyncClient
    anna: httpx2.AsyncClient
    class_url: str
    part_id: str

    @property
    def asked(self) -> tuple[int, int]:
        """Requests to the model elsewhere, and to the local one."""
        return len(self.elsewhere.requests), len(self.at_home.requests)

    async def model_of_a_lesson(self) -> str:
        """The model that the learner's next lesson on the path of the class has."""
        session = (await self.anna.post("/api/chat/sessions", json={"nodeId": self.part_id})).raise_for_status().json()
        turn = await self.anna.post(f"/api/chat/sessions/{session['id']}/tutor", json={"content": ""})
        assert turn.status_code == 200, turn.text
        model: str = (await self.anna.get("/api/runs?agent=tutor")).json()[0]["model"]
        return model


@pytest.fixture
async def school(sqlite_url: str, tmp_path: Path) -> AsyncIterator[School]:
    async with running_offline_server(demo_model()) as elsewhere, running_offline_server(demo_model()) as at_home:
        models: dict[str, Any] = {
            "api_key": "a-key",
            "base_url": elsewhere.base_url,
            "model": ELSEWHERE,
            "local_model": AT_HOME,
            "local_base_url": at_home.base_url,
        }
        async with serving_sign_in(tmp_path, sqlite_url, **models) as server:
            teacher = await server.add_person("tess", AccountRole.TEACHER)
            learner = await server.add_person("anna")
            tess, anna = await server.sign_in("tess"), await server.sign_in("anna")
            path = await server.sprout.stores.exchange.import_path(parse_path(EXAMPLE.read_text()), user_id=teacher)
            class_url = f"/api/classes/{(await tess.post('/api/classes', json={'name': '5b'})).json()['id']}"
            code = (await tess.post(f"{class_url}/code", json={})).json()["code"]["code"]
            (await anna.post("/api/account/classes", json={"code": code})).raise_for_status()
            (await tess.post(f"{class_url}/paths", json={"branchId": path.id})).raise_for_status()
            part, *_ = await server.sprout.stores.paths.nodes(user_id=learner, type="subconcept")
            yield School(server, elsewhere, at_home, tess, anna, class_url, part.id)


async def test_what_learners_of_a_class_with_the_local_model_write_goes_to_its_server_alone(school: School) -> None:
    assert await school.model_of_a_lesson() == ELSEWHERE
    (sent, none) = school.asked
    assert sent > 0
    assert none == 0
    changed = await school.tess.patch(school.class_url, json={"model": "local"})
    assert (changed.status_code, changed.json()["model"]) == (200, "local")
    assert [one["model"] for one in (await school.anna.get("/api/account/classes")).json()] == ["local"]

    assert await school.model_of_a_lesson() == AT_HOME
    assert school.asked[0] == sent, "nothing more went elsewhere, nor did what the run's helpers asked"
    assert school.asked[1] > 0
    assert {one.body["model"] for one in school.at_home.requests} == {AT_HOME}
    assert all("a-key" not in str(one.headers) for one in school.at_home.requests), "the provider's key stays here"

    await school.tess.patch(school.class_url, json={"model": "on"})
    assert await school.model_of_a_lesson() == ELSEWHERE


async def test_the_page_knows_the_local_model_and_the_doctor_asks_it_at_its_own_address(school: School) -> None:
    status = (await school.anna.get("/api/status")).json()
    assert status["localModel"] == {"name": AT_HOME, "server": "127.0.0.1"}
    settings = school.server.sprout.settings
    assert models_in_use(settings)[AT_HOME] == ("local model of classes",)
    assert model_address(settings, AT_HOME) == school.at_home.base_url
    assert model_address(settings, ELSEWHERE) == school.elsewhere.base_url


async def test_without_a_local_model_no_class_can_be_given_it(sqlite_url: str, tmp_path: Path) -> None:
    async with serving_sign_in(tmp_path, sqlite_url) as server:
        await server.add_person("tess", AccountRole.TEACHER)
        tess = await server.sign_in("tess")
        url = f"/api/classes/{(await tess.post('/api/classes', json={'name': '5b'})).json()['id']}"
        refused = await tess.patch(url, json={"name": "6b", "model": "local"})
        assert (refused.status_code, refused.json()["code"]) == (409, "local_model_missing")
        kept = (await tess.get(url)).json()
        assert (kept["name"], kept["model"]) == ("5b", "on"), "nothing of the change is kept"
        assert (await tess.get("/api/status")).json()["localModel"] is None


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"local_model": "mine"}, "SPROUT_LOCAL_BASE_URL, or neither"),
        ({"local_base_url": "http://localhost:11434"}, "SPROUT_LOCAL_BASE_URL, or neither"),
        ({"local_model": "mine", "local_base_url": "http://models.example"}, "https outside the own network"),
        ({"local_model": "mine", "local_base_url": "localhost:11434"}, "https outside the own network"),
    ],
)
def test_half_a_local_model_and_one_over_an_open_network_are_refused(settings: dict[str, str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ChosenSettings.model_validate(settings)


def test_a_local_model_needs_a_name_of_its_own_since_requests_find_their_server_by_it() -> None:
    settings = ChosenSettings.model_validate(
        {"api_key": "k", "model": "mine", "local_model": "mine", "local_base_url": "http://localhost:11434"}
    )
    with pytest.raises(SetupError, match="the name of another model in use"):
        choose_local_model(settings)
