/** Tests the user's own shell lines in a real session, with extensions that see them first. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  allowAll,
  type InteractiveApp,
  listUserTexts,
  startInteractiveApp,
  waitUntilIdle,
} from "../support/interactive-app.ts";

/** With an extension of these lines. */
function extended(body: string) {
  const prepare = ({ home }: { readonly home: string }): void => {
    mkdirSync(join(home, "extensions"));
    writeFileSync(join(home, "extensions/ears.js"), `export default (pith) => {\n${body}\n};\n`);
  };
  return allowAll({ prepare });
}

async function submitAndWait(app: InteractiveApp, words: string, answer: string): Promise<string> {
  app.submit(words);
  await app.waitForText(answer);
  await waitUntilIdle(app);
  return listUserTexts(app).join("\n");
}

test("XUI11 user_bash handlers run before a shell line, and a returned result replaces its output", async () => {
  const answers = `pith.on("user_bash", ({ command, excludeFromContext }) =>
    command.startsWith("deploy") ? { result: { output: "deployed " + excludeFromContext, exitCode: 4 } } : undefined);`;
  const app = await startInteractiveApp(["I saw it"], extended(answers));
  app.submit("!deploy > made");
  await app.waitForText("deployed false");
  await waitUntilIdle(app);
  expect(existsSync(join(app.folder, "made"))).toBe(false);
  app.submit("!echo or$((1))dinary");
  await app.waitForText("or1dinary");
  await waitUntilIdle(app);
  const userTexts = await submitAndWait(app, "what do you see?", "I saw it");
  expect(userTexts).toContain("deployed false");
  expect(userTexts).toContain("Exit code: 4");
  expect(userTexts).toContain("or1dinary");
});

test("XUI11 the output returned by a user_bash handler is limited like any output, and a handler that throws does not stop the line", async () => {
  const answers = `pith.on("user_bash", ({ command }) => {
    if (command === "flood") return { result: { output: "much of it\\n".repeat(100000), exitCode: 0 } };
    throw new Error("no");
  });`;
  const app = await startInteractiveApp(["I saw it"], extended(answers));
  app.submit("!flood");
  await app.waitForText("much of it");
  await waitUntilIdle(app);
  app.submit("!touch made");
  await app.waitUntil(() => existsSync(join(app.folder, "made")));
  await waitUntilIdle(app);
  expect((await submitAndWait(app, "and?", "I saw it")).length).toBeLessThan(60_000);
});

test("XUI12 Escape stops a shell line that waits for an extension or for its turn, and it never runs", async () => {
  const hangs = `pith.on("user_bash", ({ command }) => (command === "hang" ? new Promise(() => {}) : undefined));`;
  const app = await startInteractiveApp(["fine now"], extended(hangs));
  app.submit("!hang");
  app.submit("!touch never");
  await app.waitForText("touch never");
  app.terminal.press("\x1b");
  await waitUntilIdle(app);
  expect(existsSync(join(app.folder, "never"))).toBe(false);
  const words = await submitAndWait(app, "and?", "fine now");
  expect(words).not.toMatch(/hang|never/);
});
