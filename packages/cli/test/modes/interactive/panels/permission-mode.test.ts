/** Permission modes on one key. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startInteractiveApp } from "../talk-on.ts";

const SHIFT_TAB = "\x1b[Z";

test("MAN5 Shift+Tab cycles through plan, ask and edit, and the footer shows the mode", async () => {
  const talk = await startInteractiveApp([]);
  const seen: string[] = [];
  for (let at = 0; at < 3; at++) {
    talk.terminal.press(SHIFT_TAB);
    seen.push(`${talk.screen.state.footer.permissionMode}`);
    await talk.waitForText(`${talk.screen.state.footer.permissionMode} mode`);
  }
  expect(seen).toEqual(["plan", "ask", "edit"]);
});

test("MAN6 mode all is set only by name and after a question whose default is No", async () => {
  const talk = await startInteractiveApp([]);
  talk.submit("/mode all");
  await talk.waitForText("Let the agent act without asking?");
  await talk.waitForText("It still asks about");
  talk.terminal.press("\r");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(talk.screen.state.footer.permissionMode).toBe("edit");
  talk.submit("/mode all");
  await talk.waitForText("Let the agent act without asking?");
  // ASK3: it lasts, so its letter only leads to it.
  talk.terminal.press("y");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(talk.screen.state.footer.permissionMode).toBe("edit");
  talk.terminal.press("\r");
  await talk.waitForText("Permission mode all: asks only about new hosts, secrets");
  expect(talk.screen.state.footer.permissionMode).toBe("all");
  talk.terminal.press(SHIFT_TAB);
  expect(talk.screen.state.footer.permissionMode).toBe("plan");
});

test("MAN7 plan mode blocks changes and tells the model when it begins and ends, without changing the system prompt", async () => {
  const write = { type: "call", name: "write", arguments: { path: "a.txt", content: "a" } } as const;
  const talk = await startInteractiveApp([
    "hello",
    { parts: [write] },
    "I would write it",
    { parts: [write] },
    "written",
  ]);
  talk.submit("hi");
  await talk.waitForText("hello");
  talk.submit("/mode plan");
  await talk.waitForText("Permission mode plan: reads files");
  talk.submit("write it");
  await talk.waitForText("I would write it");
  expect(existsSync(join(talk.folder, "a.txt"))).toBe(false);
  talk.terminal.press(SHIFT_TAB, SHIFT_TAB);
  talk.submit("go on");
  await talk.waitForText("written");
  expect(existsSync(join(talk.folder, "a.txt"))).toBe(true);
  const [first, planned, , free] = talk.server.requests.map(({ body }) => body as { readonly system: unknown });
  expect(JSON.stringify(first)).not.toContain("You are in plan mode");
  expect(JSON.stringify(planned)).toContain("You are in plan mode");
  expect(planned?.system).toEqual(first?.system);
  expect(free?.system).toEqual(first?.system);
});
