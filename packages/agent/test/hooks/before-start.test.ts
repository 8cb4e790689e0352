/** Before the first request of a run: a message behind what was said, and a section of what the model is told first. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { testPorts } from "@pith/context/testing";
import { test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { spoken } from "./spoken.ts";

type Hook = NonNullable<AgentHooks["before_agent_start"]>[number];

const beginning = { folder: "/code", replacement: "You work." };

test("SAY3 a message stands behind what was said, and the model sees it", async () => {
  const told: unknown[] = [];
  const hook: Hook = (event) => {
    told.push(event.prompt, Object.keys(event.sections));
    return { message: { customType: "mine", content: "Use tabs.", display: false } };
  };
  const { prompt, shown, log } = await spoken(["Good."], { before_agent_start: [hook] }, { beginning });
  await prompt("Begin.");
  assert.deepEqual(told, [[{ type: "text", text: "Begin." }], ["role"]]);
  assert.match(shown(0), /Begin\..*Use tabs\./);
  assert.deepEqual((await log()).slice(-3).map(kind), ["user", "custom_message", "assistant"]);
});

test("SAY3 a section is said once as long as it is answered, never in the beginning, and taken away when it no longer is", async () => {
  const answers = ["Be brief.", "Be brief.", "Be long.", undefined, undefined];
  const hook: Hook = () => {
    const systemPrompt = answers.shift();
    return systemPrompt === undefined ? undefined : { systemPrompt };
  };
  const replies = ["1", "2", "3", "4", "5"];
  const { prompt, log, model } = await spoken(replies, { before_agent_start: [hook] }, { beginning });
  for (const words of replies) await prompt(words);
  const sections = (await log()).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "system" ? [entry.message.sections?.extension] : [],
  );
  assert.deepEqual(sections, [undefined, "Be brief.", "Be long.", null]);
  const systems = new Set(model.requests.map(({ system }) => JSON.stringify(system)));
  assert.equal(systems.size, 1);
});

test("SAY3 a hook that fails once has not said that its section is over", async () => {
  let asked = 0;
  const hook: Hook = () => {
    asked += 1;
    if (asked === 2) throw new Error("no");
    return { systemPrompt: "Be brief." };
  };
  const { prompt, log } = await spoken(["1", "2", "3"], { before_agent_start: [hook] }, { beginning });
  for (const words of ["1", "2", "3"]) await prompt(words);
  assert.equal((await log()).filter((entry) => kind(entry) === "system").length, 2);
});

test("SAY3 without a hook nothing is left of a section of an earlier life", async () => {
  const first = await spoken(["1"], { before_agent_start: [() => ({ systemPrompt: "Be brief." })] }, { beginning });
  await first.prompt("1");
  const { session } = first.agent;
  const second = await spoken(["2", "3"], {}, { beginning, session, ports: testPorts("z") });
  await second.prompt("2");
  await second.prompt("3");
  const said = (await session.branch()).filter((entry) => kind(entry) === "system");
  assert.equal(said.length, 3);
});

function kind(entry: Entry): string {
  return entry.type === "message" ? entry.message.role : entry.type;
}
