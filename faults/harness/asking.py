"""The topic agent with one tool more: it may ask a person."""

from dataclasses import replace

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.saving import PATH_POLICY
from sprout.agents.topic import topic_agent
from sprout.config import Settings
from sprout.loop.human import ask_human
from sprout.store.shelf import SqlShelf


def asking_topic(shelf: SqlShelf, settings: Settings) -> AgentSpec:
    """An agent that takes the topic agent's place."""
    topic = topic_agent(shelf, settings.policy("topic", PATH_POLICY))

    async def brief(job: Job, team: Team) -> Brief:
        plain = await topic.brief(job, team)
        return replace(plain, tools=(*plain.tools, ask_human))

    return replace(topic, brief=brief)
