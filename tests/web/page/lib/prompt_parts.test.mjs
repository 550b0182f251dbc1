// What of a prompt is given, and what is asked.
import assert from "node:assert/strict";
import test from "node:test";
import { splitPrompt } from "../../../../static/lib/prompt_parts.js";

test("the last sentence is what is asked, where others come before it", () => {
  assert.deepEqual(splitPrompt("A train carries 400 passengers, and 5 % of them have a bicycle. How many is that?"), {
    given: "A train carries 400 passengers, and 5 % of them have a bicycle.",
    asked: "How many is that?",
  });
  assert.deepEqual(splitPrompt("She says: “It is 3.5.” Is she right about it?"), {
    given: "She says: “It is 3.5.”",
    asked: "Is she right about it?",
  });
});

test("a prompt that is one sentence, ends otherwise, or has more than plain words is not cut", () => {
  for (const whole of [
    "What is it?",
    "It is so. Say why.",
    "Look. So?",
    "```\nprint(1)\n```\nIt runs. What does it print?",
    "- one. two.\n- three. Which of them is it?",
    "Let $x = 2$. What is x + 1 then?",
    "| a | b |\n| - | - |\nIt is so. Which is it then?",
  ]) {
    assert.deepEqual(splitPrompt(whole), { given: "", asked: whole });
  }
});

test("a prompt of thousands of characters is read in no time", () => {
  const long = `${"a? ".repeat(20_000)}b`;
  assert.deepEqual(splitPrompt(long), { given: "", asked: long });
});
