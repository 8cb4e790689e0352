/** What was said before, when a session is opened. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore, Session } from "@pith/context";
import { machine } from "@pith/context/node";
import { expect, onTestFinished, test } from "vitest";
import { past } from "../../../src/screen/acting/past.ts";
import type { Talking } from "../../../src/screen/acting/talking.ts";

test.each([
  ["Ctrl+T", { hasPages: true, keymap: "{}" }],
  ["F7", { hasPages: true, keymap: '{ "transcript": "f7" }' }],
  ["/transcript", { hasPages: true, keymap: '{ "transcript": null }' }],
  ["/transcript", { hasPages: false, keymap: "{}" }],
])("TYP21 where more was said than is shown, %s is named to see all of it", async (way, { hasPages, keymap }) => {
  const home = mkdtempSync(join(tmpdir(), "pith-past-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "keymap.json"), keymap);
  const session = await Session.open(MemoryStore.create(machine), machine);
  for (let at = 0; at < 250; at++)
    await session.append({ type: "message", message: { role: "user", content: `say ${at}`, timestamp: 0 } });
  const told: string[] = [];
  const screen = { hasPages, tell: (text: string) => told.push(text), change: () => {} };
  await past({ ready: { built: { agent: { session } }, place: { home } }, screen } as unknown as Talking);
  expect(told.join()).toMatch(new RegExp(`^… \\d+ earlier entries; ${way.replace("+", "\\+")} shows all$`));
});
