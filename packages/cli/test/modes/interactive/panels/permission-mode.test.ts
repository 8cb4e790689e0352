/** Permission modes on one key. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startInteractiveApp } from "../../../support/interactive-app.ts";

const SHIFT_TAB = "\x1b[Z";

test("MAN5 Shift+Tab cycles through plan, ask and edit, and the footer shows the mode", async () => {
  const app = await startInteractiveApp([]);
  const modes: string[] = [];
  for (let at = 0; at < 3; at++) {
    app.terminal.press(SHIFT_TAB);
    modes.push(`${app.screen.state.footer.permissionMode}`);
    await app.waitForText(`${app.screen.state.footer.permissionMode} mode`);
  }
  expect(modes).toEqual(["plan", "ask", "edit"]);
});

test("MAN6 mode all is set only by name and after a question whose default is No", async () => {
  const app = await startInteractiveApp([]);
  app.submit("/mode all");
  await app.waitForText("Let the agent act without asking?");
  await app.waitForText("It still asks about");
  app.terminal.press("\r");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(app.screen.state.footer.permissionMode).toBe("edit");
  app.submit("/mode all");
  await app.waitForText("Let the agent act without asking?");
  // ASK3: it lasts, so its letter only leads to it.
  app.terminal.press("y");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(app.screen.state.footer.permissionMode).toBe("edit");
  app.terminal.press("\r");
  await app.waitForText("Permission mode all: asks only about new hosts, secrets");
  expect(app.screen.state.footer.permissionMode).toBe("all");
  app.terminal.press(SHIFT_TAB);
  expect(app.screen.state.footer.permissionMode).toBe("plan");
});

test("MAN7 plan mode blocks changes and tells the model when it begins and ends, without changing the system prompt", async () => {
  const write = { type: "call", name: "write", arguments: { path: "a.txt", content: "a" } } as const;
  const app = await startInteractiveApp([
    "hello",
    { parts: [write] },
    "I would write it",
    { parts: [write] },
    "written",
  ]);
  app.submit("hi");
  await app.waitForText("hello");
  app.submit("/mode plan");
  await app.waitForText("Permission mode plan: reads files");
  app.submit("write it");
  await app.waitForText("I would write it");
  expect(existsSync(join(app.folder, "a.txt"))).toBe(false);
  app.terminal.press(SHIFT_TAB, SHIFT_TAB);
  app.submit("go on");
  await app.waitForText("written");
  expect(existsSync(join(app.folder, "a.txt"))).toBe(true);
  const [first, planned, , free] = app.server.requests.map(({ body }) => body as { readonly system: unknown });
  expect(JSON.stringify(first)).not.toContain("You are in plan mode");
  expect(JSON.stringify(planned)).toContain("You are in plan mode");
  expect(planned?.system).toEqual(first?.system);
  expect(free?.system).toEqual(first?.system);
});
