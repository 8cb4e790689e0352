/** Another editor has the terminal for a while. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { allowAll, type InteractiveApp, startInteractiveApp } from "../../../support/interactive-app.ts";

const CTRL_G = "\x07";

/** A script is the editor; it leaves behind the rights and the name of its file. */
async function editing(script: string): Promise<InteractiveApp> {
  const before = process.env.EDITOR;
  onTestFinished(() => {
    if (before === undefined) delete process.env.EDITOR;
    else process.env.EDITOR = before;
  });
  return await startInteractiveApp(["fine now"], {
    ...allowAll(),
    prepare: ({ folder }) => {
      writeFileSync(join(folder, "editor"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, "editor"), 0o755);
      process.env.EDITOR = `${join(folder, "editor")} --wait`;
    },
  });
}

test("TYP14 Ctrl+G opens the text in the external editor, in a private file that is removed afterwards", async () => {
  const app = await editing('stat -c %a "$2" > rights; echo "$2" > name; echo "and more" >> "$2"');
  app.terminal.type("words\n");
  app.terminal.press(CTRL_G);
  await app.waitUntil(() => app.screen.editorText.text === "words\nand more");
  const readText = (name: string): string => readFileSync(join(app.folder, name), "utf8").trim();
  expect(readText("rights")).toBe("600");
  await app.waitUntil(() => !existsSync(readText("name")));
});

test("TYP14 pressing Ctrl+G twice opens one external editor", async () => {
  const app = await editing('echo open >> opened; sleep 0.3; echo "and more" >> "$2"');
  app.terminal.type("words\n");
  app.terminal.press(CTRL_G, CTRL_G);
  await app.waitUntil(() => app.screen.editorText.text === "words\nand more");
  expect(readFileSync(join(app.folder, "opened"), "utf8")).toBe("open\n");
});

test("TYP14 an external editor that fails leaves the text unchanged", async () => {
  const app = await editing('echo changed > "$2"; exit 3');
  app.terminal.type("mine");
  app.terminal.press(CTRL_G);
  await app.waitForText(/exited\s+with\s+code\s+3;\s+your\s+text\s+is\s+unchanged/);
  expect(app.screen.editorText.text).toBe("mine");
});

test("TYP14 without VISUAL and EDITOR, Ctrl+G says to set one of them", async () => {
  const app = await editing("true");
  app.terminal.type("mine");
  delete process.env.EDITOR;
  delete process.env.VISUAL;
  app.terminal.press(CTRL_G);
  await app.waitForText("Set VISUAL or EDITOR");
});
