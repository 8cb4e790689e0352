/** Opens the message in `$VISUAL` or `$EDITOR`, which has the terminal until it exits; its temporary file is then deleted. */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostContext } from "@pith/host/host-context";
import type { SessionScreen } from "../screen-context.ts";

export async function openExternalEditor(context: SessionScreen<"environment" | "cwd">): Promise<void> {
  const { app, screen } = context;
  const { VISUAL, EDITOR } = app.environment;
  const editor = VISUAL || EDITOR;
  if (!editor) return screen.showNote("No editor is configured. Set VISUAL or EDITOR, for example: export EDITOR=vim");
  if (screensWithEditor.has(screen)) return;
  screensWithEditor.add(screen);
  await editMessage(editor, context).finally(() => screensWithEditor.delete(screen));
}

/** Prevents a second editor if the key is pressed twice: there is only one terminal. */
const screensWithEditor = new WeakSet<object>();

async function editMessage(editor: string, { app, screen }: SessionScreen<"environment" | "cwd">): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pith-message-"));
  try {
    const file = join(folder, "message.md");
    await writeFile(file, screen.editorText.text, { mode: 0o600 });
    const error = await screen.releaseTerminal(() => runEditor(editor, file, app));
    if (error === null) screen.editorText.set((await readFile(file, "utf8")).replace(/\n$/, ""));
    else screen.showNote(`${editor}: ${error}; your text is unchanged`, "bad");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns an error message, or null on success. A shell parses the command, because it may contain arguments. */
function runEditor(
  editor: string,
  file: string,
  { cwd, environment }: Pick<HostContext, "cwd" | "environment">,
): Promise<string | null> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "editor", file], {
    stdio: "inherit",
    cwd,
    env: { ...environment },
  });
  return new Promise((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? null : signal ? `killed by ${signal}` : `exited with code ${code}`),
    );
  });
}
