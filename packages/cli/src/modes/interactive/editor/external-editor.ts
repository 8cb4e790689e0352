/** Opens the message in `$VISUAL` or `$EDITOR`, which has the terminal until it exits; its temporary file is then deleted. */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Talking } from "../screen-context.ts";

export async function writeElsewhere(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { VISUAL, EDITOR } = ready.place.environment;
  const editor = VISUAL || EDITOR;
  if (!editor) return screen.tell("which editor? set VISUAL or EDITOR, such as: export EDITOR=vim");
  if (lent.has(screen)) return;
  lent.add(screen);
  await written(editor, talking).finally(() => lent.delete(screen));
}

/** A key that is pressed twice opens one editor: there is one terminal. */
const lent = new WeakSet<object>();

async function written(editor: string, { ready, screen }: Talking): Promise<void> {
  const { environment, cwd } = ready.place;
  const folder = await mkdtemp(join(tmpdir(), "pith-words-"));
  try {
    const file = join(folder, "words.md");
    await writeFile(file, screen.words.text, { mode: 0o600 });
    const trouble = await screen.lend(() => ended(editor, { file, cwd, environment }));
    if (trouble === null) screen.words.set((await readFile(file, "utf8")).replace(/\n$/, ""));
    else screen.tell(`${editor}: ${trouble}; your words are as they were`, "bad");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Editing {
  readonly file: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What went wrong; null where nothing did. A shell reads the editor's name, since it may have arguments. */
function ended(editor: string, { file, cwd, environment }: Editing): Promise<string | null> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "editor", file], {
    stdio: "inherit",
    cwd,
    env: { ...environment },
  });
  return new Promise((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(code === 0 ? null : `it ended with ${signal ?? `code ${code}`}`));
  });
}
