"""Today over HTTP: one answer with what is due, what comes next, what was gained, and the paths."""

from typing import Any

from harness.servers.web import Web
from tests.web.handlers.teaching.test_next_action import ME, forget, learn, seed


async def today(web: Web) -> dict[str, Any]:
    answer = await web.client.get("/api/today")
    assert answer.is_success, answer.text
    return dict(answer.json())


async def test_without_a_path_the_day_is_empty(own_web: Web) -> None:
    day = await today(own_web)
    assert (day["begun"], day["done"], day["paths"], day["next"]["kind"]) == (False, False, [], "none")
    assert (len(day["week"]["days"]), day["tomorrow"]["reviews"]) == (7, 0)


async def test_a_new_path_is_a_seed_with_its_first_lesson(own_web: Web) -> None:
    await seed(own_web, "Fractions")
    day = await today(own_web)
    (path,) = day["paths"]
    assert (day["begun"], path["leaves"], path["parts"]) == (False, "", 2)
    assert (path["next"]["node"]["title"], day["next"]["node"]["title"]) == ("Halves", "Halves")


async def test_what_is_learned_today_is_told_grows_a_leaf_and_is_due_tomorrow(own_web: Web) -> None:
    branch_id = await seed(own_web, "Fractions")
    await learn(own_web, branch_id, "Parts")
    day = await today(own_web)
    assert (day["begun"], day["done"], day["due"]["today"]) == (True, True, 0)
    assert [part["title"] for part in day["day"]["learned"]] == ["Halves"]
    assert day["day"]["learned"][0]["reviewedAt"] > day["date"]
    assert (day["week"]["parts"], day["week"]["paths"][0]["title"]) == (1, "Fractions")
    assert day["week"]["days"][-1] == {"date": day["date"], "minutes": day["day"]["minutes"]}
    assert (day["paths"][0]["leaves"], day["paths"][0]["learnedToday"]) == ("n", 1)
    assert day["tomorrow"]["reviews"] == 1
    assert day["next"]["node"]["title"] == "Adding", "to learn ahead"


async def test_what_is_due_is_a_blue_leaf_and_comes_before_the_lesson(own_web: Web) -> None:
    first, other = await seed(own_web, "Fractions"), await seed(own_web, "Decimals")
    await learn(own_web, first, "Parts")
    await forget(own_web, first, "Halves")
    day = await today(own_web)
    leaves = {path["branch"]["id"]: path["leaves"] for path in day["paths"]}
    assert (leaves[first], leaves[other]) == ("d", "")
    assert (day["due"]["today"], day["next"]["kind"], day["done"]) == (1, "lesson", False)


async def test_a_path_of_which_all_is_learned_stands_last(own_web: Web) -> None:
    plan: dict[str, Any] = {
        "sprout_path": 1, "title": "Learned", "topic": {"title": "Learned"},
        "concepts": [{"title": "Only", "subconcepts": [{"title": "Part"}]}],
    }  # fmt: skip
    await seed(own_web, "Fractions")
    branch = (await own_web.client.post("/api/graphs", json=plan)).json()["branch"]["id"]
    for node in (await own_web.client.get("/api/nodes", params={"branchId": branch})).json():
        progress = (await own_web.client.post("/api/progress", json={**ME, "nodeId": node["id"]})).json()
        done = {"completedAt": "2026-01-05T09:00:00Z"}
        assert (await own_web.client.patch(f"/api/progress/{progress['id']}", json=done)).is_success
    paths = (await today(own_web))["paths"]
    assert [path["branch"]["title"] for path in paths] == ["Fractions", "Learned"]
    assert (paths[1]["next"]["kind"], paths[1]["leaves"], paths[1]["parts"]) == ("done", paths[1]["leaves"], 1)


async def test_a_path_that_is_not_begun_says_what_it_takes_to_find_where_one_starts(own_web: Web) -> None:
    begun, other = await seed(own_web, "Fractions"), await seed(own_web, "Decimals")
    overview = (await own_web.client.get(f"/api/branches/{other}/placement")).json()
    placements = {path["branch"]["id"]: path["placement"] for path in (await today(own_web))["paths"]}
    assert placements[other] == overview
    assert (overview["questions"], overview["minutes"], overview["openId"]) == (1, 1, None)
    session = (await own_web.client.post("/api/placements", json={"branchId": other})).json()
    await learn(own_web, begun, "Parts")
    placements = {path["branch"]["id"]: path["placement"] for path in (await today(own_web))["paths"]}
    assert placements[begun] is None
    assert placements[other]["openId"] == session["id"]
