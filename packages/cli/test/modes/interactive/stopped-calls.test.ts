/** Tests Esc during a reply, during a command of the model and during a shell line of the user: the output stays, and it is stopped, not failed. */

import type { Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { all, atRest, heard } from "./editor/at-work.ts";
import { talkOn } from "./talk-on.ts";

const command = "echo be$((1))gun; trap '' TERM; while :; do sleep 0.1; done";

test("SCR13 a stopped reply says that the model will not see it, and the next request leaves it out", async () => {
  const stalls: Step = { parts: [{ type: "text", text: "The first half of it" }], breaks: { how: "stall", after: 4 } };
  const talk = await talkOn([stalls, "Here again"], all());
  talk.say("tell me");
  await talk.sees("The first half");
  talk.terminal.press("\x1b");
  await atRest(talk);
  await talk.sees("Stopped. The model will not see this unfinished reply.");
  talk.say("and?");
  await talk.sees("Here again");
  expect(JSON.stringify(talk.server.requests.at(-1)?.body)).not.toContain("The first half");
});

test("RUN18 Esc keeps the output of a command on the screen and for the model", async () => {
  const works: Step = { parts: [{ type: "call", name: "bash", arguments: { command } }] };
  const talk = await talkOn([works, "I saw it"], all());
  talk.say("work");
  await talk.sees("be1gun");
  talk.terminal.press("\x1b");
  await atRest(talk);
  const seen = await talk.sees("Stopped.");
  expect(seen).toMatch(/– bash .*· stopped/);
  expect(seen).toContain("be1gun");
  expect(seen).not.toContain("failed");
  expect(seen).not.toContain("will not see");
  talk.say("and?");
  await talk.sees("I saw it");
  expect(JSON.stringify(talk.server.requests.at(-1)?.body)).toContain("be1gun\\n\\ncommand stopped by the user");
});

test("RUN18 Esc keeps the output of a shell line on the screen and for the model", async () => {
  const talk = await talkOn(["I saw it"], all());
  talk.say(`!${command}`);
  await talk.sees("be1gun");
  talk.terminal.press("\x1b");
  await atRest(talk);
  const seen = await talk.sees("· stopped");
  expect(seen).toContain("be1gun");
  talk.say("and?");
  await talk.sees("I saw it");
  const told = heard(talk).join("\n");
  expect(told).toContain("be1gun");
  expect(told).toContain("stopped by the user");
});
