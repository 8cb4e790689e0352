/** A message that waits in the log comes into the editor when one goes where it waits. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DRAFT_TYPE } from "@pith/agent";
import type { Entry } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { createHeader, encodeSession, serializeEntry } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { allowAll, startInteractiveApp, waitForScreen } from "../../../../support/interactive-app.ts";
import { ENTER, ESC } from "../../../../support/sample-conversations.ts";

/** A branch that ends with a draft, and another one that one stands on. */
function draftedSession(cwd: string): Uint8Array {
  const storyEntries = story("user: one", "says: two", "user: other way", "says: other end");
  const draft: Entry = {
    ...{ type: "custom", customType: DRAFT_TYPE, data: { text: "say this next" } },
    ...{ id: "d1", parentId: "e2", timestamp: "2026-01-01T00:00:00.000Z" },
  };
  const [e1, e2, ...others] = storyEntries;
  const entries = [e1, e2, draft, ...others].flatMap((entry) => entry ?? []);
  return encodeSession(
    [JSON.stringify(createHeader({ cwd }, nodeRuntime)), ...entries.map((entry) => serializeEntry(entry))],
    nodeRuntime.checksum,
  );
}

test("WLK18 moving to a draft in the tree puts it into the editor", async () => {
  const path = { name: "" };
  const app = await startInteractiveApp(
    [],
    allowAll({
      prepare: ({ folder, home }) => {
        path.name = join(home, "drafted.jsonl");
        writeFileSync(path.name, draftedSession(folder));
      },
      args: {
        overrides: { permissionMode: "all" },
        session: {
          type: "named",
          get name() {
            return path.name;
          },
        },
      },
    }),
  );
  await app.waitForText("other end");
  expect(app.screen.editorText.text).toBe("");
  app.terminal.press(ESC, ESC);
  await waitForScreen(app, /entries(?! so far)/);
  app.terminal.type("/say this");
  await waitForScreen(app, /❯ ○ draft +say this next/);
  app.terminal.press(ENTER);
  await waitForScreen(app, "Summarize the branch you are leaving?");
  app.terminal.type("n");
  await app.waitUntil(() => app.screen.editorText.text === "say this next");
});
