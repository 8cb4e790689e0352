/** Tests Esc during a reply, during a command of the model and during a shell line of the user: the output stays, and it is stopped, not failed. */

import type { Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { allowAll, listUserTexts, startInteractiveApp, waitUntilIdle } from "../../support/interactive-app.ts";

const command = "echo be$((1))gun; trap '' TERM; while :; do sleep 0.1; done";

test("SCR13 a stopped reply says that the model will not see it, and the next request leaves it out", async () => {
  const stalls: Step = { parts: [{ type: "text", text: "The first half of it" }], breaks: { how: "stall", after: 4 } };
  const app = await startInteractiveApp([stalls, "Here again"], allowAll());
  app.submit("tell me");
  await app.waitForText("The first half");
  app.terminal.press("\x1b");
  await waitUntilIdle(app);
  await app.waitForText("Stopped. The model will not see this unfinished reply.");
  app.submit("and?");
  await app.waitForText("Here again");
  expect(JSON.stringify(app.server.requests.at(-1)?.body)).not.toContain("The first half");
});

test("RUN18 Esc keeps the output of a command on the screen and for the model", async () => {
  const works: Step = { parts: [{ type: "call", name: "bash", arguments: { command } }] };
  const app = await startInteractiveApp([works, "I saw it"], allowAll());
  app.submit("work");
  await app.waitForText("be1gun");
  app.terminal.press("\x1b");
  await waitUntilIdle(app);
  const screenText = await app.waitForText("Stopped.");
  expect(screenText).toMatch(/– bash .*· stopped/);
  expect(screenText).toContain("be1gun");
  expect(screenText).not.toContain("failed");
  expect(screenText).not.toContain("will not see");
  app.submit("and?");
  await app.waitForText("I saw it");
  expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain("be1gun\\n\\ncommand stopped by the user");
});

test("RUN18 Esc keeps the output of a shell line on the screen and for the model", async () => {
  const app = await startInteractiveApp(["I saw it"], allowAll());
  app.submit(`!${command}`);
  await app.waitForText("be1gun");
  app.terminal.press("\x1b");
  await waitUntilIdle(app);
  const screenText = await app.waitForText("· stopped");
  expect(screenText).toContain("be1gun");
  app.submit("and?");
  await app.waitForText("I saw it");
  const userTexts = listUserTexts(app).join("\n");
  expect(userTexts).toContain("be1gun");
  expect(userTexts).toContain("stopped by the user");
});
