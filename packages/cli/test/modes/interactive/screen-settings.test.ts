/** Tests the settings of the screen in a real terminal: theme, plain mode and notifications of a session follow them. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Step } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { TestWorkspace } from "../../../e2e/support/test-workspace.ts";
import type { Tmux } from "../../../e2e/support/tmux.ts";
import { findBuiltProgram } from "../../support/built-program.ts";

const run = promisify(execFile);
const program = findBuiltProgram();

async function createWorkspace(settings: object, script: readonly Step[] = []): Promise<TestWorkspace> {
  const workspace = await TestWorkspace.create({ script, program, settings });
  onTestFinished(() => workspace.remove());
  return workspace;
}

/** What is seen, with its colours. */
async function inks({ socket }: Tmux): Promise<string> {
  const { stdout } = await run("tmux", ["-L", socket, "capture-pane", "-p", "-e"]);
  return stdout;
}

test("SET14 theme sets the colors of the screen", async () => {
  const screens: string[] = [];
  for (const theme of ["dark", "light"]) {
    const tmux = await (await createWorkspace({ theme })).startProgram();
    await tmux.enter("/mode");
    await tmux.waitFor("Choose a permission mode");
    screens.push(await inks(tmux));
  }
  const [dark = "", light = ""] = screens;
  const inkOf = (text: string): string | undefined => /\[([\d;]+)m ?❯ edit/.exec(text)?.[1];
  expect(inkOf(dark)).not.toBe(undefined);
  expect(inkOf(light)).not.toBe(inkOf(dark));
});

test("SET14 plain starts the session in plain mode", async () => {
  const workspace = await createWorkspace({ plain: true }, ["I hear you."]);
  const tmux = await workspace.openTerminal();
  await tmux.enter("pith");
  await tmux.waitFor(/^You: |^> |claude/m);
  await tmux.type("hello");
  await tmux.press("Enter");
  const screen = await tmux.waitFor("I hear you.");
  expect(screen).not.toContain("───");
});

test("SET14 notify sets how an unfocused terminal is notified", async () => {
  const touch: Step = { parts: [{ type: "call", name: "bash", arguments: { command: "touch first" } }] };
  const workspace = await createWorkspace({ notify: "desktop", permissionMode: "ask" }, [touch]);
  const tmux = await workspace.startProgram();
  const written = join(workspace.root, "written");
  await run("tmux", ["-L", tmux.socket, "pipe-pane", `cat > ${written}`]);
  await tmux.enter("touch it");
  await tmux.waitFor("No, and tell the model why");
  // As a terminal says that somebody has turned away.
  await run("tmux", ["-L", tmux.socket, "send-keys", "-H", "1b", "5b", "4f"]);
  const isCalled = (): boolean =>
    readFileSync(written, "utf8").includes("\x1b]9;Pith: Allow bash to run `touch first`");
  for (const end = Date.now() + 30_000; !isCalled() && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isCalled()).toBe(true);
});
