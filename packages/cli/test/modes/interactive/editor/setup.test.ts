/** Tests keymap, history and completion in a session. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addToHistory } from "../../../../src/modes/interactive/editor/editor.ts";
import { allowAll, type InteractiveApp, startInteractiveApp } from "../../../support/interactive-app.ts";

test("TYP17 keymap.json sets keys of the app and of the editor, and its errors are reported", async () => {
  const app = await startInteractiveApp(["fine now"], {
    ...allowAll(),
    prepare: ({ home }) =>
      writeFileSync(join(home, "keymap.json"), '{ "fold": "f2", "tui.editor.undo": "ctrl+x", "tre": "f3" }'),
  });
  await app.waitForText(/unknown\s+action\s+"tre";\s+did\s+you\s+mean\s+"tree"\?/);
  app.terminal.press("\x1bOQ");
  await app.waitUntil(() => app.screen.state.isUnfolded);
  app.terminal.press("\x0f");
  expect(app.screen.state.isUnfolded).toBe(true);
  app.terminal.type("words");
  app.terminal.press("\x18");
  await app.waitUntil(() => app.screen.editorText.text === "");
  app.submit("/keys fold");
  await app.waitForText('"fold": f2');
});

test("TYP21 hints name the keys of keymap.json", async () => {
  const app = await startInteractiveApp(["fine now"], {
    ...allowAll(),
    prepare: ({ home }) => writeFileSync(join(home, "keymap.json"), '{ "clear": "f4" }'),
  });
  await app.waitUntil(() => app.screen.state.keymap !== undefined);
  app.terminal.press("\x1bOS");
  await app.waitForText("Press F4 again to quit. Everything is saved.");
  app.terminal.press("\x1bOS");
  await app.waitUntil(() => app.nextArgs() === null);
});

test("TYP15 Up recalls a message from an earlier session in the same folder", async () => {
  const app = await startInteractiveApp(["fine now"], allowAll());
  await addToHistory("said long ago", { home: app.home, cwd: app.folder });
  const again = await startInteractiveApp(["fine now"], {
    ...allowAll(),
    prepare: ({ home, folder }) => void addToHistory("said long ago", { home, cwd: folder }),
  });
  await again.waitUntil(() => {
    again.terminal.press("\x1b[A");
    return again.screen.editorText.text === "said long ago";
  });
});

test("TYP12 commands, templates and paths are completed while typing, and Esc or Ctrl+C closes only the list", async () => {
  const app = await startInteractiveApp(["fine now"], {
    ...allowAll(),
    prepare: ({ home, folder }) => {
      mkdirSync(join(home, "prompts"));
      writeFileSync(join(home, "prompts", "review.md"), "---\ndescription: look at it\n---\nReview $1");
      writeFileSync(join(folder, "chapter-one.md"), "");
    },
  });
  const typed = async (words: string, offered: string): Promise<void> => {
    app.screen.editorText.set("");
    app.terminal.type(words);
    await app.waitForText(offered);
  };
  // What can be completed is known a moment after the first picture.
  while (!app.screen.editor.isShowingAutocomplete()) {
    app.screen.editorText.set("");
    app.terminal.type("/rev");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await app.waitForText("→ /review");
  app.terminal.press("\x1b");
  await app.waitUntil(() => !app.screen.editor.isShowingAutocomplete());
  expect(app.screen.editorText.text).toBe("/rev");
  await typed("/rev", "→ /review");
  await app.waitUntil(() => app.screen.editor.isShowingAutocomplete());
  app.terminal.press("\x03");
  await app.waitUntil(() => !app.screen.editor.isShowingAutocomplete());
  expect(app.screen.editorText.text).toBe("/rev");
  await typed("/thinking h", "→ high");
  await typed("/model sonnet-4-5", "anthropic/claude-sonnet-4-5");
  await typed("/mode p", "→ plan");
  await typed("see @chone", "→ @chapter-one.md");
  app.terminal.press("\t");
  await app.waitUntil(() => app.screen.editorText.text === "see @chapter-one.md ");
});

test("TYP23 @session: lists the sessions by id, name and first message, and Tab inserts one", async () => {
  const app = await startInteractiveApp(["fine now"], {
    ...allowAll(),
    prepare: ({ home }) => {
      const folder = join(home, "sessions", "--elsewhere--");
      mkdirSync(folder, { recursive: true });
      const lines = [
        { type: "session", version: 3, id: "4c36f4d8-1111", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/elsewhere" },
        {
          type: "message",
          id: "a",
          parentId: null,
          timestamp: "2026-01-01T00:00:01.000Z",
          message: { role: "user", content: "The ibis fix is in retry.ts", timestamp: 1 },
        },
      ];
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      writeFileSync(join(folder, "2026-01-01T00-00-00-000Z_4c36f4d8-1111.jsonl"), text);
    },
  });
  await waitForCompletion(app);
  app.terminal.type("See @session:ibis");
  await app.waitForText("The ibis fix is in retry.ts");
  app.terminal.press("\t");
  await app.waitUntil(() => app.screen.editorText.text === "See @session:4c36f4d8 ");
});

/** Completion is loaded after the first frame, and only a key that comes later opens the list. */
async function waitForCompletion({ terminal }: InteractiveApp): Promise<void> {
  let isShown = false;
  while (!isShown) {
    terminal.type("/");
    await new Promise((resolve) => setTimeout(resolve, 100));
    isShown = (await terminal.screen()).join("\n").includes("/autocompact");
    terminal.press("\x15");
  }
}
