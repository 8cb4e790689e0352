/** Tests Esc during a command of the model and during a shell line of the user: its output stays, and it is stopped, not failed. */

import type { Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { all, atRest, heard } from "./editor/at-work.ts";
import { talkOn } from "./talk-on.ts";

const command = "echo be$((1))gun; trap '' TERM; while :; do sleep 0.1; done";

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
