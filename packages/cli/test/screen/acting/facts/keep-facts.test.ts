/** What the footer tells follows what is written, and nothing else. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALT_U, atRest, exchanged, longTalk, shows } from "../fitting/long-talk.ts";
import { talkOn } from "../stopping/talk-on.ts";

test("MET5 the cost is that of the whole session, summaries included, and no undo makes it less", async () => {
  const talk = await longTalk();
  await exchanged(talk, 5);
  await talk.until(() => (talk.screen.state.facts.cost ?? 0) > 0);
  const replies = talk.screen.state.facts.cost ?? 0;
  talk.say("/compact all of it");
  await shows(talk, "compacted:");
  await atRest(talk);
  await talk.until(() => (talk.screen.state.facts.cost ?? 0) > replies);
  await talk.until(() => (talk.screen.state.facts.meter?.parts.checkpoint ?? 0) > 0);
  const { cost } = talk.screen.state.facts;
  talk.terminal.press(ALT_U);
  await talk.until(() => talk.screen.state.facts.meter?.parts.checkpoint === 0);
  expect(talk.screen.state.facts.cost).toBe(cost);
});

test("MET5 while a reply comes, nothing is weighed: only what is written is", async () => {
  const words = "one two three four five six seven eight nine ten";
  const talk = await talkOn([{ parts: [{ type: "text", text: words.repeat(20) }], pace: { everyMs: 5, chunk: 10 } }]);
  await talk.until(() => talk.screen.state.facts.meter !== null);
  const meters = new Set<unknown>();
  const change = talk.screen.change.bind(talk.screen);
  talk.screen.change = (act) => {
    change(act);
    meters.add(talk.screen.state.facts.meter);
  };
  talk.say("count");
  await talk.sees("ten");
  await talk.until(() => talk.screen.state.work.type === "idle");
  expect(meters.size).toBeLessThan(12);
});

test("MET5 MET6 the session's name and the branch of the folder are told, and follow", async () => {
  const talk = await talkOn(["yes", "no"], {
    prepare: ({ folder }) => {
      mkdirSync(join(folder, ".git"));
      writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/first\n");
    },
  });
  await talk.until(() => talk.screen.state.facts.gitBranch === "first");
  talk.say("/name my own name");
  await talk.until(() => talk.screen.state.facts.sessionName === "my own name");
  writeFileSync(join(talk.folder, ".git/HEAD"), "ref: refs/heads/second\n");
  talk.say("go");
  await talk.until(() => talk.screen.state.facts.gitBranch === "second");
});

test("MET17 before the first word the meter has what the model will be told first, as /context has it", async () => {
  const talk = await talkOn(["yes"]);
  await talk.until(() => talk.screen.state.facts.meter !== null);
  const meter = talk.screen.state.facts.meter;
  expect(meter?.tokens).toBeGreaterThan(500);
  expect(meter?.parts.system).toBe(meter?.tokens);
  talk.say("/name my own");
  await talk.until(() => talk.screen.state.facts.sessionName === "my own");
  expect(talk.screen.state.facts.meter?.tokens).toBe(meter?.tokens);
  talk.say("/context");
  await shows(talk, "system prompt and tools");
});
